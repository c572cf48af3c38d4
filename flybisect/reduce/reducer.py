"""The scheduling of passes: rounds until nothing goes any more, then the proof that it does not.

A round runs every pass with delta debugging over its hints, those left out that failed before. When
a round changes nothing, every single hint of every pass is tried on the script as it stands. If one
holds, rounds follow, and the proof goes on with the next pass. Where all passes in a row have failed on
one text, it is 1-minimal over the passes.
"""

from __future__ import annotations

import copy
import functools
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flybisect.reduce.attempt import Attempt, Judging
from flybisect.reduce.cosmetics import dressed
from flybisect.reduce.facts import learn
from flybisect.reduce.foresight import Telling
from flybisect.reduce.hint import Facts, Pass, Turn
from flybisect.reduce.standing import Standing, Step
from flybisect.script.scopes import Statements
from flybisect.script.source import Source
from flybisect.script.substitute import Substitutes
from flybisect.search.grow import grow, parts

TRUSTED = 3
"""Sweeps that may rest on the trust that what the case compares with is as it was. More would spare
compiles, and cost more where the trust was wrong."""


TURNS = (Turn.COARSE, Turn.FINE, Turn.NUMBERS)


@dataclass(frozen=True)
class Reduction:
    """What came out."""

    text: str
    minimal: bool
    """True when every single hint of the passes was tried on this text, and failed. Left out are the
    passes that are shortcuts to what others do, and cuts that hold another one which failed: between
    two closed cuts of which one holds the other, the smaller is the single step."""


