"""The steps of a run, one after the other. What can't be done says why, and the rest goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from flybisect import reducing
from flybisect.bisecting.asked import listed, search_commits
from flybisect.bisecting.looks import called
from flybisect.bisecting.start import open_study, versions_in
from flybisect.errors import UserError
from flybisect.findings.curve import Curve
from flybisect.findings.model import GIVEN, Step
from flybisect.findings.stored import Part, keep
from flybisect.judge import Judge
from flybisect.observation import Signature
from flybisect.onescript import OneScript
from flybisect.plugins import listing
from flybisect.reduce.hint import Pass
from flybisect.reduce.reducer import Reduction
from flybisect.report.failure import failure_line
from flybisect.report.flattened import files_note, notes
from flybisect.request import Request
from flybisect.running.asked import Asked
from flybisect.running.releases import Scripts, bisect_releases, falling, table, variant
from flybisect.running.shown import Showing
from flybisect.scriptfile import read_script
from flybisect.session import Session
from flybisect.toolchain.model import Toolchain
from flybisect.variables import say_missing
from flybisect.workbench import Bench, Stand, set_up

Header = Callable[[Bench, Path], reducing.Heading]


class Conductor:
    """One run in its session. `all` may be called once."""

    def __init__(
        self,
        bench: Bench,
        session: Session,
        request: Request,
        asked: Asked,
        passes: Sequence[Pass],
        heading: Header,
        show: Showing,
    ) -> None:
        """`request`: the words that `bench` was made of."""
        self._bench = bench
        self._session = session
        self._request = request
        self._asked = asked
        self._passes = passes
        self._heading = heading
        self._show = show
        self._signature: Signature | None = None
        self._oracle = bench.case.oracle
        self._scripts: Scripts | None = None
        self._boundary: tuple[str, str] | None = None
        self._versions: Sequence[str] = ()
        self.steps: list[Step] = []
        self.result: reducing.Result | None = None

    def all(self) -> None:
        """Only what ends the whole run comes through: an interruption, a full disk."""
        for name, do in (
            ("reduce", self._reduce),
            ("releases", self._releases),
            ("commits", self._commits),
        ):
            self._show.begin(name)
            try:
                self._note(name, True, do())
            except UserError as error:
                self._note(name, False, str(error))

    def _note(self, name: str, done: bool, told: str) -> None:
        if told:
            self.steps.append(Step(name, done, told))
            self._show.ended(self.steps[-1])
            keep(self._session.folder, Part.STEPS, [vars(step) for step in self.steps])

    def _reduce(self) -> str:
        bench, session = self._bench, self._session
        with bench.judge(session.journal) as judge:
            judge.repeats.notify = self._show.notify
            try:
                verdict = reducing.pin(judge, bench.source, bench.case.script.name, listing().plugins)
            finally:
                say_missing(judge.unset, self._show.notify)
            self._signature = judge.signature
            self._oracle = judge.oracle.name if bench.case.oracle == "auto" else bench.case.oracle
            assert judge.first is not None
            shown = failure_line(judge.first.subject) or verdict.why
            self._note("check", True, f"{verdict.answer.value}: {shown}")
            self.result = self._reduced(judge)
        found = self.result.to_dict()
        given = "" if self._asked.reduced is None else f", {GIVEN}"
        verified = "" if self.result.verified_cold else "; NOT CONFIRMED in a fresh process"
        return f"{found['statements_before']} → {found['statements_after']} statements{verified}{given}"

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
            case = replace(bench.case, oracle=self._oracle)
            heading = self._heading(replace(bench, case=case, script=one), output)
            return reducing.finish(judge, session, one.source, found, output, heading)

    def _given(self, judge: Judge, one: OneScript, text: str) -> reducing.Result:
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
        if self._asked.releases is None:
            return ""
        scripts = self._both()
        stand = scripts.reduced
        pre, extra = self._asked.pre, self._asked.extra_index_url
        every = versions_in(
            self._asked.releases, stand, pre=pre, extra_index_url=extra, notify=self._show.notify
        )
        with open_study(stand, self._show.notify) as study:
            told, refused = "", None
            judged = falling(scripts, study, self._watch)
            versions: Sequence[str] = [every[0], every[-1]]
            try:
                self._show.bisecting(len(every))
                find, notify = self._asked.find, self._show.notify
                answer, judged, agrees = bisect_releases(every, scripts, study, find, self._watch, notify)
                self._boundary = answer.before, answer.after
                keep(self._session.folder, Part.RELEASES, answer.to_dict())
                versions = [name for name in every if name in {test.name for test in answer.tried}]
                word = "came with" if answer.rule.find.value == "bug" else "went with"
                told = f"it {word} {answer.after}; {answer.before} is the last before{agrees}"
            except UserError as error:
                refused = error
            self._versions = every if self._asked.whole_matrix else versions
            self._show.trying_all(len(self._versions))
            data = table(self._versions, stand, study, judged)
            data["whole"] = len(self._versions) == len(every)
            keep(self._session.folder, Part.MATRIX, data)
            if self._asked.variants:
                self._variants(scripts, study)
        if data["unreduced"]:
            fell = f"judged by the unreduced script: {', '.join(data['unreduced'])}"
            self._note("releases, by the unreduced script", True, fell)
        if refused is not None:
            raise refused
        return told

    def _variants(self, scripts: Scripts, study: Any) -> None:
        found = []
        for argv in self._asked.variants:
            self._show.notify(f"the unreduced script with {' '.join(argv) or 'no arguments'}")
            found.append(variant(self._versions, argv, scripts, study))
        keep(self._session.folder, Part.VARIANTS, found)

    def _commits(self) -> str:
        asked = self._asked.commits
        if asked is None:
            return ""
        if not asked.range:
            if self._boundary is None:
                raise UserError(
                    "between which commits to look is not known: no boundary of releases was found; "
                    "say it with --commits A..B"
                )
            asked = replace(asked, range=f"v{self._boundary[0]}..v{self._boundary[1]}")
        scripts = self._both()
        stand = scripts.reduced
        commits = listed(asked, stand, self._show.notify)
        with open_study(stand, self._show.notify) as study:
            judged = falling(scripts, study, self._watch)
            self._show.bisecting(len(commits.line.candidates))
            answer, log = search_commits(
                asked, commits, stand, study, judged, self._asked.find, self._show.notify
            )
        keep(self._session.folder, Part.COMMITS, answer.to_dict(str(log)))
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
            self._scripts = Scripts(reduced, None if self.result is None else whole, self._signature)
        return self._scripts

    def _stand(self, script: Path) -> Stand:
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
        return set_up(request, self._show.notify, extra_index_url=self._asked.extra_index_url)

    def _watch(self, toolchain: Toolchain) -> None:
        self._show.trying(called(toolchain))
