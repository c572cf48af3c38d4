"""What a user asks of a bisection of commits, from the words to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flybisect.bisecting.answer import CommitAnswer
from flybisect.bisecting.commits import CommitSearch
from flybisect.bisecting.line import Line, line_of
from flybisect.bisecting.locate import locate
from flybisect.bisecting.observer import Observer
from flybisect.bisecting.sides import Find
from flybisect.bisecting.start import Open, source_builder
from flybisect.bisecting.supply import Supply
from flybisect.defaults import load_defaults
from flybisect.durable import write_text
from flybisect.history.imports import imported_paths
from flybisect.history.range import read_range
from flybisect.history.repository import Repository
from flybisect.toolchain.index import releases
from flybisect.toolchain.store import Notify
from flybisect.workbench import Stand


@dataclass(frozen=True)
class CommitsAsked:
    """The options of `flybisect commits` that are about commits."""

    range: str
    """`A..B`."""
    repo: str | None = None
    allow_inexact: bool = False
    build: bool = False
    mlir_path: Path | None = None
    paths: Sequence[str] = ()
    first_parent: bool = False
    extra_index_url: str | None = None


@dataclass(frozen=True)
class Listed:
    """The commits in question."""

    repository: Repository
    line: Line
    imported: Sequence[str]


def listed(asked: CommitsAsked, stand: Stand, notify: Notify) -> Listed:
    """Raises UserError where there is no clone, no such range, or nothing in it that matters."""
    default = load_defaults(Path.cwd()).repo
    repository = locate(asked.repo, Path.cwd(), default, stand.workdir, notify)
    found = read_range(repository, asked.range, first_parent=asked.first_parent, paths=asked.paths)
    imported = imported_paths(stand.source, stand.case.script, repository.entries(found.newer.hash))
    known = releases(stand.workdir, extra_index_url=asked.extra_index_url, notify=notify)
    return Listed(repository, line_of(repository, found, known, imported), imported)


def search_commits(
    asked: CommitsAsked,
    commits: Listed,
    stand: Stand,
    study: Open,
    observer: Observer,
    find: Find | None,
    notify: Notify,
) -> tuple[CommitAnswer, Path]:
    """The answer, and the log of `git bisect`, which is in the session then. Raises UserError."""
    wanted = asked.build or asked.mlir_path is not None
    builder = None
    if wanted:
        builder = source_builder(commits.repository, stand, study, asked.mlir_path, notify)
    supply = Supply(commits.repository, stand.toolchains, stand.workdir, notify, builder, commits.imported)
    search = CommitSearch(
        commits.line,
        supply,
        observer,
        study.measure,
        notify,
        builder=builder,
        allow_proxies=asked.allow_inexact or asked.mlir_path is not None,
        allow_inexact=asked.allow_inexact,
        cancel=builder.stop.set if builder is not None else lambda: None,
        notes=study.session.journal,
    )
    answer = search.run(find, stand.jobs)
    log = study.session.folder / "bisect.log"
    write_text(log, answer.bisect_log())
    return answer, log
