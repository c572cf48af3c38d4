"""`flybisect report`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from flybisect.case.atomic_file import write_text
from flybisect.cli import options
from flybisect.cli import session_options as about
from flybisect.cli.notify import notifier
from flybisect.errors import UserError
from flybisect.report.html import as_html
from flybisect.report.plots import pictures
from flybisect.report.session_report import report_of
from flybisect.terminal.json_output import print_json
from flybisect.workflows.known_clone import known_clone
from flybisect.workflows.prepare import workdir_of


def report(
    session: about.SessionName = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="Without it: standard output.")
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.zip",
            help="Also a zip: script, report, IR, assembly, metadata, git bisect log, reproduce.sh.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="OUT.html", help="Also one HTML file with pictures and both scripts."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also the pictures alone, a file each.")
    ] = None,
    repo: about.Repo = None,
    workdir: options.Workdir = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write what a session found as Markdown for an upstream issue."""
    notify = notifier(quiet)
    root = workdir_of(workdir, Path.cwd())
    shown = report_of(session, root, known_clone(repo, Path.cwd(), root, notify), notify)
    found, text = shown.found, shown.markdown
    problem = None if bundle is None else shown.write_bundle(bundle)
    if problem is not None:
        raise UserError(problem)
    written = [bundle] if bundle is not None else []
    if output is not None:
        write_text(output, text)
        written.append(output)
    if html is not None:
        write_text(html, as_html(found, shown.private))
        written.append(html)
    if svg is not None:
        written += _pictures(svg, pictures(found))
    if json:
        files = [str(path) for path in written]
        print_json({"session": str(found.folder), "written": files, "markdown": text})
    elif not written:
        sys.stdout.write(text)
    else:
        print("\n".join(map(str, written)))


def _pictures(folder: Path, drawn: dict[str, str]) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, picture in drawn.items():
        paths.append(folder / f"{name}.svg")
        write_text(paths[-1], picture + "\n")
    return paths


def add_to(app: typer.Typer) -> None:
    app.command()(report)
