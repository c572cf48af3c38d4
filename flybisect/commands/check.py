"""`flybisect check`."""

from __future__ import annotations

from typing import Annotated

import typer

from flybisect.checking import check as check_once
from flybisect.commands import options
from flybisect.commands.notify import notifier
from flybisect.commands.sandbox import RequireSandbox
from flybisect.report.asjson import print_json
from flybisect.report.checked import print_check
from flybisect.workbench import Forgetful, Request, prepare


def check(
    context: typer.Context,
    script: options.Script,
    arguments: options.Arguments = None,
    oracle: options.OracleName = None,
    arch: options.Arch = None,
    flydsl: options.Flydsl = None,
    against_args: options.AgainstArgs = None,
    against_flydsl: options.AgainstFlydsl = None,
    against_arch: options.AgainstArch = None,
    when: options.When = None,
    pattern: options.Pattern = None,
    absent: options.Absent = None,
    stage: options.StageName = None,
    command: options.Command = None,
    same_as: options.SameAs = None,
    signature: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only this bug, as an earlier run printed it.")
    ] = None,
    timeout: options.Timeout = None,
    memory: options.Memory = None,
    require_sandbox: RequireSandbox = False,
    workdir: options.Workdir = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Judge a script once. Exit code 0: interesting, 1: not, 125: cannot be judged."""
    bench = prepare(
        Request(
            script=script,
            argv=options.argv(arguments, context.obj),
            arch=arch,
            flydsl=flydsl,
            oracle=oracle,
            against=options.against(against_args, against_flydsl, against_arch),
            when=when,
            sought=options.sought(pattern, absent, stage, command, same_as),
            timeout=timeout,
            memory=memory,
            jobs=1,
            workdir=workdir,
        ),
        notifier(quiet),
    )
    with bench.judge(Forgetful()) as judge:
        found = check_once(judge, bench.source, signature)
    if json:
        print_json(found.to_dict())
    else:
        print_check(found)
    raise typer.Exit(found.exit_code)


def add_to(app: typer.Typer) -> None:
    app.command()(check)
