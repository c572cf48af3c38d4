"""The steps of a run, one after the other. What can't be done says why, and the rest goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from flybisect.bisect.around import Around, search_around
from flybisect.bisect.endpoints import Find
from flybisect.bisect.release_search import ReleaseSearch
from flybisect.bisect.repeated_runs import toolchain_name
from flybisect.case.flattened_script import FlattenedScript
from flybisect.case.request import CaseRequest
from flybisect.case.script_file import read_script
from flybisect.case.variables import say_missing
from flybisect.errors import UserError
from flybisect.judge.judge import Judge
from flybisect.observation import Signature
from flybisect.oracle.failure_line import failure_line
from flybisect.oracle.plugin import Evidence
from flybisect.oracle.registry import listing
from flybisect.oracle.signatures import classify
from flybisect.reduce.hint import Pass
from flybisect.reduce.reducer import Reduction
from flybisect.session.parts import Part, delete_part, save_part
from flybisect.session.session import Session
from flybisect.toolchain.model import Toolchain
from flybisect.workflows import reduce as reducing
from flybisect.workflows.bisection import OpenBisection, open_bisection, versions_in
from flybisect.workflows.commits import list_commits, search_commits
from flybisect.workflows.curve import Curve
from flybisect.workflows.fallback import WatchedObserver
from flybisect.workflows.findings import GIVEN, RunStep
from flybisect.workflows.flattened import files_note, notes
from flybisect.workflows.last_affected import Elsewhere, last_affected
from flybisect.workflows.neighbours import hold_to
from flybisect.workflows.prepare import PreparedCase, PreparedReduction, prepare_for_toolchains
from flybisect.workflows.run_options import RunOptions
from flybisect.workflows.run_progress import Showing
from flybisect.workflows.run_releases import (
    Scripts,
    falling,
    judging,
    table,
    variant,
)

Header = Callable[[PreparedReduction, Path], reducing.Heading]


class RunWorkflow:
    """One run in its session. `all` may be called once."""

    def __init__(
        self,
        bench: PreparedReduction,
        session: Session,
        request: CaseRequest,
        asked: RunOptions,
        passes: Sequence[Pass],
        heading: Header,
        show: Showing,
        instead: str = "",
    ) -> None:
        """`request`: the words that `bench` was made of. `instead`: why this FlyDSL is studied in place of
        the one that was asked for."""
        self._bench = bench
        self._session = session
        self._request = request
        self._asked = asked
        self._passes = passes
        self._heading = heading
        self._show = show
        self._instead = instead
        self._first: Evidence | None = None
        """What the unreduced script shows; None where that is not interesting."""
        self._signature: Signature | None = None
        self._oracle = bench.case.oracle
        self._found: Around | None = None
        self._every: Sequence[str] = ()
        self._scripts: Scripts | None = None
        self._alone = False
        """The reduced script tells the releases apart otherwise than the unreduced one, which judges then."""
        self.steps: list[RunStep] = []
        self.result: reducing.Result | None = None

    def all(self) -> None:
        """Only what ends the whole run comes through: an interruption, a full disk; and Elsewhere."""
        with self._bench.judge(self._session.journal) as judge:
            judge.flakiness.notify = self._show.notify
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

    def _note(self, name: str, done: bool, told: str) -> None:
        if told:
            self.steps.append(RunStep(name, done, told))
            self._show.ended(self.steps[-1])
            save_part(self._session.folder, Part.STEPS, [vars(step) for step in self.steps])

    def _check(self, judge: Judge) -> str:
        bench = self._bench
        try:
            verdict = reducing.check(judge, bench.source, bench.case.script.name, listing().plugins)
        except reducing.Uninteresting as error:
            seen = None if judge.first is None else classify(judge.first.subject)
            lacking = seen is not None and seen.kind == "setup"  # and would be under any FlyDSL
            if self._asked.releases is not None and not self._instead and not lacking:
                self._look_elsewhere(str(error))
            raise
        finally:
            say_missing(judge.unset, self._show.notify)
        assert judge.first is not None
        self._first, self._signature = judge.first, judge.signature
        self._oracle = judge.oracle.name if bench.case.oracle == "auto" else bench.case.oracle
        return f"{verdict.answer.value}: {failure_line(judge.first.subject) or verdict.why}{self._instead}"

    def _look_elsewhere(self, why: str) -> None:
        """Raises Elsewhere where another release shows the bug."""
        stand = self._stand(self._request.script)
        every = self._versions(stand)
        own = self._bench.subject.toolchain.version
        with open_bisection(stand, self._show.notify) as study:
            self._show.notify(f"{why}. Looking for a release that shows it")
            version = last_affected(every, stand, study, self._watch, self._show.notify)
        if version is not None:
            told = f"; FlyDSL {version} is studied, the last release that shows it, in place of {own}"
            raise Elsewhere(version, told)

    def _reduce(self, judge: Judge) -> str:
        by_hand = self._bench.case.valid_on
        known = () if self._found is None or self._asked.reduced is not None else self._found.neighbours
        neighbours = tuple(name for name in known if name not in by_hand)
        bench = replace(self._bench, case=replace(self._bench.case, valid_on=neighbours))
        hold_to(judge, self._bench, self._show.notify, insist=True)
        left_out = hold_to(judge, bench, self._show.notify, insist=False)
        judge.measure_flakiness(bench.source)
        self.result = self._reduced(judge)
        found = self.result.to_dict()
        told = [f"{found['statements_before']} → {found['statements_after']} statements"]
        if not self.result.verified_cold:
            told.append("NOT CONFIRMED in a fresh process")
        elif self.result.valid_on:
            told.append(f"compiles on FlyDSL {', '.join(self.result.valid_on)}")
        if self._asked.releases is not None and not known and self._asked.reduced is None:
            told.append("no release without the bug is known that it could be required to compile on")
        told += left_out
        given = "" if self._asked.reduced is None else f", {GIVEN}"
        return "; ".join(told) + given

    def _reduced(self, judge: Judge) -> reducing.Result:
        """Where an earlier run had come to its end, the journal answers all but the cold run."""
        bench, session = self._bench, self._session
        one = reducing.flattened(judge, bench.script)
        for note in (*notes(one), *files_note(reducing.files_beside(judge, one))):
            self._show.notify(note)
        if self._asked.reduced is not None:
            return self._given(judge, one, read_script(self._asked.reduced, self._asked.reduced))
        output = self._output()
        with self._show.reduction(judge, one.source, self._passes) as show:
            drawn = Curve(session.folder, judge, one.source)
            try:
                found = reducing.search(judge, session, one.source, self._passes, drawn.noting(show.step))
            finally:
                drawn.save()
            show.verifying(found.text)
            met = tuple(each.setting.toolchain.spec for each in judge.required)
            case = replace(bench.case, oracle=self._oracle, valid_on=met)
            heading = self._heading(replace(bench, case=case, script=one), output)
            return reducing.finish(judge, session, one.source, found, output, heading)

    def _given(self, judge: Judge, one: FlattenedScript, text: str) -> reducing.Result:
        """A script that was reduced elsewhere. Raises UserError where it does not show the bug."""
        verdict = judge.judge(text)
        if not verdict.interesting:
            raise UserError(f"{self._asked.reduced} does not show the bug of the script: {verdict.why}")
        self._session.save_best(text)
        output = self._output()
        heading = self._heading(replace(self._bench, script=one), output)
        return reducing.finish(
            judge, self._session, one.source, Reduction(text, minimal=False), output, heading
        )

    def _output(self) -> Path:
        return self._session.folder / f"{self._bench.case.script.stem}.min.py"

    def _releases(self) -> str:
        """By the unreduced script."""
        if self._asked.releases is None:
            return ""
        stand, notify = self._stand(self._request.script), self._show.notify
        self._every = self._versions(stand)
        shown_on = None if self._first is None else self._bench.subject.toolchain.version
        with open_bisection(stand, notify, self._signature) as study:
            self._show.bisecting(len(self._every))
            observer = WatchedObserver(study.observer, self._watch)
            journal = study.session.journal

            def searching(part: Sequence[str]) -> ReleaseSearch:
                return ReleaseSearch(part, stand.toolchains, observer, study.measure, notify, journal)

            delete_part(self._session.folder, Part.RELEASES)
            found = search_around(searching, self._every, shown_on, self._asked.find, stand.jobs)
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
        versions = self._every if self._asked.whole_matrix else tried
        with open_bisection(scripts.reduced, self._show.notify, self._signature) as study:
            self._show.trying_all(len(versions))
            judged, told = judging(versions, scripts, study, self._found, self._watch)
            data = table(versions, scripts, study, judged)
            data["whole"] = len(versions) == len(self._every)
            save_part(self._session.folder, Part.MATRIX, data)
            if self._asked.variants:
                self._variants(versions, scripts, study)
        self._alone = judged.alone
        if data["unreduced"]:
            return f"judged by the unreduced script: {', '.join(data['unreduced'])}{told}"
        compared = self.result is not None and self._found is not None
        return "the reduced script says the same of the boundary" if compared else ""

    def _variants(self, versions: Sequence[str], scripts: Scripts, study: OpenBisection) -> None:
        found = []
        for argv in self._asked.variants:
            self._show.notify(f"the unreduced script with {' '.join(argv) or 'no arguments'}")
            found.append(variant(versions, argv, scripts, study))
        save_part(self._session.folder, Part.VARIANTS, found)

    def _commits(self) -> str:
        asked, find = self._asked.commits, self._asked.find
        if asked is None:
            return ""
        if not asked.range:
            if self._found is None:
                raise UserError(
                    "between which commits to look is not known: no boundary of releases was found; "
                    "say it with --commits A..B"
                )
            boundary = self._found.of(find)
            asked, find = replace(asked, range=f"v{boundary.before}..v{boundary.after}"), boundary.rule.find
        scripts = self._both()
        stand = scripts.reduced
        commits = list_commits(asked, stand, self._show.notify)
        with open_bisection(stand, self._show.notify, self._signature) as study:
            judged = falling(scripts, study, self._watch, alone=self._alone)
            self._show.bisecting(len(commits.line.candidates))
            answer, log = search_commits(asked, commits, stand, study, judged, find, self._show.notify)
        save_part(self._session.folder, Part.COMMITS, answer.to_dict(str(log)))
        self._note("half attribution", True, f"{answer.attribution.owner.value}: {answer.attribution.why}")
        listed_ = [f"{each.commit.short} {each.commit.subject}" for each in answer.suspects]
        told = listed_[0] if len(listed_) == 1 else answer.between
        fell = f"; by the unreduced script on {len(judged.fell)} of them" if judged.fell else ""
        by = "" if len(listed_) > 1 or answer.exact else f", {answer.exactness.value}"
        return f"{told} ({answer.test_count} tests{by}){fell}"

    def _both(self) -> Scripts:
        if self._scripts is None:
            whole = self._stand(self._request.script)
            reduced = whole if self.result is None else self._stand(self.result.output)
            other = None if self.result is None else whole
            self._scripts = Scripts(reduced, other, self._signature, self._first)
        return self._scripts

    def _versions(self, stand: PreparedCase) -> Sequence[str]:
        pre, extra = self._asked.pre, self._asked.extra_index_url
        text = self._asked.releases or ""
        return versions_in(text, stand, pre=pre, extra_index_url=extra, notify=self._show.notify)

    def _stand(self, script: Path) -> PreparedCase:
        """Of a script with this run's case, whatever lies beside it."""
        case = self._bench.case
        request = replace(
            self._request,
            script=script,
            argv=case.argv,
            env=case.env,
            arch=case.arch,
            flydsl=None,
            oracle=self._oracle,
            against=case.against,
            when=case.when,
            timeout=case.timeout,
            memory=case.memory,
            sought=case.sought,
            jobs=1,
        )
        return prepare_for_toolchains(request, self._show.notify, extra_index_url=self._asked.extra_index_url)

    def _watch(self, toolchain: Toolchain) -> None:
        self._show.trying(toolchain_name(toolchain))