class Reducer:
    """Reduces one script. `notice` is told of every step; it must not raise."""

    def __init__(
        self, judge: Judging, passes: Sequence[Pass], notice: Callable[[Step], None] = lambda step: None
    ) -> None:
        self._judge = judge
        self._passes = passes
        self._following: Sequence[Callable[[Reducer], None]] = ()
        """What comes next, for `_go_on`."""
        self._standing = Standing(notice)
        self._original = ""
        self._learned = ("", Facts())
        self._relearned = 0

    @property
    def best(self) -> str:
        """The smallest interesting script so far; what is left when the run is interrupted."""
        return self._standing.confirmed

    def run(self, text: str) -> Reduction:
        """`text` is known to be interesting."""
        self._standing.begin(text)
        self._original = text
        self._learned = (text, learn(self._judge, text))
        self._rounds()
        self._prove()
        self._polish()
        return Reduction(self._standing.best, minimal=True)

    def _prove(self) -> None:
        """Every single hint on the script as it stands, until all passes in a row have failed on one text."""
        waiting = deque(self._single)
        failed: list[Pass] = []
        while waiting:
            each = waiting.popleft()
            self._following = [_proof(later) for later in waiting]
            before = self._standing.best
            self._search(each, verify=True, trusting=False)
            if self._standing.best != before:
                self._rounds()
                waiting.extend([*failed, each])
                failed = []
            else:
                failed.append(each)

    @property
    def _single(self) -> list[Pass]:
        """The passes that have a part in the proof. One has a part in it once, however many turns it has."""
        parts = [each for each in self._passes if not each.shortcut and each.turn is not Turn.COSMETIC]
        return list({each.hints: each for each in parts}.values())

    def _of(self, turn: Turn) -> list[Pass]:
        return [each for each in self._passes if each.turn is turn]

    def _polish(self) -> None:
        """Makes the changes that leave the syntax tree as it is, so that what was proved still holds."""
        text = dressed(self._standing.best, self._passes, self._facts())
        if text != self._standing.best and self._judge.judge(text).interesting:
            self._standing.begin(text)
            self._standing.tell("polish")

    def _rounds(self) -> None:
        coarse, fine, numbers = (self._of(turn) for turn in TURNS)
        while True:
            while self._round(coarse):
                self._learn_again(1)
            if fine:
                self._learn_again(2)
            # A shorter line may take the value of another statement, so coarse passes come again first.
            if not self._round(fine) and not self._round(numbers):
                return

    def _learn_again(self, times: int) -> None:
        """Up to so many times: sizes and types have changed, so more things are of one kind, and other
        expressions stand there."""
        if self._relearned >= times or self._learned[0] == self._standing.best:
            return
        self._relearned = times
        before = self._learned[1]
        found = learn(self._judge, self._standing.best, before)
        self._learned = self._standing.best, replace(found, located=before.located)

    def _round(self, passes: Sequence[Pass]) -> bool:
        """One sweep of each. False when none changed anything."""
        before, sweeps = self._standing.best, 0
        for number, each in enumerate(passes):
            at = self._standing.best
            self._following = self._after(passes[number + 1 :], each.turn)
            self._sweep(each)
            sweeps += self._standing.best != at
            if sweeps == TRUSTED:
                self._confirm()
                sweeps = 0
        self._confirm()
        return self._standing.best != before

    def _after(self, rest: Sequence[Pass], turn: Turn) -> list[Callable[[Reducer], None]]:
        """What follows while nothing unexpected happens, the rest of a round first."""
        coarse, fine, numbers = ([_sweep(each) for each in self._of(turn)] for turn in TURNS)
        learning = [_learning(1), *coarse, _learning(2)] if turn is Turn.COARSE else coarse
        following = [*(_sweep(each) for each in rest), *learning, *fine, *numbers]
        return following + [_proof(each) for each in self._single]

    def _sweep(self, each: Pass) -> None:
        while True:
            before = self._standing.best
            # Where nothing in the script tells the case from its base, nothing speaks for trust.
            trusting = self._judge.compares and bool(self._learned[1].markers)
            self._search(each, verify=False, trusting=trusting)
            if not each.again or self._standing.best == before:
                return

    def _confirm(self) -> None:
        """Has the result of some sweeps judged in full. Where it does not hold, the first of their
        successes that broke the comparison is found by halving; what came before it is kept."""
        standing = self._standing
        trail, standing.trail = standing.trail, []
        if standing.best == standing.confirmed:
            return
        if not self._judge.judge(self._standing.best).interesting:
            # trail[:good] holds, trail[:bad] does not; the last is the one just judged.
            good, bad = 0, len(trail)
            while bad - good > 1:
                middle = (good + bad) // 2
                if self._judge.judge(trail[middle - 1].text).interesting:
                    good = middle
                else:
                    bad = middle
            standing.failed |= trail[bad - 1].labels
            standing.best = trail[good - 1].text if good else standing.confirmed
        standing.confirmed = standing.best
        standing.tell("confirmed")

    def _facts(self) -> Facts:
        """Lines are only known of the text that was traced; kinds go by the text of expressions."""
        text, facts = self._learned
        lines = facts.lines if text == self._standing.best else None
        line = self._judge.failing_line(self._standing.best)
        failed = frozenset(self._standing.failed)
        told = replace(facts, lines=lines, failing_line=line, failed=failed)
        return replace(told, learned=text, original=self._original)

    def _go_on(
        self, judge: Telling, standing: Standing, each: Pass, verify: bool, trusting: bool, rank: int
    ) -> None:
        """On a copy: the search of a pass from a rank on, and those that follow; see `foresight`."""
        other = copy.copy(self)
        other._judge, other._standing = judge, standing.copy()
        other._search(each, verify, trusting, rank)
        if each.again and not verify:
            other._sweep(each)
        for follow in self._following:
            follow(other)

    def _search(self, each: Pass, verify: bool, trusting: bool, rank: int = -1) -> None:
        """One sweep of a pass, rank by rank; the text is read anew after each."""
        while True:
            if isinstance(self._judge, Telling):
                begun = self._standing.copy()
                ahead = functools.partial(
                    self._go_on, standing=begun, each=each, verify=verify, trusting=trusting, rank=rank
                )
                self._judge.begin(f"verify {each.name}" if verify else each.name, ahead)
            table = Statements(Source(self._standing.best))
            facts = self._facts()
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
                substitutes = Substitutes(table, facts.kinds)
                attempt = Attempt(
                    self._judge,
                    self._standing,
                    each,
                    table,
                    hints,
                    verify,
                    trusting,
                    facts.markers,
                    substitutes,
                    facts.failing(table),
                )
                if not verify:
                    attempt.presume(failed)
                alone = verify or each.alone
                if verify:
                    chunks = parts(len(hints), len(hints))
                else:
                    chunks = attempt.likely_first() if each.alone else attempt.compatible()
                # A shortcut that holds for a few alone is not worth its trials.
                grow(chunks, attempt.ask, max(2, len(hints) // 8) if each.shortcut else 1)
                if len(chunks) > 1 and not alone and self._standing.best != before:
                    rank -= 1  # Those that could not be made together with others have their turn.


def _sweep(each: Pass) -> Callable[[Reducer], None]:
    return functools.partial(Reducer._sweep, each=each)


def _proof(each: Pass) -> Callable[[Reducer], None]:
    return functools.partial(Reducer._search, each=each, verify=True, trusting=False)


def _learning(times: int) -> Callable[[Reducer], None]:
    return functools.partial(Reducer._learn_again, times=times)
