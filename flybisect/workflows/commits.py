"""What a user asks of a bisection of commits, from the words to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flybisect.bisect.commit_answer import CommitAnswer
from flybisect.bisect.commit_range import CommitRange, commit_range_of
from flybisect.bisect.commit_search import CommitSearch
from flybisect.bisect.endpoints import Find
from flybisect.bisect.observer import Observer
from flybisect.bisect.repeated_runs import toolchain_name
from flybisect.bisect.toolchain_provider import ToolchainProvider
from flybisect.case.atomic_file import write_text
from flybisect.case.case import Case, load_defaults
from flybisect.case.variables import say_missing
from flybisect.git.imports import imported_paths
from flybisect.git.range import read_range
from flybisect.git.repository import Repository
from flybisect.toolchain.index import releases
from flybisect.toolchain.store import Notify
from flybisect.workflows.bisection import OpenBisection, open_bisection, source_builder, studied
from flybisect.workflows.fallback import WatchedObserver
from flybisect.workflows.locate import locate
from flybisect.workflows.prepare import PreparedCase, prepare_for_toolchains
from flybisect.workflows.progress import Begun, ShowsSearch


@dataclass(frozen=True)
class CommitOptions:
    """The options of `flybisect commits` that are about commits."""

    range: str
    """`A..B`; empty in a run whose releases say it."""
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


@dataclass(frozen=True)
class BisectedCommits:
    answer: CommitAnswer
    log: Path
    """Of `git bisect`."""
    missing_variables: tuple[str, ...]
    """That the script reads, and that are set here but not in trials."""

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {**self.answer.to_dict(str(self.log)), "missing_variables": list(self.missing_variables)}


def bisect_commits(
    options: Case,
    wanted: CommitOptions,
    show: ShowsSearch,
    *,
    find: Find | None = None,
    begun: Begun = lambda session: None,
) -> BisectedCommits:
    """Of what was reduced last where the options name no script. Raises UserError where none is found."""
    notify = show.notify
    prepared = prepare_for_toolchains(studied(options), notify, extra_index_url=wanted.extra_index_url)
    listed = list_commits(wanted, prepared, notify)
    with open_bisection(prepared, notify) as study:
        begun(study.session)
        show.bisecting(len(listed.line.candidates))
        observer = WatchedObserver(study.observer, lambda tried: show.trying(toolchain_name(tried)))
        answer, log = search_commits(wanted, listed, prepared, study, observer, find, notify)
        known = study.session.result() or {}
        study.session.save_result({**known, "commits": answer.to_dict(str(log))})
    return BisectedCommits(answer, log, tuple(say_missing(study.observer.unset, notify)))


def list_commits(wanted: CommitOptions, prepared: PreparedCase, notify: Notify) -> ListedCommits:
    """Raises UserError where there is no clone, no such range, or nothing in it that matters."""
    default = load_defaults(Path.cwd()).repo
    repository = locate(wanted.repo, Path.cwd(), default, prepared.workdir, notify)
    found = read_range(repository, wanted.range, first_parent=wanted.first_parent, paths=wanted.paths)
    imported = imported_paths(prepared.source, prepared.case.script, repository.entries(found.newer.hash))
    known = releases(prepared.workdir, extra_index_url=wanted.extra_index_url, notify=notify)
    return ListedCommits(repository, commit_range_of(repository, found, known, imported), imported)


def search_commits(
    wanted: CommitOptions,
    commits: ListedCommits,
    prepared: PreparedCase,
    study: OpenBisection,
    observer: Observer,
    find: Find | None,
    notify: Notify,
) -> tuple[CommitAnswer, Path]:
    """The answer, and the log of `git bisect`, which is in the session then. Raises UserError."""
    builder = None
    if wanted.build or wanted.mlir_path is not None:
        builder = source_builder(commits.repository, prepared, study, wanted.mlir_path, notify)
    supply = ToolchainProvider(
        commits.repository, prepared.toolchains, prepared.workdir, notify, builder, commits.imported
    )
    search = CommitSearch(
        commits.line,
        supply,
        observer,
        study.measure,
        notify,
        builder=builder,
        allow_proxies=wanted.allow_inexact or wanted.mlir_path is not None,
        allow_inexact=wanted.allow_inexact,
        cancel=builder.stop.set if builder is not None else lambda: None,
        notes=study.session.journal,
    )
    answer = search.run(find, prepared.jobs)
    log = study.session.folder / "bisect.log"
    write_text(log, answer.bisect_log())
    return answer, log
