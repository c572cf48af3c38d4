"""`flybisect matrix`."""

from __future__ import annotations

from typing import Annotated

import typer

from flybisect.bisect import matrix as table
from flybisect.case.variables import say_missing
from flybisect.cli import completion as completing
from flybisect.cli import options
from flybisect.cli.option_groups import takes_group
from flybisect.cli.shared_options import Bug
from flybisect.terminal.json_output import print_json
from flybisect.terminal.live import watching
from flybisect.terminal.matrix import (
    as_dict,
    as_markdown,
    described,
    print_matrix,
)
from flybisect.workflows.bisection import open_table, versions_in
from flybisect.workflows.prepare import prepare_for_toolchains


@takes_group
def matrix(
    context: typer.Context,
    script: options.Script,
    *,
    flydsl: Annotated[
        str,
        typer.Option(
            metavar="A..B",
            autocompletion=completing.versions,
            help="Releases, both ends included, as 0.1.5..0.5.0.",
        ),
    ],
    pre: options.Pre = False,
    extra_index_url: options.ExtraIndex = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    bug: Bug,
) -> None:
    """Show what a script gives under each release: verdict, failure and figures."""
    with watching("matrix", bug.quiet) as show:
        request = bug.about(script, context.obj, jobs=1)
        stand = prepare_for_toolchains(request, show.notify, extra_index_url=extra_index_url)
        versions = versions_in(flydsl, stand, pre=pre, extra_index_url=extra_index_url, notify=show.notify)
        with open_table(stand, show.notify) as (observer, measure):
            show.trying_all(len(versions))
            # Both ends first: how long a trial takes there bounds the others.
            show.notify(f"trying both ends, {versions[0]} and {versions[-1]}")
            observer.ends(stand.toolchains.get(versions[0]), stand.toolchains.get(versions[-1]))
            rows = []
            for at, version in enumerate(versions):
                show.trying(version)
                toolchain = stand.toolchains.get(version)
                evidence = observer.observe(toolchain)
                rows.append(table.row(at, version, toolchain, evidence, measure))
                show.notify(f"{version}: {described(rows[-1])}")
        missing = say_missing(observer.unset, show.notify)
    texts = stand.case.sought.same_as
    if bug.json:
        print_json({**as_dict(stand.case.script, rows, texts), "missing_variables": missing})
    elif markdown:
        print(as_markdown(rows, texts))
    else:
        print_matrix(rows, texts)


def add_to(app: typer.Typer) -> None:
    app.command()(matrix)
