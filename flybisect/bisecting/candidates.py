"""The different FlyDSLs of a line of commits, each tested by the ways that there are to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from flybisect.bisecting.line import Line
from flybisect.bisecting.looks import Looks
from flybisect.bisecting.parallel import each
from flybisect.bisecting.sides import Measure, shows
from flybisect.bisecting.supply import Supply
from flybisect.bisecting.tried import Tried
from flybisect.bisecting.ways import Way, Ways
from flybisect.history.commit import Commit
from flybisect.inputs import Inputs
from flybisect.observation import Answer, Verdict
from flybisect.search.bisect import Side
from flybisect.toolchain.model import Exactness, Toolchain, Unavailable
from flybisect.toolchain.store import Notify


class Candidates:
    """By their place; -1 is the newer end. Nothing is tested before `looks` is there."""

    looks: Looks

    def __init__(
        self,
        line: Line,
        supply: Supply,
        ways: Ways,
        measure: Measure,
        notify: Notify,
        cancel: Callable[[], None],
    ) -> None:
        self._line = line
        self._supply = supply
        self._measure = measure
        self._notify = notify
        self._cancel = cancel
        self.ways = ways
        self.jobs = 1
        """How many are tested at once."""
        self.tried: dict[int, Tried] = {}
        """The last test of each."""
        self.more: list[Tried] = []
        """Tests beside those."""

    def __len__(self) -> int:
        return len(self._line.candidates)

    def at(self, at: int) -> tuple[Commit, Inputs]:
        place = at % len(self)
        return self._line.commit(place), self._line.candidates[place].inputs

    def name(self, at: int) -> str:
        """For a person."""
        short = self.at(at)[0].short
        merged = at % len(self) == 0 and self._line.range.base is not None
        return f"{short} (the merge base)" if merged else short

    def side(self, at: int) -> Side:
        """Of one that was tested."""
        return self.tried[at % len(self)].side

    def ask(self, places: Sequence[int]) -> Sequence[Side]:
        """What they are, tested where that is not known."""
        return each(self._test, places, self.jobs, self._cancel)

    def again(self, at: int) -> None:
        """Test one some more by the way that was taken."""
        toolchain = self.tried[at].toolchain
        if toolchain is not None:
            self.looks.again(toolchain)
            self.tried[at] = self.looks.updated(self.tried[at])

    def known(self) -> Mapping[int, Side]:
        """What needs no test."""
        sides = {
            at: tried.side if tried.toolchain is None else self.looks.side(tried.toolchain)
            for at, tried in self.tried.items()
        }
        return {at: side for at, side in sides.items() if side is not None}

    def leave_out(self) -> None:
        """Those that there is no way to are known without a test."""
        for at in range(len(self)):
            if at not in self.tried and not self._ways_to(at):
                commit = self._line.candidates[at].first
                verdict = Verdict(Answer.UNRESOLVED, why=self.ways.why_none(commit.hash))
                self.tried[at] = Tried(at, self.at(at)[0].hash, Side.SKIP, verdict)

    def test(self, at: int, toolchain: Toolchain, way: Way) -> Side:
        """By one way. Another test of the same candidate is kept beside."""
        side, verdict, evidence, tally = self.looks.judged(toolchain)
        place, (commit, _) = at % len(self), self.at(at)
        if place in self.tried and self.tried[place].observation is not None:
            self.more.append(self.tried[place])
        self.tried[place] = Tried(
            place, commit.hash, side, verdict, evidence.subject, toolchain, str(way), tally
        )
        told = shows(self._measure, evidence)
        self._notify(f"{commit.short} ({way}, {way.exactness.value}): {side.value}, it {told}")
        return side

    def is_exact(self, at: int) -> bool:
        toolchain = self.tried[at].toolchain
        return toolchain is not None and toolchain.exactness is Exactness.EXACT

    def costs_a_build(self, at: int) -> bool:
        commit, inputs = self.at(at)
        return self.ways.build_needed(inputs, commit.hash)

    def _ways_to(self, at: int) -> list[Way]:
        commit, inputs = self.at(at)
        return self.ways.all(inputs, commit.hash)

    def _test(self, at: int) -> Side:
        """By the best way; where that does not let it be judged, by the next one."""
        tried = self.tried.get(at)
        if tried is not None and tried.side is not Side.SKIP and tried.toolchain is not None:
            self.looks.judged(tried.toolchain)
            self.tried[at] = self.looks.updated(tried)
            return self.tried[at].side
        commit, inputs = self.at(at)
        for way in self._ways_to(at):
            try:
                toolchain = self._supply.get(commit.hash, inputs, way)
            except Unavailable as error:
                verdict = Verdict(Answer.UNRESOLVED, why=str(error))
                self.tried[at] = Tried(at, commit.hash, Side.SKIP, verdict, way=str(way))
                continue
            if self.test(at, toolchain, way) is not Side.SKIP:
                break
        return self.tried[at].side
