"""The steps of a run, one after the other. What can't be done says why, and the rest goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flybisect.bisect.around import Around
from flybisect.bisect.endpoints import Find
from flybisect.bisect.repeated_runs import toolchain_name
from flybisect.case.case import Case
from flybisect.errors import UserError
from flybisect.judge.judge import Judge
from flybisect.observation import Signature
from flybisect.oracle.failure_line import failure_line
from flybisect.oracle.follow import FOLLOWED
from flybisect.oracle.plugin import Evidence
from flybisect.oracle.signatures import classify
from flybisect.reduce.hint import Pass
from flybisect.session.parts import Part, delete_part, save_part
from flybisect.session.session import Session, open_session
from flybisect.toolchain.model import Toolchain
from flybisect.workflows import reduce as reducing
from flybisect.workflows.bisection import OpenBisection, open_bisection, versions_in
from flybisect.workflows.commits import list_commits, search_commits
from flybisect.workflows.findings import GIVEN, RunStep
from flybisect.workflows.last_affected import Elsewhere, last_affected
from flybisect.workflows.neighbours import hold_to
from flybisect.workflows.output_path import output_path
from flybisect.workflows.prepare import PreparedCase, prepare, prepare_for_toolchains
from flybisect.workflows.progress import Begun, ShowsRun
from flybisect.workflows.reduction_result import Result
from flybisect.workflows.releases import search_releases
from flybisect.workflows.run_options import RunOptions
from flybisect.workflows.run_releases import (
    Scripts,
    falling,
    judging,
    table,
    variant,
)
from flybisect.workflows.symptom import following_of


@dataclass(frozen=True)
class Run:
    """What `flybisect run` came to."""

    steps: tuple[RunStep, ...]
    result: Result | None
    """None where nothing was reduced."""
    prepared: PreparedCase
    folder: Path
    """Of the session."""
    report: Path
    """Where a report goes."""


def run(
    options: Case,
    wanted: RunOptions,
    passes: Sequence[Pass],
    show: ShowsRun,
    *,
    more: Sequence[str] = (),
    begun: Begun = lambda session: None,
) -> Run:
    """Check, search the releases, reduce, search the commits. Raises UserError where nothing could be done.

    `more`: further options for the command that the reduced script names. Where the options' FlyDSL does not
    show the bug, the last release of the range that does is studied.
    """
    try:
        found = _run(options, wanted, passes, show, more, begun)
    except Elsewhere as other:
        elsewhere = replace(options, flydsl=other.version)
        found = _run(elsewhere, wanted, passes, show, more, begun, other.why)
    if all(not step.done for step in found.steps):
        raise UserError(found.steps[0].told)
    return found


def _run(
    options: Case,
    wanted: RunOptions,
    passes: Sequence[Pass],
    show: ShowsRun,
    more: Sequence[str],
    begun: Begun,
    instead: str = "",
) -> Run:
    """Raises Elsewhere."""
    prepared = prepare(options, show.notify)
    with open_session(prepared.workdir, prepared.case, prepared.source, prepared.toolchain_keys) as session:
        begun(session)
        report = session.folder / "report.md"
        if wanted.output is not None:
            report = output_path(wanted.output, Path(), prepared.case)
        for warning in session.warnings:
            show.notify(warning)
        workflow = RunWorkflow(prepared, session, options.script, wanted, passes, more, show, instead)
        workflow.all()
        return Run(tuple(workflow.steps), workflow.result, prepared, session.folder, report)


class RunWorkflow:
    """One run in its session. `all` may be called once."""

    def __init__(
        self,
        prepared: PreparedCase,
        session: Session,
        script: Path,
        wanted: RunOptions,
        passes: Sequence[Pass],
        more: Sequence[str],
        show: ShowsRun,
        instead: str = "",
    ) -> None:
        """`script`: as the options name it. `instead`: why this FlyDSL is studied in place of the one that
        the options name."""
        self._prepared = prepared
        self._session = session
        self._script = script
        self._wanted = wanted
        self._passes = passes
        self._more = more
        self._show = show
        self._instead = instead
        self._first: Evidence | None = None
        """What the unreduced script shows; None where that is not interesting."""
        self._signature: Signature | None = None
        self._oracle = prepared.case.oracle
        self._when = prepared.case.when
        self._found: Around | None = None
        self._every: Sequence[str] = ()
        self._scripts: Scripts | None = None
        self._alone = False
        """The reduced script tells the releases apart otherwise than the unreduced one, which judges then."""
        self.steps: list[RunStep] = []
        self.result: Result | None = None

    def all(self) -> None:
        """Only what ends the whole run comes through: an interruption, a full disk; and Elsewhere."""
        with self._prepared.judge(self._session.journal) as judge:
            self._do("check", lambda: self._check(judge))
            self._do("releases", self._releases)
            if self._first is not None:
                self._do("reduce", lambda: self._reduce(judge))
        self._do("table of releases", self._table)
        self._do("commits", self._commits)

    def _do(self, name: str, do: Callable[[], str]) -> None:
        self._show.begin(name)
        try:
            self._note(name, True, do())
        except UserError as error:
            self._note(name, False, str(error))

    def _note(self, name: str, done: bool, sentence: str) -> None:
        if sentence:
            self.steps.append(RunStep(name, done, sentence))
            self._show.ended(self.steps[-1])
            save_part(self._session.folder, Part.STEPS, [vars(step) for step in self.steps])

    def _check(self, judge: Judge) -> str:
        try:
            verdict = reducing.check_prepared(judge, self._prepared, self._show.notify)
        except reducing.Uninteresting as error:
            seen = None if judge.first is None else classify(judge.first.subject)
            lacking = seen is not None and seen.kind == "setup"  # and would be under any FlyDSL
            if self._wanted.releases is not None and not self._instead and not lacking:
                self._look_elsewhere(str(error))
            raise
        assert judge.first is not None
        self._first, self._signature = judge.first, judge.signature
        self._oracle = reducing.pinned_oracle(judge, self._prepared.case)
        if following_of(judge) is not None:
            # A script that was reduced by its cause has lost the symptom, so releases are told by the cause.
            self._oracle, self._when = FOLLOWED, judge.oracle.condition
        return f"{verdict.answer.value}: {failure_line(judge.first.subject) or verdict.why}{self._instead}"

    def _look_elsewhere(self, why: str) -> None:
        """Raises Elsewhere where another release shows the bug."""
        prepared = self._under_any(self._script)
        every = self._versions(prepared)
        own = self._prepared.subject.toolchain.version
        with open_bisection(prepared, self._show.notify) as study:
            self._show.notify(f"{why}. Looking for a release that shows it")
            version = last_affected(every, prepared, study, self._watch, self._show.notify)
        if version is not None:
            instead = f"; FlyDSL {version} is studied, the last release that shows it, in place of {own}"
            raise Elsewhere(version, instead)

    def _reduce(self, judge: Judge) -> str:
        by_hand = self._prepared.case.valid_on
        known = () if self._found is None or self._wanted.reduced is not None else self._found.neighbours
        neighbours = tuple(name for name in known if name not in by_hand)
        other = replace(self._prepared, case=replace(self._prepared.case, valid_on=neighbours))
        hold_to(judge, self._prepared, self._show.notify, insist=True)
        left_out = hold_to(judge, other, self._show.notify, insist=False)
        output = self._session.folder / f"{self._prepared.case.script.stem}.min.py"
        self.result = reducing.reduce_pinned(
            *(judge, self._prepared, self._session, self._passes, output, self._show, self._more),
            given=self._wanted.reduced,
        )
        found = self.result.to_dict()
        lines = [f"{found['statements_before']} → {found['statements_after']} statements"]
        followed = self.result.followed
        if followed is not None:
            lines.append(f"by {followed.difference.figure}")
        if followed is not None and followed.script is not None:
            lines.append(f"{followed.statements} statements with the symptom ({followed.symptom})")
        if not self.result.verified_cold:
            lines.append("NOT CONFIRMED in a fresh process")
        elif self.result.valid_on:
            lines.append(f"compiles on FlyDSL {', '.join(self.result.valid_on)}")
        if self._wanted.releases is not None and not known and self._wanted.reduced is None:
            lines.append("no release without the bug is known that it could be required to compile on")
        lines += left_out
        given = "" if self._wanted.reduced is None else f", {GIVEN}"
        return "; ".join(lines) + given

    def _releases(self) -> str:
        """By the unreduced script."""
        if self._wanted.releases is None:
            return ""
        prepared = self._under_any(self._script)
        self._every = self._versions(prepared)
        shown_on = None if self._first is None else self._prepared.subject.toolchain.version
        with open_bisection(prepared, self._show.notify, self._signature) as study:
            delete_part(self._session.folder, Part.RELEASES)
            every, find = self._every, self._wanted.find
            found = search_releases(prepared, every, study, shown_on, find, self._show)
        self._found = found
        save_part(self._session.folder, Part.RELEASES, found.to_dict())
        return "; ".join(
            f"appeared in {answer.after}, last good {answer.before}"
            if answer.rule.find is Find.BUG
            else f"fixed in {answer.after}, last affected {answer.before}"
            for answer in found.answers
        )

    def _table(self) -> str:
        """Releases by the reduced script, and by the unreduced one where that has to stand in."""
        if not self._every:
            return ""
        scripts = self._both()
        tried = [self._every[0], self._every[-1]]
        if self._found is not None:
            tried = [test.name for test in self._found.tried]
        versions = self._every if self._wanted.whole_matrix else tried
        with open_bisection(scripts.reduced, self._show.notify, self._signature) as study:
            self._show.trying_all(len(versions))
            judged, why = judging(versions, scripts, study, self._found, self._watch)
            data = table(versions, scripts, study, judged)
            data["whole"] = len(versions) == len(self._every)
            save_part(self._session.folder, Part.MATRIX, data)
            if self._wanted.variants:
                self._variants(versions, scripts, study)
        self._alone = judged.alone
        if data["unreduced"]:
            return f"judged by the unreduced script: {', '.join(data['unreduced'])}{why}"
        compared = self.result is not None and self._found is not None
        return "the reduced script says the same of the boundary" if compared else ""

    def _variants(self, versions: Sequence[str], scripts: Scripts, study: OpenBisection) -> None:
        found = []
        for argv in self._wanted.variants:
            self._show.notify(f"the unreduced script with {' '.join(argv) or 'no arguments'}")
            found.append(variant(versions, argv, scripts, study))
        save_part(self._session.folder, Part.VARIANTS, found)

    def _commits(self) -> str:
        wanted, find = self._wanted.commits, self._wanted.find
        if wanted is None:
            return ""
        if not wanted.range:
            if self._found is None:
                raise UserError(
                    "between which commits to look is not known: no boundary of releases was found; "
                    "say it with --commits A..B"
                )
            boundary = self._found.of(find)
            wanted, find = replace(wanted, range=f"v{boundary.before}..v{boundary.after}"), boundary.rule.find
        scripts = self._both()
        prepared = scripts.reduced
        commits = list_commits(wanted, prepared, self._show.notify)
        with open_bisection(prepared, self._show.notify, self._signature) as study:
            judged = falling(scripts, study, self._watch, alone=self._alone)
            self._show.bisecting(len(commits.line.candidates))
            answer, log = search_commits(wanted, commits, prepared, study, judged, find, self._show.notify)
        save_part(self._session.folder, Part.COMMITS, answer.to_dict(str(log)))
        self._note("half attribution", True, f"{answer.attribution.owner.value}: {answer.attribution.why}")
        listed_ = [f"{each.commit.short} {each.commit.subject}" for each in answer.suspects]
        found = listed_[0] if len(listed_) == 1 else answer.between
        fell = f"; by the unreduced script on {len(judged.fell)} of them" if judged.fell else ""
        by = "" if len(listed_) > 1 or answer.exact else f", {answer.exactness.value}"
        return f"{found} ({answer.test_count} tests{by}){fell}"

    def _both(self) -> Scripts:
        if self._scripts is None:
            whole = self._under_any(self._script)
            reduced = whole if self.result is None else self._under_any(self.result.output)
            other = None if self.result is None else whole
            self._scripts = Scripts(reduced, other, self._signature, self._first)
        return self._scripts

    def _versions(self, prepared: PreparedCase) -> Sequence[str]:
        pre, extra = self._wanted.pre, self._wanted.extra_index_url
        text = self._wanted.releases or ""
        return versions_in(text, prepared, pre=pre, extra_index_url=extra, notify=self._show.notify)

    def _under_any(self, script: Path) -> PreparedCase:
        """Of a script with this run's case, whatever lies beside it."""
        own, extra = self._prepared, self._wanted.extra_index_url
        judged_by = replace(own.case, oracle=self._oracle, when=self._when, figure=None)
        options = replace(judged_by, script=script, jobs=1, workdir=own.workdir)
        return prepare_for_toolchains(options, self._show.notify, extra_index_url=extra)

    def _watch(self, toolchain: Toolchain) -> None:
        self._show.trying(toolchain_name(toolchain))
