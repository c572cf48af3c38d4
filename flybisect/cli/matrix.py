"""`flybisect matrix`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from flybisect.bisect.test_record import TestRecord
from flybisect.case.case import Case
from flybisect.cli import completion as completing
from flybisect.cli import options
from flybisect.cli.case_options import takes_case
from flybisect.cli.sandbox_option import RequireSandbox
from flybisect.terminal.json_output import print_json
from flybisect.terminal.live import watching
from flybisect.terminal.matrix import as_markdown, described, print_matrix
from flybisect.workflows.matrix import matrix as table_of


@takes_case()
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
    require_sandbox: RequireSandbox = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    request: Case,
) -> None:
    """Show what a script gives under each release: verdict, failure and figures."""
    named = replace(request, script=script)
    with watching("matrix", quiet) as show:

        def tried(row: TestRecord) -> None:
            show.notify(f"{row.name}: {described(row)}")

        found = table_of(named, flydsl, show, tried=tried, pre=pre, extra_index_url=extra_index_url)
    if json:
        print_json(found.to_dict())
    elif markdown:
        print(as_markdown(found.rows, found.same_as))
    else:
        print_matrix(found.rows, found.same_as)


def add_to(app: typer.Typer) -> None:
    app.command()(matrix)
