"""The bisector, over releases and over commits.

It tests both endpoints first, then searches between them: entries that are untestable are skipped, cheap ones
are preferred to costly ones, several may be tested at once, and flaky ones are run as often as they need.
The two entries of the answer are verified by more runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from flybisect.bisect.answer import Answer
from flybisect.bisect.endpoints import EndpointOracle, EndpointsAlike, Find, shows
from flybisect.bisect.entry import Attempt, Entry
from flybisect.bisect.observer import Observer
from flybisect.bisect.repeated_runs import RepeatedRuns, rule_of_ends
from flybisect.bisect.test_record import TestRecord, agreed, combined, in_order, untestable
from flybisect.errors import UserError
from flybisect.judge.flaky import FlakinessNotes
from flybisect.oracle.plugin import Evidence
from flybisect.search.bisect import Found, Side
from flybisect.search.flaky_bisection import bisect_flaky
from flybisect.search.parallel_map import each
from flybisect.toolchain.model import Toolchain, Unavailable
from flybisect.toolchain.store import Notify, silent


class NoBoundary(UserError):
    """The endpoints are not one good and one bad."""


@dataclass(frozen=True)
class _Endpoint:
    attempt: Attempt
    toolchain: Toolchain
    evidence: Evidence


class Bisector:
    """One search. Call `check_endpoints`, then `search`; entries are called by their place, oldest first."""

    runs: RepeatedRuns
    """There once the endpoints were checked, with the rule that they gave."""

    def __init__(
        self,
        entries: Sequence[Entry],
        observer: Observer,
        measure: EndpointOracle,
        notify: Notify = silent,
        *,
        jobs: int = 1,
        notes: FlakinessNotes | None = None,
        cancel: Callable[[], None] = lambda: None,
    ) -> None:
        """`notes`: where the number of runs of each FlyDSL is kept for the next search. `cancel` ends
        builds."""
        self.entries = entries
        self._observer = observer
        self._measure = measure
        self._notify = notify
        self._jobs = jobs
        self._notes = notes
        self._cancel = cancel
        self._left_out: list[TestRecord] = []
        """Beyond the endpoints."""
        self.tried: dict[int, TestRecord] = {}
        """The last test of each entry."""
        self.more: list[TestRecord] = []
        """Tests beside those."""

    def check_endpoints(self, find: Find | None, *, narrow: bool = False) -> None:
        """`narrow`: an endpoint that can't be judged is left out, and its neighbour takes its place. Raises
        UserError where the endpoints do not differ, or differ the other way than `find`."""
        ends = self._observed_endpoints()
        if narrow:
            ends = self._narrowed(*ends)
        older, newer = ends
        toolchains, seen = (older.toolchain, newer.toolchain), (older.evidence, newer.evidence)
        try:
            rule, made = rule_of_ends(self._measure, self._observer, toolchains, seen)
        except EndpointsAlike as error:
            raise self._no_boundary(str(error)) from error
        if find is not None and rule.find is not find:
            raise UserError(wrong_way(find, self.entries[0].label, self.entries[-1].label))
        self.runs = RepeatedRuns(self._observer, rule, self._notify, self._notes)
        self.runs.begin(made)
        for at, end in ((0, older), (len(self.entries) - 1, newer)):
            self.keep(self._judged(at, end.attempt, end.toolchain))

    def search(self) -> Found:
        """Where the verdict changes. Raises UserError where the endpoints turn out to be alike."""
        found = bisect_flaky(
            len(self.entries), self, jobs=self._jobs, costly=lambda at: self.entries[at].costly
        )
        self.runs.check_endpoints()
        if not isinstance(found, Found):
            raise self._no_boundary(found.why.value)
        return found

    def answer(self, found: Found) -> Answer:
        """What the search came to."""
        tried = tuple(map(self._updated, [*self._left_out, *self.tried.values()]))
        more = tuple(map(self._updated, self.more))
        pieces = (piece for record in (*tried, *more) for piece in record.pieces[1:])
        return Answer(
            rule=self.runs.rule,
            found=found,
            names=tuple(entry.name for entry in self.entries),
            tried=tried,
            more=(*more, *(piece for piece in pieces if piece.observation is not None)),
            flakiness=self.runs.flakiness,
        )

    def ask(self, places: Sequence[int]) -> Sequence[Side]:
        """What they are, tested where that is not known."""
        return each(self._test, places, self._jobs, self._cancel)

    def repeat(self, at: int) -> None:
        """Run one some more by the attempt that was made."""
        record = self.tried[at]
        for toolchain in record.toolchains:
            self.runs.repeat(toolchain)
        self.tried[at] = self._updated(record)

    def known(self) -> Mapping[int, Side]:
        """What needs no run."""
        sides = {at: self._settled(record) for at, record in self.tried.items()}
        return {at: side for at, side in sides.items() if side is not None}

    def try_out(self, at: int, attempt: Attempt) -> TestRecord:
        """One test of the entry `at`, which is not kept. `toolchain` is None where it can't be obtained."""
        if attempt.pieces:
            return self._agreement(at, attempt)
        try:
            toolchain = attempt.obtain()
        except Unavailable as error:
            return untestable(at, attempt.name, str(error), attempt.way)
        return self._judged(at, attempt, toolchain)

    def keep(self, record: TestRecord) -> TestRecord:
        """As the last test of its entry. Another test of the same entry is kept beside."""
        before = self.tried.get(record.at)
        same = before is not None and (before.toolchain, before.way) == (record.toolchain, record.way)
        if before is not None and before.observation is not None and not same:
            self.more.append(before)
        self.tried[record.at] = record
        return record

    def beside(self, at: int, attempt: Attempt) -> TestRecord:
        """A test of another commit than the one that stands for the entry `at`."""
        record = self.try_out(at, attempt)
        if record.observation is not None:
            self.more.append(record)
        return record

    def skip_untestable(self) -> None:
        """Entries without any attempt are known without a test."""
        for at, entry in enumerate(self.entries):
            if at not in self.tried and not entry.attempts():
                self.tried[at] = untestable(at, entry.name, entry.why_none())

    def regroup(self, entries: Sequence[Entry]) -> None:
        """Other entries between the same endpoints, which alone were tested."""
        older, newer = self.tried[0], self.tried[len(self.entries) - 1]
        self.entries = entries
        self.tried = {0: older, len(entries) - 1: replace(newer, at=len(entries) - 1)}

    def _test(self, at: int) -> Side:
        """By the best attempt; where that does not let it be judged, by the next one."""
        record = self.tried.get(at)
        if record is not None and record.side is not Side.SKIP and record.toolchain is not None:
            for toolchain in record.toolchains:
                self.runs.judged(toolchain)
            self.tried[at] = self._updated(record)
            return self.tried[at].side
        for attempt in self.entries[at].attempts():
            if self.keep(self.try_out(at, attempt)).side is not Side.SKIP:
                break
        return self.tried[at].side

    def _agreement(self, at: int, attempt: Attempt) -> TestRecord:
        """By pieces that have to agree; the next one is tested only where those before could be judged."""
        pieces: list[TestRecord] = []
        for piece in attempt.pieces:
            pieces.append(self.try_out(at, piece))
            if pieces[-1].side is Side.SKIP:
                break
        return combined(attempt.name, pieces, attempt.way, attempt.exactness)

    def _judged(self, at: int, attempt: Attempt, toolchain: Toolchain) -> TestRecord:
        side, verdict, evidence, tally = self.runs.judged(toolchain)
        said = shows(self._measure, evidence)
        self._notify(
            f"{attempt.name[:12]} ({attempt.way}, {attempt.exactness.value}): {side.value}, it {said}"
        )
        return TestRecord(at, attempt.name, side, verdict, evidence.subject, toolchain, attempt.way, tally)

    def _updated(self, record: TestRecord) -> TestRecord:
        """With what was seen since; nothing is run for it."""
        if not record.pieces or record.evidence is None:
            return self.runs.updated(record)
        if record.pieces[-1].side is Side.SKIP:
            return record
        pieces = [self.runs.updated(piece) for piece in record.pieces]
        return combined(record.name, pieces, record.way, record.evidence)

    def _settled(self, record: TestRecord) -> Side | None:
        if record.pieces:
            if record.pieces[-1].side is Side.SKIP:
                return Side.SKIP
            sides = [self._settled(piece) for piece in record.pieces]
            known = [side for side in sides if side is not None]
            return agreed(known) if len(known) == len(sides) else None
        return record.side if record.toolchain is None else self.runs.side(record.toolchain)

    def _observed_endpoints(self) -> tuple[_Endpoint, _Endpoint]:
        older, newer = (self._obtained(at) for at in (0, -1))
        seen = self._observer.ends(older[1], newer[1])
        return _Endpoint(*older, seen[0]), _Endpoint(*newer, seen[1])

    def _obtained(self, at: int) -> tuple[Attempt, Toolchain]:
        """By the best attempt."""
        entry = self.entries[at]
        attempts = entry.attempts()
        if not attempts:
            raise UserError(f"the endpoint {entry.label} {entry.why_none()}")
        try:
            return attempts[0], attempts[0].obtain()
        except Unavailable as error:
            raise UserError(f"the endpoint {entry.label} is unavailable: {error}") from error

    def _narrowed(self, older: _Endpoint, newer: _Endpoint) -> tuple[_Endpoint, _Endpoint]:
        """The outermost entries that can be judged: an old release may lack what the script calls."""
        first, last = 0, len(self.entries) - 1
        while first < last and not self._measure.usable(older.evidence):
            self._leave_out(first, older)
            first += 1
            older = self._observed(first) if first < last else newer
        while first < last and not self._measure.usable(newer.evidence):
            self._leave_out(last, newer)
            last -= 1
            newer = self._observed(last) if first < last else older
        self.entries = self.entries[first : last + 1]
        self._left_out = [replace(record, at=record.at - first) for record in self._left_out]
        return older, newer

    def _observed(self, at: int) -> _Endpoint:
        attempt, toolchain = self._obtained(at)
        return _Endpoint(attempt, toolchain, self._observer.observe(toolchain))

    def _leave_out(self, at: int, end: _Endpoint) -> None:
        why = f"an endpoint that can't be judged: it {shows(self._measure, end.evidence)}"
        record = untestable(at, end.attempt.name, why, end.attempt.way)
        self._left_out.append(replace(record, observation=end.evidence.subject, toolchain=end.toolchain))

    def _no_boundary(self, reason: str) -> NoBoundary:
        text = f"no boundary between {self.entries[0].label} and {self.entries[-1].label}: {reason}"
        skipped = _ranges([*self._left_out, *self.tried.values()])
        return NoBoundary(f"{text}; skipped as untestable: {', '.join(skipped)}" if skipped else text)


def _ranges(records: Iterable[TestRecord]) -> list[str]:
    """Skipped neighbours with the same reason as one."""

    def why(record: TestRecord) -> str:
        return record.signature or record.verdict.why

    skipped = [record for record in in_order(records) if record.side is Side.SKIP]
    runs = ((reason, list(run)) for reason, run in groupby(skipped, why))
    return [
        f"{run[0].name}..{run[-1].name} ({reason})" if len(run) > 1 else f"{run[0].name} ({reason})"
        for reason, run in runs
    ]


def wrong_way(find: Find, older: str, newer: str) -> str:
    """The sentence for endpoints that show the opposite of what is looked for."""
    if find is Find.BUG:
        return f"the bug is in {older} and not in {newer}, so it was fixed between them: use --find fix"
    return f"the bug is in {newer} and not in {older}, so it appeared between them: use --find bug"
