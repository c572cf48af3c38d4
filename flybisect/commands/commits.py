"""`flybisect commits`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flybisect.bisecting.commits import CommitSearch
from flybisect.bisecting.line import line_of
from flybisect.bisecting.locate import locate
from flybisect.bisecting.start import open_study, source_builder
from flybisect.bisecting.supply import Supply
from flybisect.commands.notify import notifier
from flybisect.commands.studied import Studied, takes_studied
from flybisect.defaults import load_defaults
from flybisect.durable import write_text
from flybisect.history.imports import imported_paths
from flybisect.history.range import read_range
from flybisect.report.asjson import print_json
from flybisect.report.committed import print_commits
from flybisect.toolchain.index import releases
from flybisect.workbench import set_up


@takes_studied
def commits(
    context: typer.Context,
    commits: Annotated[str, typer.Argument(metavar="A..B", help="Commits, as v0.2.4..main.")],
    *,
    repo: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|URL",
            help="A clone of FlyDSL; else the one around this folder, or what flybisect.yaml says.",
        ),
    ] = None,
    allow_inexact: Annotated[
        bool,
        typer.Option("--allow-inexact", help="Also test commits over natives of another, labelled as such."),
    ] = False,
    build: Annotated[
        bool,
        typer.Option("--build", help="Build commits from source where needed, LLVM first: takes hours."),
    ] = False,
    mlir_path: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Build commits with this MLIR (see docs/source-builds.md), whichever a commit pins.",
        ),
    ] = None,
    paths: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="Only commits that touch it; repeatable.")
    ] = None,
    first_parent: Annotated[bool, typer.Option("--first-parent", help="As git has it.")] = False,
    studied: Studied,
) -> None:
    """Find the commit that brought the bug in, or the one that repaired it."""
    notify = notifier(studied.quiet)
    extra = studied.extra_index_url
    stand = set_up(studied.request(context.obj), notify, extra_index_url=extra)
    default = load_defaults(Path.cwd()).repo
    repository = locate(repo, Path.cwd(), default, stand.workdir, notify)
    found = read_range(repository, commits, first_parent=first_parent, paths=paths or ())
    imported = imported_paths(stand.source, stand.case.script, repository.entries(found.newer.hash))
    known = releases(stand.workdir, extra_index_url=extra, notify=notify)
    line = line_of(repository, found, known, imported)
    with open_study(stand, notify) as study:
        wanted = build or mlir_path is not None
        builder = source_builder(repository, stand, study, mlir_path, notify) if wanted else None
        supply = Supply(repository, stand.toolchains, stand.workdir, notify, builder, imported)
        search = CommitSearch(
            line,
            supply,
            study.observer,
            study.measure,
            notify,
            builder=builder,
            allow_proxies=allow_inexact or mlir_path is not None,
            allow_inexact=allow_inexact,
            cancel=builder.stop.set if builder is not None else lambda: None,
        )
        answer = search.run(studied.find, stand.jobs)
        log = study.session.folder / "bisect.log"
        write_text(log, answer.bisect_log())
        data = answer.to_dict(str(log))
        study.session.save_result({"commits": data})
    if studied.json:
        print_json(data)
    else:
        print_commits(answer, log)


def add_to(app: typer.Typer) -> None:
    app.command()(commits)
