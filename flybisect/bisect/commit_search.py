"""Bisecting commits: in which one the bug appeared, or was fixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from packaging.version import Version

from flybisect.bisect.attribution import (
    Attribution,
    Endpoint,
    Owner,
    attribute,
    with_second,
)
from flybisect.bisect.bisector import Bisector
from flybisect.bisect.commit_answer import CommitAnswer, Confirmation
from flybisect.bisect.commit_entry import CommitEntry
from flybisect.bisect.commit_range import CommitRange
from flybisect.bisect.endpoints import EndpointOracle, Find
from flybisect.bisect.observer import Observer
from flybisect.bisect.strategies import (
    Piece,
    Python,
    Strategies,
)
from flybisect.bisect.test_record import TestRecord
from flybisect.bisect.toolchain_provider import ToolchainProvider
from flybisect.errors import UserError
from flybisect.git.landmarks import Landmark
from flybisect.judge.flaky import FlakinessNotes
from flybisect.search.bisect import Found, Side
from flybisect.toolchain.model import CommitBuilder, Exactness
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
        `notes`: where the number of runs of each commit is kept."""
        self._line = line
        self._supply = supply
        self._observer = observer
        self._measure = measure
        self._notify = notify
        self._allow_proxies = allow_proxies
        self._allow_inexact = allow_inexact
        self._cancel = cancel
        self._notes = notes
        self._strategies = Strategies(line.known, builder, proxies=allow_proxies and not self._pin_changes())

    def run(self, find: Find | None, jobs: int) -> CommitAnswer:
        """Raises UserError where an endpoint is unavailable or can't be judged, or the two do not differ."""
        self._bisector = Bisector(
            self._endpoints(),
            self._observer,
            self._measure,
            self._notify,
            jobs=jobs,
            notes=self._notes,
            cancel=self._cancel,
        )
        self._bisector.check_endpoints(find)
        self._use(self._strategies)
        notes = [*self._left_out_by_paths(), *self._check_older()]
        attribution = self._attribution()
        if self._strategies.builder is not None and self._allow_proxies and not self._strategies.proxies:
            notes.append("LLVM's pin changes in this range, so builds with another LLVM were not used")
        if self._allow_inexact:
            self._use(replace(self._strategies, lenders=self._lenders(attribution)))
        notes += self._trust(attribution)
        self._bisector.skip_untestable()
        found = self._bisector.search()
        culprit = self._line.candidates[found.after].first
        if found.exact and culprit.merge:
            inside = f"{culprit.short}^1..{culprit.short}^2"
            notes.append(f"{culprit.short} is a merge; `flybisect commits {inside}` bisects what it merged")
        confirmation = self._confirm(found)
        answer = self._bisector.answer(found)
        return CommitAnswer(
            rule=answer.rule,
            found=found,
            names=answer.names,
            tried=answer.tried,
            more=answer.more,
            flakiness=answer.flakiness,
            line=self._line,
            attribution=attribution,
            confirmation=confirmation,
            made=dict(self._supply.made),
            notes=tuple(notes),
            logs=dict(self._supply.logs),
        )

    def _entry(self, at: int) -> CommitEntry:
        """By the strategies that are known so far."""
        place = at % len(self._line.candidates)
        merge_base = place == 0 and self._line.range.base is not None
        inputs = self._line.candidates[place].inputs
        return CommitEntry(self._line.commit(place), inputs, self._strategies, self._supply, merge_base)

    def _entries(self) -> list[CommitEntry]:
        return [self._entry(at) for at in range(len(self._line.candidates))]

    def _use(self, strategies: Strategies) -> None:
        self._strategies = strategies
        self._bisector.entries = self._entries()

    def _endpoints(self) -> list[CommitEntry]:
        """The entries; endpoints that can't be obtained exactly are inexact ones with the user's word."""
        entries = self._entries()
        for at in (0, -1):
            if self._allow_inexact:
                nearest = tuple(known.mark for known in self._line.known[:1])
                entries[at] = replace(entries[at], strategies=replace(self._strategies, lenders=nearest))
            elif not entries[at].attempts():
                raise UserError(
                    f"the endpoint {entries[at].label} {entries[at].why_none()}; choose one that has a "
                    "release, or allow inexact ways with --allow-inexact"
                )
        return entries

    def _left_out_by_paths(self) -> list[str]:
        if not self._line.range.paths:
            return []
        paths = " ".join(self._line.range.paths)
        return [f"commits that touch none of {paths} were left out, whatever else they change"]

    def _check_older(self) -> list[str]:
        """An older endpoint on a branch of its own has to be as its merge base is."""
        older = self._line.range.older
        if self._line.range.base is None:
            return []
        base, expected = f"the merge base {self._line.candidates[0].first.short}", self._side(0)
        entry = CommitEntry(older, self._supply.inputs(older.hash), self._strategies, self._supply)
        exact = entry.exact()
        if not exact:
            return [f"{older.short} is not an ancestor and is unavailable; {base} was tested instead"]
        record = self._bisector.beside(-1, exact[0])
        if record.toolchain is None:
            why = record.verdict.why
            return [f"{older.short} is not an ancestor and is unavailable ({why}); {base} was tested instead"]
        if record.side is expected:
            return [
                f"{older.short} is not an ancestor of the newer endpoint; it and {base} are {expected.value}"
            ]
        if record.side is Side.SKIP:
            return [f"{older.short} is not an ancestor and can't be judged; {base} was tested instead"]
        raise UserError(
            f"{older.short} is {record.side.value}, and {base} is {expected.value} already: the change "
            f"is between those two and not on the way to {self._line.range.newer.short}"
        )

    def _side(self, at: int) -> Side:
        return self._bisector.tried[at % len(self._line.candidates)].side

    def _end(self, at: int) -> Endpoint:
        entry = self._entry(at)
        marks = [known.mark for known in self._line.known if known.inputs.natives == entry.inputs.natives]
        return Endpoint(entry.name, entry.inputs, self._side(at), marks[0] if marks else None)

    def _cross(self, end: Endpoint, mark: Landmark) -> TestRecord:
        over = f"{end.commit[:8]} over the natives of {mark.version}"
        self._notify(f"{over}, to see which half owns the change")
        return self._bisector.try_out(-1, self._supply.piece(Piece(Python(end.commit, end.inputs), mark)))

    def _attribution(self) -> Attribution:
        older, newer = self._end(0), self._end(-1)
        found = attribute(older, newer, self._cross)
        if found.owner is not Owner.PYTHON or found.sure:
            return found
        return with_second(found, older, newer, self._others(found, older, newer), self._cross)

    def _others(self, found: Attribution, older: Endpoint, newer: Endpoint) -> list[Landmark]:
        """Releases with other natives than the endpoints', those next to the one that lends first.

        Of these, those that lie beyond it: between the endpoints natives may lack what Python needs.
        """
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
        """Uses what the crossed halves of the endpoints showed for the commits between; says what for."""
        if attribution.owner is Owner.PYTHON:
            label = Exactness.BOTH_NATIVES if attribution.sure else Exactness.TWO_NATIVES
            natives = attribution.natives
            self._use(replace(self._strategies, both_natives=natives, natives_label=label))
            return []
        if attribution.owner is not Owner.NATIVE or not attribution.sure:
            return []
        pythons = tuple(Python(entry.name, entry.inputs) for entry in map(self._entry, (0, -1)))
        before = len(self._line.candidates)
        self._strategies = replace(self._strategies, both_pythons=pythons)
        self._line = self._line.by_natives()
        self._bisector.regroup(self._entries())
        if len(self._line.candidates) == before:
            return []
        return [
            "the change follows the natives, so commits whose natives are built of the same count as one: "
            f"{before} candidates became {len(self._line.candidates)}"
        ]

    def _lenders(self, attribution: Attribution) -> tuple[Landmark, ...]:
        """Whose natives to put under commits that can't be obtained exactly."""
        if attribution.owner is Owner.UNKNOWN and not attribution.cells:
            return tuple(known.mark for known in self._line.known[:1])
        if not attribution.lenders:
            self._notify("other natives under a commit's Python would not show this change: none are used")
        return attribution.lenders

    def _confirm(self, found: Found) -> Confirmation:
        """A culprit that was found inexactly is tested once more, with its parent, by exact ways."""
        if not found.exact:
            return Confirmation(False, "the answer is a range")
        pair = found.before, found.after
        inexact = [at for at in pair if self._bisector.tried[at].exactness is not Exactness.EXACT]
        for at in inexact:
            wrong = self._exactly(at, pair)
            if wrong is not None:
                return wrong
        return self._parent_too(found) or self._confirmed(inexact, pair)

    def _exactly(self, at: int, pair: tuple[int, int]) -> Confirmation | None:
        """None where one of the pair has the same verdict exactly, or crossed halves have to do."""
        entry, before = self._entry(at), self._bisector.tried[at]
        crossed, short = bool(before.pieces), entry.commit.short
        # Where halves were crossed, its releases were tested before and could not be judged.
        exact = [attempt for attempt in entry.exact() if attempt.builds or not crossed]
        if not exact:
            why = f"{short} {entry.why_none()}{self._natives_apart(*pair)}"
            return None if crossed else Confirmation(False, why)
        record = self._bisector.try_out(at, exact[0])
        if record.toolchain is None:
            why = f"{short} cannot be obtained exactly: {record.verdict.why}"
            return None if crossed else Confirmation(False, why)
        self._bisector.keep(record)
        self._bisector.repeat(at)
        side, expected = self._side(at), before.side
        if side is expected:
            return None
        return Confirmation(False, f"{short} is {side.value}, not {expected.value}, when obtained exactly")

    def _confirmed(self, inexact: Sequence[int], pair: tuple[int, int]) -> Confirmation:
        labels = {self._bisector.tried[at].evidence for at in pair}
        over = " and of ".join(mark.version for mark in self._strategies.both_natives)
        if Exactness.TWO_NATIVES in labels:
            why = f"it and its parent have these verdicts over the natives of {over}"
            more = "the other endpoint's natives do not work under its Python and may have to change first"
            return Confirmation(False, f"{why}; {more}")
        if Exactness.BOTH_NATIVES in labels:
            return Confirmation(
                True, "it and its parent have these verdicts over the natives of either endpoint"
            )
        if Exactness.BOTH_PYTHONS in labels:
            why = (
                "the natives of it and of its parent have these verdicts under the Python of either endpoint"
            )
            return Confirmation(True, why)
        again = "once more " if inexact else ""
        return Confirmation(True, f"it and its parent were tested {again}by exact ways")

    def _parent_too(self, found: Found) -> Confirmation | None:
        """Where Python does not make another candidate, the parent is not the commit that was tested."""
        last = self._line.candidates[found.before].last
        tested, inputs = self._entry(found.before).commit, self._supply.inputs(last.hash)
        if last == tested or inputs == self._supply.inputs(tested.hash):
            return None
        parent = CommitEntry(last, inputs, self._strategies, self._supply)
        expected = self._side(found.before)
        for attempt in parent.exact(build=False)[:1]:
            side = self._bisector.beside(found.before, attempt).side
            if side not in (expected, Side.SKIP):
                return Confirmation(False, f"its parent {last.short} is {side.value}, not {expected.value}")
        return None

    def _natives_apart(self, before: int, after: int) -> str:
        """A caution where a culprit and its parent were tested over natives of different releases, or one of
        them as a proxy, with another LLVM."""
        toolchains = [self._bisector.tried[at].toolchain for at in (before, after)]
        ways = [self._supply.made[each.key][0] for each in toolchains if each is not None]
        lent = {(way.release, way.exactness is Exactness.PROXY) for way in ways}
        return "; it and its parent were tested over different natives, which may be the change" * (
            len(lent) > 1
        )

    def _pin_changes(self) -> bool:
        """With one LLVM for all, what another LLVM changes would be blamed on some commit near by."""
        pins = {candidate.inputs.llvm_pin for candidate in self._line.candidates}
        return len(pins) > 1
