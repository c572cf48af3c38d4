"""The commands as functions, for Python: a case goes in, a typed result comes out.

`case` is the path that a command line would name (a script, a folder with a `case.yaml`, a case file, or a
test as `test_x.py::test_y`), or a `Case`, which says what the options of a command line say. `workdir` keeps
sessions and toolchains; None: as on the command line. `notify` is called with lines that a person may want to
see. What a user can get wrong raises UserError.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias

from flybisect.bisect import matrix as table
from flybisect.bisect.around import Around, search_around
from flybisect.bisect.commit_answer import CommitAnswer
from flybisect.bisect.endpoints import Find
from flybisect.bisect.matrix import Matrix
from flybisect.bisect.release_search import ReleaseSearch
from flybisect.case.case import Case, find
from flybisect.case.request import CaseRequest
from flybisect.case.variables import missing
from flybisect.case.workdir import SESSIONS
from flybisect.judge.trials import NoMemory
from flybisect.oracle.registry import listing
from flybisect.probe.runner import Runner
from flybisect.reduce.passes import PASSES
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.reduce.select import select
from flybisect.session.session import open_session
from flybisect.toolchain.store import Notify, silent
from flybisect.workflows import reduce as reducing
from flybisect.workflows.bisection import open_bisection, open_table, versions_in
from flybisect.workflows.check import CheckResult
from flybisect.workflows.check import check as check_once
from flybisect.workflows.commits import CommitOptions, list_commits, search_commits
from flybisect.workflows.compare import ComparedColumn
from flybisect.workflows.compare import compare as compare_settings
from flybisect.workflows.curve import Curve
from flybisect.workflows.flattened import files_note, notes
from flybisect.workflows.neighbours import hold_to, with_boundary
from flybisect.workflows.output_path import output_path
from flybisect.workflows.prepare import prepare, prepare_comparison, prepare_for_toolchains, workdir_of
from flybisect.workflows.reduce import Result as Reduction
from flybisect.workflows.script_heading import heading_for

__all__ = [
    "CheckResult",
    "CommitBisection",
    "Comparison",
    "Matrix",
    "Reduction",
    "ReleaseBisection",
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


@dataclass(frozen=True)
class Comparison:
    """What `flybisect compare` shows."""

    script: Path
    columns: tuple[ComparedColumn, ...]
    missing_variables: tuple[str, ...] = ()
    """That the script reads, and that are set here but not in trials."""

    def to_dict(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "script": str(self.script),
            "columns": [column.to_dict() for column in self.columns],
            "missing_variables": list(self.missing_variables),
        }


@dataclass(frozen=True)
class ReleaseBisection:
    """What `flybisect releases` found."""

    answer: Around
    missing_variables: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {**self.answer.to_dict(), "missing_variables": list(self.missing_variables)}


@dataclass(frozen=True)
class CommitBisection:
    """What `flybisect commits` found."""

    answer: CommitAnswer
    log: Path
    """Of `git bisect`, for `git bisect replay`."""
    missing_variables: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {**self.answer.to_dict(str(self.log)), "missing_variables": list(self.missing_variables)}


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
    bench = prepare(_request(case, workdir, jobs=1), notify)
    with bench.judge(NoMemory()) as judge:
        found = check_once(judge, bench.source, signature)
    return replace(found, missing_variables=_missing(judge.unset))


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
    found, source, settings = prepare_comparison(_request(case, workdir), args, flydsl, notify)
    with (
        TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as scratch,
        Runner(Path(scratch), jobs=1, hidden=[workdir_of(workdir, found.script.parent) / SESSIONS]) as runner,
    ):
        columns = compare_settings(found, source, settings, runner)
    unset = {name for column in columns for name in column.observation.unset}
    return Comparison(found.script, tuple(columns), _missing(unset))


def reduce(
    case: CaseLike,
    *,
    passes: str | Sequence[str] | None = None,
    progress: Callable[[ReductionStep], None] | None = None,
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
    request = _request(case, workdir, jobs)
    bench, assumed = with_boundary(prepare(request, notify), request, notify)
    with open_session(bench.workdir, bench.case, bench.source, bench.toolchain_keys) as session:
        out = output_path(output, session.folder, bench.case)
        _tell(notify, session.warnings)
        with bench.judge(session.journal) as judge:
            judge.flakiness.notify = notify
            reducing.check(judge, bench.source, bench.case.script.name, listing().plugins)
            hold_to(judge, bench, notify, insist=not assumed)
            judge.measure_flakiness(bench.source)
            one = reducing.flattened(judge, bench.script)
            _tell(notify, (*notes(one), *files_note(reducing.files_beside(judge, one))))
            drawn = Curve(session.folder, judge, one.source)
            try:
                notice = drawn.noting(progress or _no_progress)
                found = reducing.search(judge, session, one.source, chosen, notice)
            finally:
                drawn.save()
            said = replace(
                bench.case,
                oracle=judge.oracle.name if bench.case.oracle == "auto" else bench.case.oracle,
                script=one.called(bench.case.script),
                valid_on=tuple(each.setting.toolchain.spec for each in judge.required),
            )
            options = [] if names is None else ["--passes", names]
            heading = heading_for(replace(bench, case=said, script=one), out, options)
            return reducing.finish(judge, session, one.source, found, out, heading)


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
    request = _request(case, workdir, jobs=1)
    stand = prepare_for_toolchains(request, notify, extra_index_url=extra_index_url)
    names = versions_in(versions, stand, pre=pre, extra_index_url=extra_index_url, notify=notify)
    with open_table(stand, notify) as (observer, measure):
        # Both ends first: how long a trial takes there bounds the others.
        observer.ends(stand.toolchains.get(names[0]), stand.toolchains.get(names[-1]))
        rows = []
        for at, name in enumerate(names):
            toolchain = stand.toolchains.get(name)
            rows.append(table.row(at, name, toolchain, observer.observe(toolchain), measure))
    return Matrix(stand.case.script, tuple(rows), stand.case.sought.same_as, _missing(observer.unset))


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
) -> ReleaseBisection:
    """The release of a range, as `0.2.4..0.5.0`, in which the bug appeared, or the one that fixed it.

    `shown_on`: a release in between that shows the bug; where neither end does, both sides are searched.
    """
    request = _request(case, workdir, jobs)
    stand = prepare_for_toolchains(request, notify, extra_index_url=extra_index_url)
    names = versions_in(versions, stand, pre=pre, extra_index_url=extra_index_url, notify=notify)
    with open_bisection(stand, notify) as study:

        def searching(part: Sequence[str]) -> ReleaseSearch:
            journal = study.session.journal
            return ReleaseSearch(part, stand.toolchains, study.observer, study.measure, notify, journal)

        wanted = None if find is None else Find(find)
        answer = search_around(searching, names, shown_on, wanted, stand.jobs)
        study.session.save_result({**(study.session.result() or {}), "releases": answer.to_dict()})
    return ReleaseBisection(answer, _missing(study.observer.unset))


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
) -> CommitBisection:
    """The commit of a range, as `v0.2.4..main`, that introduced the bug, or the one that fixed it.

    `repo`: path or URL of a clone of FlyDSL. The other options are those of `flybisect commits`.
    """
    options = CommitOptions(
        range=commits,
        repo=None if repo is None else os.fspath(repo),
        allow_inexact=allow_inexact,
        build=build,
        mlir_path=mlir_path,
        paths=paths,
        first_parent=first_parent,
        extra_index_url=extra_index_url,
    )
    request = _request(case, workdir, jobs)
    stand = prepare_for_toolchains(request, notify, extra_index_url=extra_index_url)
    listed = list_commits(options, stand, notify)
    with open_bisection(stand, notify) as study:
        wanted = None if find is None else Find(find)
        answer, log = search_commits(options, listed, stand, study, study.observer, wanted, notify)
        result = answer.to_dict(str(log))
        study.session.save_result({**(study.session.result() or {}), "commits": result})
    return CommitBisection(answer, log, _missing(study.observer.unset))


def _request(case: CaseLike, workdir: Path | None, jobs: int | None = None) -> CaseRequest:
    """What a command line says that names the path, or all of the case."""
    if not isinstance(case, Case):
        return CaseRequest(Path(case), jobs=jobs, workdir=workdir)
    return CaseRequest(
        script=case.script,
        argv=case.argv or None,
        arch=case.arch,
        flydsl=None if case.flydsl == "installed" else case.flydsl,
        oracle=case.oracle,
        against=case.against,
        when=case.when,
        timeout=case.timeout,
        memory=case.memory,
        jobs=jobs,
        workdir=workdir,
        sought=case.sought,
        env=case.env,
        valid_on=case.valid_on,
    )


def _missing(unset: Iterable[str]) -> tuple[str, ...]:
    return tuple(missing(unset, os.environ))


def _tell(notify: Notify, lines: Iterable[str]) -> None:
    for line in lines:
        notify(line)


def _no_progress(step: ReductionStep) -> None:
    return None
