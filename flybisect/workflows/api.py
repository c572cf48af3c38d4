"""The commands as functions, for Python: a case goes in, a typed result comes out.

`case` is the path that a command line would name (a script, a folder with a `case.yaml`, a case file, or a
test as `test_x.py::test_y`), or a `Case`, which says what the options of a command line say. `workdir` keeps
sessions and toolchains; None: as on the command line. `notify` is called with lines that a person may want to
see. What a user can get wrong raises UserError.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from flybisect.bisect.endpoints import Find
from flybisect.bisect.matrix import Matrix
from flybisect.case.case import Case, find
from flybisect.judge.judge import Judge
from flybisect.reduce.hint import Pass
from flybisect.reduce.passes import PASSES
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.reduce.select import select
from flybisect.toolchain.store import Notify, silent
from flybisect.workflows import check as checks
from flybisect.workflows import commits as commit_searches
from flybisect.workflows import compare as comparisons
from flybisect.workflows import matrix as tables
from flybisect.workflows import reduce as reductions
from flybisect.workflows import releases as release_searches
from flybisect.workflows.check import CheckResult
from flybisect.workflows.commits import BisectedCommits, CommitOptions
from flybisect.workflows.compare import Comparison
from flybisect.workflows.reduction_result import Result as Reduction
from flybisect.workflows.releases import BisectedReleases

__all__ = [
    "BisectedCommits",
    "BisectedReleases",
    "CheckResult",
    "Comparison",
    "Matrix",
    "Reduction",
    "bisect_commits",
    "bisect_releases",
    "check",
    "compare",
    "load_case",
    "matrix",
    "reduce",
]

CaseLike: TypeAlias = Case | str | os.PathLike[str]
BugOrFix: TypeAlias = Literal["bug", "fix"]
"""What is looked for. None: what the endpoints say."""
Progress: TypeAlias = Callable[[ReductionStep], None]


def load_case(path: str | os.PathLike[str]) -> Case:
    """The case that a script, a folder or a case file stands for. Change one with `dataclasses.replace`."""
    return find(Path(path))


def check(
    case: CaseLike,
    *,
    signature: str | None = None,
    workdir: Path | None = None,
    notify: Notify = silent,
) -> CheckResult:
    """Judge a script once. With `signature`, as an earlier result has it, another bug is not interesting."""
    return checks.check_case(_options(case, workdir), notify, signature)


def compare(
    case: CaseLike,
    *,
    args: Sequence[str] = (),
    flydsl: Sequence[str] = (),
    workdir: Path | None = None,
    notify: Notify = silent,
) -> Comparison:
    """Compile a script with each of `args` (each a command line's text) under each of `flydsl`. Without them
    the case's own are taken, and those that it is compared with."""
    return comparisons.compare(_options(case, workdir), args, flydsl, notify)


def reduce(
    case: CaseLike,
    *,
    passes: str | Sequence[str] | None = None,
    progress: Progress = lambda step: None,
    output: Path | None = None,
    jobs: int | None = None,
    workdir: Path | None = None,
    notify: Notify = silent,
) -> Reduction:
    """Reduce a script to the smallest one that still shows its bug. It is in `reduced`, and in the file
    `output`; without one, in the session's folder.

    `passes` are names as `flybisect passes` lists them; None: all. `progress` is called with every step. The
    same call resumes a reduction that was interrupted.
    """
    names = passes if passes is None or isinstance(passes, str) else ",".join(passes)
    chosen = select(PASSES, names, None)
    more = [] if names is None else ["--passes", names]
    show = _Show(notify, progress)
    return reductions.reduce(_options(case, workdir, jobs), chosen, show, output=output, more=more)


def matrix(
    case: CaseLike,
    versions: str,
    *,
    pre: bool = False,
    extra_index_url: str | None = None,
    workdir: Path | None = None,
    notify: Notify = silent,
) -> Matrix:
    """What a script gives under each release of a range, as `0.2.4..0.5.0`, both ends included. `pre`: with
    pre-releases."""
    return tables.matrix(
        _options(case, workdir), versions, _Show(notify), pre=pre, extra_index_url=extra_index_url
    )


def bisect_releases(
    case: CaseLike,
    versions: str,
    *,
    find: BugOrFix | None = None,
    shown_on: str | None = None,
    pre: bool = False,
    jobs: int | None = None,
    extra_index_url: str | None = None,
    workdir: Path | None = None,
    notify: Notify = silent,
) -> BisectedReleases:
    """The release of a range, as `0.2.4..0.5.0`, in which the bug appeared, or the one that fixed it.

    `shown_on`: a release in between that shows the bug; where neither end does, both sides are searched.
    """
    return release_searches.bisect_releases(
        _options(case, workdir, jobs),
        versions,
        _Show(notify),
        shown_on=shown_on,
        find=None if find is None else Find(find),
        pre=pre,
        extra_index_url=extra_index_url,
    )


def bisect_commits(
    case: CaseLike,
    commits: str,
    *,
    repo: str | os.PathLike[str] | None = None,
    find: BugOrFix | None = None,
    allow_inexact: bool = False,
    build: bool = False,
    mlir_path: Path | None = None,
    paths: Sequence[str] = (),
    first_parent: bool = False,
    jobs: int | None = None,
    extra_index_url: str | None = None,
    workdir: Path | None = None,
    notify: Notify = silent,
) -> BisectedCommits:
    """The commit of a range, as `v0.2.4..main`, that introduced the bug, or the one that fixed it.

    `repo`: path or URL of a clone of FlyDSL. The other options are those of `flybisect commits`.
    """
    wanted = CommitOptions(
        range=commits,
        repo=None if repo is None else os.fspath(repo),
        allow_inexact=allow_inexact,
        build=build,
        mlir_path=mlir_path,
        paths=paths,
        first_parent=first_parent,
        extra_index_url=extra_index_url,
    )
    return commit_searches.bisect_commits(
        _options(case, workdir, jobs), wanted, _Show(notify), find=None if find is None else Find(find)
    )


@dataclass(frozen=True)
class _Show:
    """Shows how a workflow goes to the caller's functions."""

    notify: Notify
    step: Progress = lambda step: None

    @contextmanager
    def reduction(self, judge: Judge, source: str, passes: Sequence[Pass]) -> Iterator[_Show]:
        yield self

    def verifying(self, text: str) -> None:
        return None

    def bisecting(self, count: int) -> None:
        return None

    def trying_all(self, count: int) -> None:
        return None

    def trying(self, name: str) -> None:
        return None


def _options(case: CaseLike, workdir: Path | None, jobs: int | None = None) -> Case:
    """What a command line says that names the path, or all of the case."""
    said = case if isinstance(case, Case) else Case(Path(case))
    return replace(said, jobs=jobs or said.jobs, workdir=workdir or said.workdir)
