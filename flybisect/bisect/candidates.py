"""The different FlyDSLs of a line of commits, each tested by the ways that there are to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from flybisect.bisect.commit_range import CommitRange
from flybisect.bisect.endpoints import EndpointOracle, shows
from flybisect.bisect.repeated_runs import RepeatedRuns
from flybisect.bisect.strategies import Piece, Strategies, Strategy
from flybisect.bisect.test_record import TestRecord, agreed, combined
from flybisect.bisect.toolchain_provider import ToolchainProvider
from flybisect.errors import UserError
from flybisect.git.build_inputs import Inputs
from flybisect.git.commit import Commit
from flybisect.observation import Answer, Verdict
from flybisect.search.bisect import Side
from flybisect.search.parallel_map import each
from flybisect.toolchain.model import Exactness, Toolchain, Unavailable
from flybisect.toolchain.store import Notify


class Candidates:
    """By their place; -1 is the newer end. Nothing is tested before `looks` is there."""

    looks: RepeatedRuns

    def __init__(
        self,
        line: CommitRange,
        supply: ToolchainProvider,
        ways: Strategies,
        measure: EndpointOracle,
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
        self.tried: dict[int, TestRecord] = {}
        """The last test of each."""
        self.more: list[TestRecord] = []
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
        tried = self.tried[at]
        for toolchain in _toolchains(tried):
            self.looks.again(toolchain)
        self.tried[at] = self.updated(tried)

    def known(self) -> Mapping[int, Side]:
        """What needs no test."""
        sides = {at: self._settled(tried) for at, tried in self.tried.items()}
        return {at: side for at, side in sides.items() if side is not None}

    def updated(self, tried: TestRecord) -> TestRecord:
        """With what was seen since; nothing is looked at for it."""
        if not tried.pieces or tried.evidence is None:
            return self.looks.updated(tried)
        if tried.pieces[-1].side is Side.SKIP:
            return tried
        pieces = [self.looks.updated(piece) for piece in tried.pieces]
        return combined(tried.name, pieces, tried.way, tried.evidence)

    def record(self) -> tuple[tuple[TestRecord, ...], tuple[TestRecord, ...]]:
        """The last test of each, and all others."""
        last = tuple(map(self.updated, self.tried.values()))
        more = tuple(map(self.updated, self.more))
        pieces = (piece for tried in (*last, *more) for piece in tried.pieces[1:])
        return last, (*more, *(piece for piece in pieces if piece.observation is not None))

    def leave_out(self) -> None:
        """Those that there is no way to are known without a test."""
        for at in range(len(self)):
            if at not in self.tried and not self._ways_to(at):
                commit = self._line.candidates[at].first
                verdict = Verdict(Answer.UNRESOLVED, why=self.ways.why_none(commit.hash))
                self.tried[at] = TestRecord(at, self.at(at)[0].hash, Side.SKIP, verdict)

    def test(self, at: int, toolchain: Toolchain, way: Strategy) -> Side:
        """By one way. Another test of the same candidate is kept beside."""
        place, (commit, _) = at % len(self), self.at(at)
        tried = self._tried(place, commit.hash, toolchain, way)
        self._keep(tried)
        return tried.side

    def beside(self, at: int, name: str, toolchain: Toolchain, way: Strategy) -> TestRecord:
        """A test of another commit than the one that stands for the candidate `at`."""
        tried = self._tried(at, name, toolchain, way)
        self.more.append(tried)
        return tried

    def regroup(self, line: CommitRange) -> None:
        """Other candidates between the same ends, which alone were tested."""
        older, newer = self.tried[0], self.tried[len(self) - 1]
        self._line = line
        self.tried = {0: older, len(self) - 1: replace(newer, at=len(self) - 1)}

    def over(self, at: int, piece: Piece) -> TestRecord:
        """One end's half over the other's, as a test of the candidate `at`."""
        way = Strategy("overlay", Exactness.INEXACT, piece.natives)
        commit = piece.python.commit
        try:
            toolchain = self._supply.get(commit, piece.python.inputs, way)
        except (Unavailable, UserError) as error:  # Its release may not be there to be installed.
            return TestRecord(at, commit, Side.SKIP, Verdict(Answer.UNRESOLVED, why=str(error)), way=str(way))
        return self._tried(at, commit, toolchain, way)

    def is_exact(self, at: int) -> bool:
        return self.tried[at].exactness is Exactness.EXACT

    def costs_a_build(self, at: int) -> bool:
        commit, inputs = self.at(at)
        return self.ways.build_needed(inputs, commit.hash)

    def _ways_to(self, at: int) -> list[Strategy]:
        commit, inputs = self.at(at)
        return self.ways.all(inputs, commit.hash)

    def _test(self, at: int) -> Side:
        """By the best way; where that does not let it be judged, by the next one."""
        tried = self.tried.get(at)
        if tried is not None and tried.side is not Side.SKIP and tried.toolchain is not None:
            for toolchain in _toolchains(tried):
                self.looks.judged(toolchain)
            self.tried[at] = self.updated(tried)
            return self.tried[at].side
        commit, inputs = self.at(at)
        for way in self._ways_to(at):
            if way.pieces:
                if self._test_crossed(at, way) is not Side.SKIP:
                    break
                continue
            try:
                toolchain = self._supply.get(commit.hash, inputs, way)
            except Unavailable as error:
                verdict = Verdict(Answer.UNRESOLVED, why=str(error))
                self.tried[at] = TestRecord(at, commit.hash, Side.SKIP, verdict, way=str(way))
                continue
            if self.test(at, toolchain, way) is not Side.SKIP:
                break
        return self.tried[at].side

    def _test_crossed(self, at: int, way: Strategy) -> Side:
        """By overlays that have to agree; the next one is tried only where those before could be judged."""
        pieces: list[TestRecord] = []
        for piece in way.pieces:
            pieces.append(self.over(at, piece))
            if pieces[-1].side is Side.SKIP:
                break
        tried = combined(self.at(at)[0].hash, pieces, str(way), way.exactness)
        self._keep(tried)
        return tried.side

    def _tried(self, at: int, name: str, toolchain: Toolchain, way: Strategy) -> TestRecord:
        side, verdict, evidence, tally = self.looks.judged(toolchain)
        told = shows(self._measure, evidence)
        self._notify(f"{name[:8]} ({way}, {way.exactness.value}): {side.value}, it {told}")
        return TestRecord(at, name, side, verdict, evidence.subject, toolchain, str(way), tally)

    def _keep(self, tried: TestRecord) -> None:
        """As the last test of its candidate."""
        before = self.tried.get(tried.at)
        if before is not None and before.observation is not None:
            self.more.append(before)
        self.tried[tried.at] = tried

    def _settled(self, tried: TestRecord) -> Side | None:
        if tried.pieces:
            if tried.pieces[-1].side is Side.SKIP:
                return Side.SKIP
            sides = [self._settled(piece) for piece in tried.pieces]
            known = [side for side in sides if side is not None]
            return agreed(known) if len(known) == len(sides) else None
        return tried.side if tried.toolchain is None else self.looks.side(tried.toolchain)


def _toolchains(tried: TestRecord) -> list[Toolchain]:
    """All that the verdict rests on."""
    return [each.toolchain for each in tried.pieces or (tried,) if each.toolchain is not None]
