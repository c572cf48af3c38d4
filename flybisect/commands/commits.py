"""`flybisect commits`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flybisect.bisecting.commits import CommitSearch
from flybisect.bisecting.line import line_of
from flybisect.bisecting.locate import locate
from flybisect.bisecting.start import case_request, open_study, source_builder
from flybisect.bisecting.supply import Supply
from flybisect.commands import options
from flybisect.commands.notify import notifier
from flybisect.defaults import load_defaults
from flybisect.durable import write_text
from flybisect.history.imports import imported_paths
from flybisect.history.range import read_range
from flybisect.report.asjson import print_json
from flybisect.report.committed import print_commits
from flybisect.toolchain.index import releases
from flybisect.workbench import set_up


def commits(
    context: typer.Context,
    commits: Annotated[str, typer.Argument(metavar="A..B", help="Commits, as v0.2.4..main.")],
    arguments: options.Arguments = None,
    case: options.CaseOption = None,
    repo: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|URL",
            help="A clone of FlyDSL; else the one around this folder, or what flybisect.yaml says.",
        ),
    ] = None,
    find: options.FindOption = None,
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
    oracle: options.OracleName = None,
    arch: options.Arch = None,
    against_args: options.AgainstArgs = None,
    against_flydsl: options.AgainstFlydsl = None,
    against_arch: options.AgainstArch = None,
    when: options.When = None,
    jobs: options.BisectJobs = None,
    timeout: options.Timeout = None,
    memory: options.Memory = None,
    extra_index_url: options.ExtraIndex = None,
    workdir: options.Workdir = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the commit that brought the bug in, or the one that repaired it."""
    notify = notifier(quiet)
    request = case_request(
        case,
        workdir,
        argv=options.argv(arguments, context.obj),
        arch=arch,
        oracle=oracle,
        against=options.against(against_args, against_flydsl, against_arch),
        when=when,
        timeout=timeout,
        memory=memory,
        jobs=jobs,
    )
    stand = set_up(request, notify, extra_index_url=extra_index_url)
    default = load_defaults(Path.cwd()).repo
    repository = locate(repo, Path.cwd(), default, stand.workdir, notify)
    found = read_range(repository, commits, first_parent=first_parent, paths=paths or ())
    imported = imported_paths(stand.source, stand.case.script, repository.entries(found.newer.hash))
    known = releases(stand.workdir, extra_index_url=extra_index_url, notify=notify)
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
        answer = search.run(find, stand.jobs)
        log = study.session.folder / "bisect.log"
        write_text(log, answer.bisect_log())
        data = answer.to_dict(str(log))
        study.session.save_result({"commits": data})
    if json:
        print_json(data)
    else:
        print_commits(answer, log)


def add_to(app: typer.Typer) -> None:
    app.command()(commits)
