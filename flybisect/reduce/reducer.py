"""The scheduling of passes: rounds until none changes anything, then the proof that none does.

In a round come first the passes whose changes mostly hold, one after the other, then the hints of all
others in one search for each phase; what failed before is left out. When a round changes nothing, every
single hint of every pass is tried on the script as it stands. If one holds, rounds follow, and the
proof continues with the next pass. When all passes in a row have failed on one text, it is 1-minimal
over the passes.
"""

from __future__ import annotations

import copy
import functools
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from flybisect.judge.question import Question, Questions, Reply
from flybisect.reduce.cosmetics import with_cosmetics
from flybisect.reduce.dynamic_facts import learn
from flybisect.reduce.hint import MOSTLY, DynamicFacts, Hint, Pass, PassPhase
from flybisect.reduce.hint_search import HintSearch, Offer
from flybisect.reduce.prediction import Begin, Predictor, Search
from flybisect.reduce.reduction_state import ReductionState, ReductionStep
from flybisect.reduce.trust import confirm
from flybisect.source.scopes import Statements
from flybisect.source.source import Source
from flybisect.source.substitute import Substitutes


@dataclass(frozen=True)
class Reduction:
    """What came out."""

    text: str
    minimal: bool
    """True when every single hint of the passes was tried on this text, and failed. Left out are the
    passes that are shortcuts to what others do, and cuts that hold another one which failed: between
    two closed cuts of which one holds the other, the smaller is the single step."""


class Judging(Protocol):
    """What the reducer sees of the judge."""

    @property
    def compares(self) -> bool:
        """True when a verdict may need a second trial, under the baseline."""
        ...

    def ask(self, question: Question, ahead: Iterable[Question] = ()) -> Reply:
        """Answers a question. `ahead`: what may be asked next, drawn from while there is room to try it."""
        ...

    def known(self, source: str) -> bool | None:
        """Whether a script is interesting, where that takes no trial to tell."""
        ...


Part = Callable[["Reducer"], Questions[None]]
"""A part of a reduction that can be run on a copy."""


