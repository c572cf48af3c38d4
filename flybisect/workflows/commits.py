"""What a user asks of a bisection of commits, from the words to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flybisect.bisect.commit_answer import CommitAnswer
from flybisect.bisect.commit_range import CommitRange, commit_range_of
from flybisect.bisect.commit_search import CommitSearch
from flybisect.bisect.endpoints import Find
from flybisect.bisect.observer import Observer
from flybisect.bisect.toolchain_provider import ToolchainProvider
from flybisect.case.atomic_file import write_text
from flybisect.case.defaults import load_defaults
from flybisect.git.imports import imported_paths
from flybisect.git.range import read_range
from flybisect.git.repository import Repository
from flybisect.toolchain.index import releases
from flybisect.toolchain.store import Notify
from flybisect.workflows.bisection import OpenBisection, source_builder
from flybisect.workflows.locate import locate
from flybisect.workflows.prepare import PreparedCase


@dataclass(frozen=True)
class CommitOptions:
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
class ListedCommits:
    """The commits in question."""

    repository: Repository
    line: CommitRange
    imported: Sequence[str]


def list_commits(asked: CommitOptions, stand: PreparedCase, notify: Notify) -> ListedCommits:
    """Raises UserError where there is no clone, no such range, or nothing in it that matters."""
    default = load_defaults(Path.cwd()).repo
    repository = locate(asked.repo, Path.cwd(), default, stand.workdir, notify)
    found = read_range(repository, asked.range, first_parent=asked.first_parent, paths=asked.paths)
    imported = imported_paths(stand.source, stand.case.script, repository.entries(found.newer.hash))
    known = releases(stand.workdir, extra_index_url=asked.extra_index_url, notify=notify)
    return ListedCommits(repository, commit_range_of(repository, found, known, imported), imported)


def search_commits(
    asked: CommitOptions,
    commits: ListedCommits,
    stand: PreparedCase,
    study: OpenBisection,
    observer: Observer,
    find: Find | None,
    notify: Notify,
) -> tuple[CommitAnswer, Path]:
    """The answer, and the log of `git bisect`, which is in the session then. Raises UserError."""
    wanted = asked.build or asked.mlir_path is not None
    builder = None
    if wanted:
        builder = source_builder(commits.repository, stand, study, asked.mlir_path, notify)
    supply = ToolchainProvider(
        commits.repository, stand.toolchains, stand.workdir, notify, builder, commits.imported
    )
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
