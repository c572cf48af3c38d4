"""`flybisect matrix`."""

from __future__ import annotations

from typing import Annotated

import typer

from flybisect.bisecting import matrix as table
from flybisect.bisecting.start import open_table, versions_in
from flybisect.commands import options
from flybisect.commands.notify import notifier
from flybisect.commands.sandbox import RequireSandbox
from flybisect.report.asjson import print_json
from flybisect.report.tabulated import as_dict, as_markdown, print_matrix
from flybisect.workbench import Request, set_up


def matrix(
    context: typer.Context,
    script: options.Script,
    flydsl: Annotated[
        str, typer.Option(metavar="A..B", help="Releases, both ends included, as 0.1.5..0.5.0.")
    ],
    arguments: options.Arguments = None,
    pre: options.Pre = False,
    oracle: options.OracleName = None,
    arch: options.Arch = None,
    against_args: options.AgainstArgs = None,
    against_flydsl: options.AgainstFlydsl = None,
    against_arch: options.AgainstArch = None,
    when: options.When = None,
    pattern: options.Pattern = None,
    absent: options.Absent = None,
    stage: options.StageName = None,
    command: options.Command = None,
    same_as: options.SameAs = None,
    timeout: options.Timeout = None,
    memory: options.Memory = None,
    extra_index_url: options.ExtraIndex = None,
    require_sandbox: RequireSandbox = False,
    workdir: options.Workdir = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show what a script gives under each release: verdict, failure and figures."""
    notify = notifier(quiet)
    request = Request(
        script=script,
        argv=options.argv(arguments, context.obj),
        arch=arch,
        oracle=oracle,
        against=options.against(against_args, against_flydsl, against_arch),
        when=when,
        sought=options.sought(pattern, absent, stage, command, same_as),
        timeout=timeout,
        memory=memory,
        jobs=1,
        workdir=workdir,
    )
    stand = set_up(request, notify, extra_index_url=extra_index_url)
    versions = versions_in(flydsl, stand, pre=pre, extra_index_url=extra_index_url, notify=notify)
    with open_table(stand, notify) as (observer, measure):
        # Both ends first: how long a trial takes there bounds the others.
        observer.ends(stand.toolchains.get(versions[0]), stand.toolchains.get(versions[-1]))
        rows = []
        for at, version in enumerate(versions):
            toolchain = stand.toolchains.get(version)
            evidence = observer.observe(toolchain)
            rows.append(table.row(at, version, toolchain, evidence, measure))
            notify(f"{version}: {rows[-1].side.value}")
    texts = stand.case.sought.same_as
    if json:
        print_json(as_dict(stand.case.script, rows, texts))
    elif markdown:
        print(as_markdown(rows, texts))
    else:
        print_matrix(rows, texts)


def add_to(app: typer.Typer) -> None:
    app.command()(matrix)