class Reducer:
    """Reduces one script. `notice` is told of every step; it must not raise."""

    def __init__(
        self,
        judge: Judging,
        passes: Sequence[Pass],
        notice: Callable[[ReductionStep], None] = lambda step: None,
        *,
        predict: bool = True,
    ) -> None:
        """`predict`: the judge is shown what may be asked next."""
        self._judge = judge
        self._passes = passes
        self._predictor = Predictor(judge.known) if predict else None
        self._begun: Begin | None = None
        """In a copy: hears of the searches that begin."""
        self._following: Sequence[Part] = ()
        """What comes next, for a copy."""
        self._standing = ReductionState(notice)
        self._original = ""
        self._learned = ("", DynamicFacts())
        self._relearned = 0

    @property
    def best(self) -> str:
        """The smallest interesting script so far; what is left when the run is interrupted."""
        return self._standing.confirmed

    def run(self, text: str, failing_line: int | None = None) -> Reduction:
        """`text` is known to be interesting; `failing_line`: its line that the compiler names."""
        self._standing.begin(text, failing_line)
        self._original = text
        steps = self._reduction(text)
        reply: Reply | None = None
        while True:
            try:
                question = next(steps) if reply is None else steps.send(reply)
            except StopIteration as ended:
                return Reduction(str(ended.value), minimal=True)
            predictor = self._predictor
            reply = self._judge.ask(question, () if predictor is None else predictor.after(question))
            if predictor is not None:
                predictor.note(question, reply)

    def _reduction(self, text: str) -> Questions[str]:
        self._learned = (text, (yield from learn(text, self._standing.failing_line)))
        yield from self._rounds()
        yield from self._prove()
        yield from self._polish()
        return self._standing.best

    def _prove(self) -> Questions[None]:
        """Every single hint on the script as it stands, until all passes in a row have failed on one text."""
        waiting = deque(self._single)
        failed: list[Pass] = []
        while waiting:
            each = waiting.popleft()
            self._following = [_proof(later) for later in waiting]
            before = self._standing.best
            yield from self._search(each, verify=True)
            if self._standing.best != before:
                yield from self._rounds()
                waiting.extend([*failed, each])
                failed = []
            else:
                failed.append(each)

    @property
    def _single(self) -> list[Pass]:
        """The passes that have a part in the proof. One has a part in it once, however many turns it has."""
        parts = [each for each in self._passes if not each.shortcut and each.phase is not PassPhase.COSMETIC]
        return list({each.hints: each for each in parts}.values())

    def _of(self, phase: PassPhase) -> list[Pass]:
        return [each for each in self._passes if each.phase is phase]

    def _polish(self) -> Questions[None]:
        """Makes the changes that leave the syntax tree as it is, so that what was proved still holds."""
        text = with_cosmetics(self._standing.best, self._passes, self._facts())
        if text != self._standing.best:
            reply = yield Question(text)
            if reply.interesting:
                self._standing.begin(text, reply.failing_line)
                self._standing.tell("polish")

    def _rounds(self) -> Questions[None]:
        fine, numbers = self._of(PassPhase.FINE), self._of(PassPhase.NUMBERS)
        while True:
            while (yield from self._round([PassPhase.FIRST, PassPhase.COARSE])):
                yield from self._learn_again(1)
            if fine:
                yield from self._learn_again(2)
            # A shorter line may take the value of another statement, so coarse passes come again first.
            if not (yield from self._round([PassPhase.FINE])) and not (
                numbers and (yield from self._round([PassPhase.NUMBERS]))
            ):
                return

    def _learn_again(self, times: int) -> Questions[None]:
        """Up to so many times: sizes and types have changed, so more things are of one kind, and other
        expressions stand there."""
        if self._relearned >= times or self._learned[0] == self._standing.best:
            return
        self._relearned = times
        before = self._learned[1]
        found = yield from learn(self._standing.best, self._standing.failing_line, before)
        self._learned = self._standing.best, replace(found, located=before.located)

    def _round(self, phases: Sequence[PassPhase]) -> Questions[bool]:
        """Each part once. False when none changed anything."""
        before = self._standing.best
        waiting = [part for phase in phases for part in self._parts(phase)]
        for number, part in enumerate(waiting):
            self._following = [*waiting[number + 1 :], *self._after(phases[-1])]
            yield from part(self)
        self._begin(Search("confirm", first_holds=True, others_hold=True), _confirmed)
        yield from confirm(self._standing)
        return self._standing.best != before

    def _parts(self, phase: PassPhase) -> list[Part]:
        """Passes one after the other, where what one does is for the next; else all at once."""
        passes = self._of(phase)
        if phase in (PassPhase.FIRST, PassPhase.NUMBERS):
            return [_sweep(each) for each in passes]
        large = [_sweep(each) for each in passes if each.shortcut]
        return [*large, functools.partial(Reducer._pool, phase=phase)]

    def _after(self, phase: PassPhase) -> list[Part]:
        """What follows a phase while nothing unexpected happens."""
        first = [*self._parts(PassPhase.FIRST), *self._parts(PassPhase.COARSE)]
        fine, numbers = self._parts(PassPhase.FINE), self._parts(PassPhase.NUMBERS)
        if phase is PassPhase.COARSE:
            first = [_learning(1), *first, _learning(2)]
        return [*first, *fine, *numbers, *(_proof(each) for each in self._single)]

    def _pool(self, phase: PassPhase) -> Questions[None]:
        """The hints of all passes of a phase in one search, read anew when the script has become another."""
        floors: dict[str, int] = {}
        self._begin(Search(phase.name, first_holds=False), functools.partial(Reducer._pool, phase=phase))
        while True:
            table, facts = Statements(Source(self._standing.best)), self._facts()
            offers: dict[str, Offer] = {}
            failed: list[Hint] = []
            for each in self._of(phase):
                if not each.shortcut:
                    hints, out = self._lowest(each.hints(table, facts), floors.get(each.name, -1))
                    failed += out
                    for hint in hints:
                        offers.setdefault(hint.label, Offer(each, hint))
            if not offers:
                return
            before = self._standing.best
            search = self._searching(table, facts, list(offers.values()), verify=False)
            search.presume(failed)
            yield from search.run(1)
            if self._standing.best != before:
                floors.clear()
            else:
                for offer in offers.values():
                    floors[offer.of.name] = max(floors.get(offer.of.name, -1), offer.hint.rank)

    def _lowest(self, every: Sequence[Hint], floor: int) -> tuple[list[Hint], list[Hint]]:
        """Of the hints above a rank those of the lowest one: which may be tried, and which failed before."""
        failed = [hint for hint in every if hint.label in self._standing.failed]
        rest = [hint for hint in every if hint.rank > floor and hint.label not in self._standing.failed]
        rank = min((hint.rank for hint in rest), default=0)
        return [hint for hint in rest if hint.rank == rank], failed

    def _searching(
        self, table: Statements, facts: DynamicFacts, offers: Sequence[Offer], *, verify: bool
    ) -> HintSearch:
        # Where nothing in the script tells the case from its baseline, nothing speaks for trust.
        trusting = not verify and self._judge.compares and bool(self._learned[1].markers)
        return HintSearch(
            self._standing,
            table,
            offers,
            verify,
            trusting,
            self._judge.compares,
            facts.markers,
            Substitutes(table, facts.kinds),
            facts.failing(table),
        )

    def _sweep(self, each: Pass) -> Questions[None]:
        while True:
            before = self._standing.best
            yield from self._search(each, verify=False)
            if not each.again or self._standing.best == before:
                return

    def _facts(self) -> DynamicFacts:
        """Lines are only known of the text that was traced; kinds go by the text of expressions."""
        text, facts = self._learned
        lines = facts.lines if text == self._standing.best else None
        failed = frozenset(self._standing.failed)
        line = self._standing.failing_line
        known = replace(facts, lines=lines, failing_line=line, failed=failed)
        return replace(known, learned=text, original=self._original)

    def _begin(self, search: Search, first: Part) -> None:
        """Says that a search begins. A copy from here runs `first`, then what follows."""
        if self._begun is not None:
            self._begun(search)
        elif self._predictor is not None:
            self._predictor.begin(search, functools.partial(self._copied, self._standing.copy(), first))

    def _copied(self, standing: ReductionState, first: Part, begun: Begin) -> Questions[None]:
        other = copy.copy(self)
        other._begun, other._standing = begun, standing.copy()
        for step in (first, *self._following):
            yield from step(other)

    def _search(self, each: Pass, verify: bool, rank: int = -1) -> Questions[None]:
        """One sweep of a pass, rank by rank; the text is read anew after each."""
        name = f"verify {each.name}" if verify else each.name
        search = Search(name, each.chance == MOSTLY and not verify)
        while True:
            self._begin(search, functools.partial(_rest, each=each, verify=verify, rank=rank))
            table, facts = Statements(Source(self._standing.best)), self._facts()
            every = each.hints(table, facts)
            ranks = [hint.rank for hint in every if hint.rank > rank]
            if not ranks:
                return
            rank = min(ranks)
            hints = [hint for hint in every if hint.rank == rank]
            failed = [hint for hint in hints if hint.label in self._standing.failed]
            if not verify:
                hints = [hint for hint in hints if hint.label not in self._standing.failed]
            if hints:
                before = self._standing.best
                attempt = self._searching(table, facts, [Offer(each, hint) for hint in hints], verify=verify)
                if not verify:
                    attempt.presume(failed)
                # A shortcut that holds for a few alone is not worth its trials.
                as_read = yield from attempt.run(max(2, len(hints) // 8) if each.shortcut else 1)
                if self._standing.best != before and (attempt.left_out or not as_read):
                    rank -= 1  # Those that could not be made together with others have their turn.


def _rest(reducer: Reducer, each: Pass, verify: bool, rank: int) -> Questions[None]:
    """A sweep of a pass from a rank on."""
    yield from reducer._search(each, verify, rank)
    if each.again and not verify:
        yield from reducer._sweep(each)


def _sweep(each: Pass) -> Part:
    return functools.partial(Reducer._sweep, each=each)


def _proof(each: Pass) -> Part:
    return functools.partial(Reducer._search, each=each, verify=True)


def _learning(times: int) -> Part:
    return functools.partial(Reducer._learn_again, times=times)


def _confirmed(reducer: Reducer) -> Questions[None]:
    yield from confirm(reducer._standing)
