"""Bisecting commits: which one brought the bug in, or repaired it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from packaging.version import Version

from flybisect.bisect.attribution import (
    Attribution,
    Endpoint,
    Owner,
    attribute,
    with_second,
)
from flybisect.bisect.candidates import Candidates
from flybisect.bisect.commit_answer import CommitAnswer, Confirmation
from flybisect.bisect.commit_range import CommitRange
from flybisect.bisect.cost_aware import bisect_cheaply
from flybisect.bisect.endpoints import EndpointOracle, EndpointsAlike, Find
from flybisect.bisect.observer import Observer
from flybisect.bisect.release_search import wrong_way
from flybisect.bisect.repeated_runs import RepeatedRuns, rule_of_ends
from flybisect.bisect.strategies import (
    Piece,
    Python,
    Strategies,
    Strategy,
)
from flybisect.bisect.test_record import TestRecord
from flybisect.bisect.toolchain_provider import ToolchainProvider
from flybisect.errors import UserError
from flybisect.git.landmarks import Landmark
from flybisect.judge.flaky import FlakinessNotes
from flybisect.search.bisect import Ask, Found, Refused, Side, bisect
from flybisect.search.flaky_bisection import bisect_flaky
from flybisect.toolchain.model import CommitBuilder, Exactness, Toolchain, Unavailable
from flybisect.toolchain.store import Notify


class CommitSearch:
    """One search over the candidates of a line."""

    def __init__(
        self,
        line: CommitRange,
        supply: ToolchainProvider,
        observer: Observer,
        measure: EndpointOracle,
        notify: Notify,
        *,
        builder: CommitBuilder | None = None,
        allow_proxies: bool = False,
        allow_inexact: bool = False,
        cancel: Callable[[], None] = lambda: None,
        notes: FlakinessNotes | None = None,
    ) -> None:
        """`allow_proxies`: builds with another LLVM than the pinned one, though never across a change of
        the pin. `allow_inexact`: also other natives under a commit's Python. `cancel` ends builds.
        `notes`: where it is kept how often each commit was run."""
        self._line = line
        self._supply = supply
        self._observer = observer
        self._measure = measure
        self._notify = notify
        self._allow_proxies = allow_proxies
        self._allow_inexact = allow_inexact
        self._notes = notes
        ways = Strategies(line.known, builder, proxies=allow_proxies and not self._pin_changes())
        self._all = Candidates(line, supply, ways, measure, notify, cancel)

    def run(self, find: Find | None, jobs: int) -> CommitAnswer:
        """Raises UserError where an end can't be had or judged, or the two do not tell."""
        self._all.jobs = jobs
        looks = self._ends(find)
        notes = [*self._left_out_by_paths(), *self._check_older()]
        attribution = self._attribution()
        if self._all.ways.builder is not None and self._allow_proxies and not self._all.ways.proxies:
            notes.append("LLVM's pin changes in this range, so builds with another LLVM were not used")
        if self._allow_inexact:
            self._all.ways = replace(self._all.ways, lenders=self._lenders(attribution))
        notes += self._trust(attribution)
        self._all.leave_out()
        found = self._search(looks)
        culprit = self._line.candidates[found.after].first
        if found.exact and culprit.merge:
            inside = f"{culprit.short}^1..{culprit.short}^2"
            notes.append(f"{culprit.short} is a merge; `flybisect commits {inside}` looks at what it merged")
        confirmation = self._confirm(looks, found)
        tried, more = self._all.record()
        return CommitAnswer(
            line=self._line,
            rule=looks.rule,
            found=found,
            tried=tried,
            more=more,
            attribution=attribution,
            confirmation=confirmation,
            made=dict(self._supply.made),
            notes=tuple(notes),
            logs=dict(self._supply.logs),
            steadiness=looks.steadiness,
        )

    def _left_out_by_paths(self) -> list[str]:
        if not self._line.range.paths:
            return []
        told = " ".join(self._line.range.paths)
        return [f"commits that touch none of {told} were left out, whatever else they change"]

    def _ends(self, find: Find | None) -> RepeatedRuns:
        """With the ends looked at, and some more."""
        ways = [self._end_way(at) for at in (0, -1)]
        older, newer = (self._had(at, way) for at, way in zip((0, -1), ways, strict=True))
        first = self._observer.ends(older, newer)
        try:
            rule, made = rule_of_ends(self._measure, self._observer, (older, newer), first)
        except EndpointsAlike as error:
            raise UserError(f"{self._all.name(0)}..{self._all.name(-1)}: {error}") from error
        if find is not None and rule.find is not find:
            raise UserError(wrong_way(find, self._all.name(0), self._all.name(-1)))
        looks = RepeatedRuns(self._observer, rule, self._notify, self._notes)
        looks.begin(made)
        self._all.looks = looks
        for at, way, toolchain in zip((0, -1), ways, (older, newer), strict=True):
            self._all.test(at, toolchain, way)
        return looks

    def _end_way(self, at: int) -> Strategy:
        """The best; one that is not exact only with the user's word."""
        commit, inputs = self._all.at(at)
        found = self._all.ways.all(inputs, commit.hash)
        if found:
            return found[0]
        if not self._allow_inexact:
            raise UserError(
                f"the end {self._all.name(at)} {self._all.ways.why_none(commit.hash)}; take an end that has "
                "a release, or allow inexact ways with --allow-inexact"
            )
        nearest = tuple(known.mark for known in self._line.known[:1])
        found = replace(self._all.ways, lenders=nearest).all(inputs, commit.hash)
        if not found:
            raise UserError(f"the end {self._all.name(at)} {self._all.ways.why_none(commit.hash)}")
        return found[0]

    def _had(self, at: int, way: Strategy) -> Toolchain:
        commit, inputs = self._all.at(at)
        try:
            return self._supply.get(commit.hash, inputs, way)
        except Unavailable as error:
            raise UserError(f"the end {self._all.name(at)} can't be had: {error}") from error

    def _check_older(self) -> list[str]:
        """Where the older end lies on a branch of its own, it has to be as its merge base is."""
        older = self._line.range.older
        if self._line.range.base is None:
            return []
        base = f"the merge base {self._line.candidates[0].first.short}"
        inputs = self._supply.inputs(older.hash)
        exact = self._all.ways.exact(inputs, older.hash)
        if not exact:
            return [f"{older.short} is not an ancestor and can't be had; {base} stood for it"]
        try:
            toolchain = self._supply.get(older.hash, inputs, exact[0])
        except Unavailable as error:
            return [f"{older.short} is not an ancestor and can't be had ({error}); {base} stood for it"]
        side = self._all.beside(-1, older.hash, toolchain, exact[0]).side
        if side is self._all.side(0):
            return [f"{older.short} is not an ancestor of the newer end; it and {base} are {side.value}"]
        if side is Side.SKIP:
            return [f"{older.short} is not an ancestor and can't be judged; {base} stood for it"]
        raise UserError(
            f"{older.short} is {side.value}, and {base} is {self._all.side(0).value} already: the change "
            f"is between those two and not on the way to {self._line.range.newer.short}"
        )

    def _end(self, at: int) -> Endpoint:
        commit, inputs = self._all.at(at)
        marks = [known.mark for known in self._line.known if known.inputs.natives == inputs.natives]
        return Endpoint(commit.hash, inputs, self._all.side(at), marks[0] if marks else None)

    def _cross(self, end: Endpoint, mark: Landmark) -> TestRecord:
        over = f"{end.commit[:8]} over the natives of {mark.version}"
        self._notify(f"{over}, to see which half owns the change")
        return self._all.over(-1, Piece(Python(end.commit, end.inputs), mark))

    def _attribution(self) -> Attribution:
        older, newer = self._end(0), self._end(-1)
        found = attribute(older, newer, self._cross)
        if found.owner is not Owner.PYTHON or found.sure:
            return found
        return with_second(found, older, newer, self._others(found, older, newer), self._cross)

    def _others(self, found: Attribution, older: Endpoint, newer: Endpoint) -> list[Landmark]:
        """Releases with other natives than the ends', those next to the one that lends first; of these, those
        that lie beyond it, since between the ends natives may lack what Python needs."""
        in_order = sorted(self._line.known, key=lambda known: Version(known.mark.version))
        place = next((at for at, known in enumerate(in_order) if known.mark in found.lenders), 0)
        later = newer.natives in found.lenders
        near = sorted(range(len(in_order)), key=lambda at: ((at > place) is not later, abs(at - place)))
        seen = {older.inputs.natives, newer.inputs.natives}
        others = []
        for known in (in_order[at] for at in near):
            if known.inputs.natives not in seen:
                seen.add(known.inputs.natives)
                others.append(known.mark)
        return others

    def _trust(self, attribution: Attribution) -> list[str]:
        """Uses what the crossed halves of the ends showed for the commits between them; says what for."""
        if attribution.owner is Owner.PYTHON:
            label = Exactness.BOTH_NATIVES if attribution.sure else Exactness.TWO_NATIVES
            natives = attribution.natives
            self._all.ways = replace(self._all.ways, both_natives=natives, natives_label=label)
            return []
        if attribution.owner is not Owner.NATIVE or not attribution.sure:
            return []
        pythons = (Python(commit.hash, inputs) for commit, inputs in (self._all.at(0), self._all.at(-1)))
        self._all.ways = replace(self._all.ways, both_pythons=tuple(pythons))
        before = len(self._all)
        self._line = self._line.by_natives()
        self._all.regroup(self._line)
        if len(self._all) == before:
            return []
        return [
            "the change follows the natives, so commits whose natives are built of the same count as one: "
            f"{before} candidates became {len(self._all)}"
        ]

    def _lenders(self, attribution: Attribution) -> tuple[Landmark, ...]:
        """Whose natives to put under commits that can't be had exactly."""
        if attribution.owner is Owner.UNKNOWN and not attribution.cells:
            return tuple(known.mark for known in self._line.known[:1])
        if not attribution.lenders:
            self._notify("other natives under a commit's Python would not show this change: none are used")
        return attribution.lenders

    def _search(self, looks: RepeatedRuns) -> Found:
        count = len(self._all)

        def search(ask: Ask, known: Mapping[int, Side]) -> Found | Refused:
            if self._all.jobs == 1:
                return bisect_cheaply(count, ask, self._all.costs_a_build, known)
            return bisect(count, ask, known=known, jobs=self._all.jobs)

        found = bisect_flaky(count, search, self._all)
        looks.check_ends()
        if not isinstance(found, Found):
            raise UserError(f"{self._all.name(0)}..{self._all.name(-1)}: {found.why.value}")
        return found

    def _confirm(self, looks: RepeatedRuns, found: Found) -> Confirmation:
        """A culprit that was found inexactly is tried once more, with its parent, by exact ways."""
        if not found.exact:
            return Confirmation(False, "the answer is a range")
        pair = found.before, found.after
        inexact = [at for at in pair if not self._all.is_exact(at)]
        for at in inexact:
            commit, inputs = self._all.at(at)
            crossed = bool(self._all.tried[at].pieces)
            exact = [
                way
                for way in self._all.ways.exact(inputs, commit.hash)
                if not (crossed and way.kind != "source")  # Tried before, to no end.
            ]
            if not exact and crossed:
                continue
            if not exact:
                why = f"{commit.short} {self._all.ways.why_none(commit.hash)}"
                return Confirmation(False, why + self._natives_apart(*pair))
            try:
                toolchain = self._supply.get(commit.hash, inputs, exact[0])
            except Unavailable as error:
                if crossed:
                    continue
                return Confirmation(False, f"{commit.short} can't be had exactly: {error}")
            expected = self._all.side(at)
            looks.again(toolchain)
            side = self._all.test(at, toolchain, exact[0])
            if side is not expected:
                told = f"{side.value}, not {expected.value}"
                return Confirmation(False, f"{commit.short} is {told}, where it was had exactly")
        return self._parent_too(found) or self._confirmed(inexact, pair)

    def _confirmed(self, inexact: Sequence[int], pair: tuple[int, int]) -> Confirmation:
        labels = {self._all.tried[at].evidence for at in pair}
        over = " and of ".join(mark.version for mark in self._all.ways.both_natives)
        if Exactness.TWO_NATIVES in labels:
            why = f"it and its parent have these verdicts over the natives of {over}"
            more = "those of the other end do not work under its Python, and may have had to change first"
            return Confirmation(False, f"{why}; {more}")
        if Exactness.BOTH_NATIVES in labels:
            return Confirmation(True, "it and its parent have these verdicts over the natives of either end")
        if Exactness.BOTH_PYTHONS in labels:
            why = "the natives of it and of its parent have these verdicts under the Python of either end"
            return Confirmation(True, why)
        again = "once more " if inexact else ""
        return Confirmation(True, f"it and its parent were tried {again}by exact ways")

    def _parent_too(self, found: Found) -> Confirmation | None:
        """Where Python does not make another candidate, the parent is not the commit that was tested."""
        last = self._line.candidates[found.before].last
        tested = self._all.at(found.before)[0]
        inputs = self._supply.inputs(last.hash)
        if last == tested or inputs == self._supply.inputs(tested.hash):
            return None
        ways = [way for way in self._all.ways.exact(inputs, last.hash) if way.kind != "source"]
        if not ways:
            return None
        try:
            toolchain = self._supply.get(last.hash, inputs, ways[0])
        except Unavailable:
            return None
        beside = self._all.beside(found.before, last.hash, toolchain, ways[0])
        expected = self._all.side(found.before)
        if beside.side in (expected, Side.SKIP):
            return None
        return Confirmation(False, f"its parent {last.short} is {beside.side.value}, not {expected.value}")

    def _natives_apart(self, before: int, after: int) -> str:
        """A caution where a culprit and its parent were tested over natives of different releases, or one of
        them as a proxy, with another LLVM."""
        toolchains = [self._all.tried[at].toolchain for at in (before, after)]
        ways = [self._supply.made[each.key][0] for each in toolchains if each is not None]
        lent = {(way.release, way.exactness is Exactness.PROXY) for way in ways}
        return "; it and its parent were tested over different natives, which may be the change" * (
            len(lent) > 1
        )

    def _pin_changes(self) -> bool:
        """With one LLVM for all, what another LLVM changes would be blamed on some commit near by."""
        pins = {candidate.inputs.llvm_pin for candidate in self._line.candidates}
        return len(pins) > 1
