"""The scheduling of passes: rounds until nothing goes any more, then the proof that it does not.

A round runs every pass with delta debugging over its hints, those left out that failed before. When
a round changes nothing, every single hint of every pass is tried on the script as it stands. If all
fail, the script is 1-minimal over the passes; if one holds, rounds begin again.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from flybisect.observation import Verdict
from flybisect.reduce.facts import Observing, learn, marked
from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.check import unbound_names
from flybisect.script.cut import Cut, carry_out, close
from flybisect.script.edit import Conflict
from flybisect.script.liveness import with_unread
from flybisect.script.measure import Size, size_of
from flybisect.script.polish import polished
from flybisect.script.scopes import Statements
from flybisect.script.source import Source
from flybisect.script.substitute import Substitutes
from flybisect.search.grow import Subset, grow, halves, parts

FAR_MORE = 8
"""Statements that a cut may take along beside twice its own number, while rounds go on."""


TRUSTED = 3
"""Sweeps that may rest on the trust that what the case compares with is as it was. More would spare
compiles, and cost more where the trust was wrong."""


class Judging(Observing, Protocol):
    """What the reducer sees of the judge."""

    def verdicts(
        self, sources: Iterable[str], trusted: Callable[[str], bool] = lambda source: False
    ) -> Iterator[tuple[str, Verdict]]:
        """In order; may look ahead, so it is closed when the rest is not wanted.

        A trusted one that comes out interesting may still have to be confirmed by `judge`.
        """
        ...

    def judge(self, source: str) -> Verdict:
        """The verdict in full."""
        ...

    @property
    def compares(self) -> bool:
        """True when a verdict may need a second trial, under what the case compares with."""
        ...


@dataclass(frozen=True)
class Step:
    """Where a reduction stands, for whoever shows progress."""

    activity: str
    """Name of the pass, with `verify ` before it while minimality is being proved."""
    text: str
    """The best script so far."""
    confirmed: bool = True
    """False while its verdict rests on the trust that what the case compares with is as it was."""
    tried: str = ""
    """Label of the hint whose turn it is; empty when the best script has just changed."""


@dataclass(frozen=True)
class Reduction:
    """What came out."""

    text: str
    minimal: bool
    """True when every single hint of the passes was tried on this text, and failed. Left out are the
    passes that are shortcuts to what others do, and cuts that hold another one which failed: between
    two closed cuts of which one holds the other, the smaller is the single step."""


@dataclass(frozen=True)
class _Trusted:
    """A success that was not judged in full."""

    text: str
    labels: frozenset[str]


class Reducer:
    """Reduces one script. `notice` is told of every step; it must not raise."""

    def __init__(
        self, judge: Judging, passes: Sequence[Pass], notice: Callable[[Step], None] = lambda step: None
    ) -> None:
        self._judge = judge
        self._passes = passes
        self._notice = notice
        self._failed: set[str] = set()
        self._trail: list[_Trusted] = []
        self._best = ""
        self._confirmed = ""
        self._original = ""
        self._learned = ("", Facts())
        self._relearned = 0
        self._hopeless: tuple[str, list[Cut]] = "", []

    @property
    def best(self) -> str:
        """The smallest interesting script so far; what is left when the run is interrupted."""
        return self._confirmed

    def run(self, text: str) -> Reduction:
        """`text` is known to be interesting."""
        self._best = self._confirmed = self._original = text
        self._learned = (text, learn(self._judge, text))
        while True:
            self._rounds()
            before = self._best
            for each in self._passes:
                if not (each.shortcut or each.cosmetic):
                    self._search(each, verify=True, trusting=False)
            if self._best == before:
                self._polish()
                return Reduction(self._best, minimal=True)

    def _polish(self) -> None:
        """Makes the changes that leave the syntax tree as it is, so that what was proved still holds."""
        text = self._best
        for each in self._passes:
            text = _made(each, text, self._facts()) if each.cosmetic else text
        text = polished(text)
        if text != self._best and self._judge.judge(text).interesting:
            self._best = self._confirmed = text
            self._notice(Step("polish", text))

    def _rounds(self) -> None:
        coarse = [each for each in self._passes if not (each.fine or each.cosmetic)]
        fine = [each for each in self._passes if each.fine and not each.last]
        last = [each for each in self._passes if each.last]
        while True:
            while self._round(coarse):
                self._learn_again(1)
            if fine:
                self._learn_again(2)
            # A shorter line may take the value of another statement, so coarse passes come again first.
            if not self._round(fine) and not self._round(last):
                return

    def _learn_again(self, times: int) -> None:
        """Up to so many times: sizes and types have changed, so more things are of one kind, and other
        expressions stand there."""
        if self._relearned >= times or self._learned[0] == self._best:
            return
        self._relearned = times
        located = self._learned[1].located
        self._learned = (self._best, replace(learn(self._judge, self._best), located=located))

    def _round(self, passes: Sequence[Pass]) -> bool:
        """One sweep of each. False when none changed anything."""
        before, sweeps = self._best, 0
        for each in passes:
            at = self._best
            self._sweep(each)
            sweeps += self._best != at
            if sweeps == TRUSTED:
                self._confirm()
                sweeps = 0
        self._confirm()
        return self._best != before

    def _sweep(self, each: Pass) -> None:
        while True:
            before = self._best
            self._search(each, verify=False, trusting=self._judge.compares)
            if not each.again or self._best == before:
                return

    def _confirm(self) -> None:
        """Has the result of some sweeps judged in full. Where it does not hold, the first of their
        successes that broke the comparison is found by halving; what came before it is kept."""
        trail, self._trail = self._trail, []
        if self._best == self._confirmed:
            return
        if not self._judge.judge(self._best).interesting:
            # trail[:good] holds, trail[:bad] does not; the last is the one just judged.
            good, bad = 0, len(trail)
            while bad - good > 1:
                middle = (good + bad) // 2
                if self._judge.judge(trail[middle - 1].text).interesting:
                    good = middle
                else:
                    bad = middle
            self._failed |= trail[bad - 1].labels
            self._best = trail[good - 1].text if good else self._confirmed
        self._confirmed = self._best
        self._notice(Step("confirmed", self._best))

    def _facts(self) -> Facts:
        """Lines are only known of the text that was traced; kinds go by the text of expressions."""
        text, facts = self._learned
        lines = facts.lines if text == self._best else None
        line = self._judge.failing_line(self._best)
        failed = frozenset(self._failed)
        return replace(facts, lines=lines, failing_line=line, failed=failed, original=self._original)

    def _failed_on(self, text: str) -> list[Cut]:
        """Closed cuts of whole statements that failed on this text. Statements have other numbers in
        another text, so they are forgotten with it."""
        if self._hopeless[0] != text:
            self._hopeless = text, []
        return self._hopeless[1]

    def _search(self, each: Pass, verify: bool, trusting: bool) -> None:
        """One sweep of a pass, rank by rank; the text is read anew after each."""
        rank = -1
        while True:
            table = Statements(Source(self._best))
            facts = self._facts()
            every = each.hints(table, facts)
            ranks = [hint.rank for hint in every if hint.rank > rank]
            if not ranks:
                return
            rank = min(ranks)
            hints = [hint for hint in every if hint.rank == rank]
            failed = [hint for hint in hints if hint.label in self._failed]
            if not verify:
                hints = [hint for hint in hints if hint.label not in self._failed]
            if hints:
                before = self._best
                substitutes = Substitutes(table, facts.kinds)
                attempt = _Attempt(self, each, table, hints, verify, trusting, facts.markers, substitutes)
                if not verify:
                    attempt.presume(failed)
                alone = verify or each.alone
                chunks = parts(len(hints), len(hints)) if alone else attempt.compatible()
                # A shortcut that holds for a few alone is not worth its trials.
                grow(chunks, attempt.ask, max(2, len(hints) // 8) if each.shortcut else 1)
                if len(chunks) > 1 and not alone and self._best != before:
                    rank -= 1  # Those that could not be made together with others have their turn.


def _made(each: Pass, text: str, facts: Facts) -> str:
    """The text with all hints of a cosmetic pass carried out, rank by rank."""
    rank = -1
    while True:
        table = Statements(Source(text))
        hints = [hint for hint in each.hints(table, facts) if hint.rank > rank]
        if not hints:
            return text
        rank = min(hint.rank for hint in hints)
        cut = functools.reduce(operator.or_, (hint.cut for hint in hints if hint.rank == rank))
        made = carry_out(table, cut)
        text = made if ast.dump(ast.parse(made)) == ast.dump(table.source.tree) else text


class _Attempt:
    """One search over the hints of a pass on one text."""

    def __init__(
        self,
        reducer: Reducer,
        each: Pass,
        table: Statements,
        hints: Sequence[Hint],
        verify: bool,
        trusting: bool,
        markers: frozenset[str],
        substitutes: Substitutes,
    ) -> None:
        self._reducer = reducer
        self._pass = each
        self._table = table
        self._hints = hints
        self._verify = verify
        self._trusting = trusting
        self._markers = markers
        self._substitutes = substitutes
        self._chosen: Subset = frozenset()
        self._size: Size = size_of(table.source.text)
        self._unbound = unbound_names(table.source.text)
        self._hopeless = reducer._failed_on(table.source.text)
        self._presumed: list[Cut] = []

    def presume(self, failed: Sequence[Hint]) -> None:
        """Takes it that statements which could not go on an earlier text can't on this one."""
        plain = [hint.cut for hint in failed if hint.cut == Cut(hint.cut.statements)]
        self._presumed = [close(self._table, cut, self._substitutes) for cut in plain]

    def compatible(self) -> list[Subset]:
        """The hints in groups that can be made together, as large as they come in the given order."""
        groups: list[Subset] = []
        left: Subset = frozenset(range(len(self._hints)))
        while left:
            # What cannot be built even alone is left to be answered without the judge.
            groups.append(self._joined(frozenset(), left) or left)
            left -= groups[-1]
        return groups

    def _joined(self, group: Subset, more: Subset) -> Subset:
        """The group with as many more of the hints as go with it."""
        if self._built(group | more) is not None:
            return group | more
        if len(more) == 1:
            return group
        for half in halves(more):
            group = self._joined(group, half)
        return group

    def ask(self, subsets: Iterable[Subset]) -> Iterator[bool]:
        """Answers each subset; what cannot be built, or is no smaller, is answered without the judge."""
        waiting: deque[tuple[Subset, str | None, Cut]] = deque()

        def texts() -> Iterator[str]:
            for subset in subsets:
                text, cut = self._candidate(subset)
                waiting.append((subset, text, cut))
                if text is not None:
                    self._notify(self._label(subset))
                    yield text

        answers = self._reducer._judge.verdicts(texts(), self._trusted)
        for _, verdict in answers:
            while waiting and waiting[0][1] is None:
                self._note_failure(*waiting.popleft())
                yield False
            subset, text, cut = waiting.popleft()
            if self._holds_a_failure(cut):
                # Asked ahead of an answer that tells against it; alone it would not have been.
                self._note_failure(subset, None, cut)
                yield False
                continue
            if verdict.interesting and text is not None:
                self._accept(subset, text)
                yield True
                return
            self._note_failure(subset, text, cut)
            yield False
        while waiting:
            self._note_failure(*waiting.popleft())
            yield False

    def _trusted(self, text: str) -> bool:
        return self._trusting and marked(text, self._markers)

    def _candidate(self, subset: Subset) -> tuple[str | None, Cut]:
        asked = self._cut_of(subset)
        built = self._built(subset)
        if built is None:
            return None, asked
        text, cut = built
        vain = self._is_hopeless(asked, cut) or not size_of(text) < self._size or self._is_the_base(text)
        return (None if vain else text), cut

    def _is_the_base(self, text: str) -> bool:
        """True where nothing is left of what tells the case from what it is compared with, so that both
        show the same. Left to the proof at the end, since a difference of values would not be seen."""
        return not self._verify and self._reducer._judge.compares and not marked(text, self._markers)

    def _cut_of(self, subset: Subset) -> Cut:
        return functools.reduce(operator.or_, (self._hints[item].cut for item in sorted(subset)), Cut())

    def _built(self, subset: Subset) -> tuple[str, Cut] | None:
        """The text and its closed cut; None where the changes do not go together."""
        try:
            cut = close(self._table, self._cut_of(subset), self._substitutes)
            text = carry_out(self._table, with_unread(self._table, cut))
            unbound = unbound_names(text)
        except (Conflict, SyntaxError, ValueError, RecursionError):
            return None
        return (text, cut) if unbound <= self._unbound else None

    def _is_hopeless(self, asked: Cut, closed: Cut) -> bool:
        """True for cuts that hold one which failed alone. While rounds go on also for those that take
        far more along than they are about: these are left to the proof at the end."""
        if self._holds_a_failure(closed):
            return True
        if self._verify:
            return False
        wanted = {part for number in asked.statements for part in self._table.subtree(number)}
        return len(closed.statements) > FAR_MORE + 2 * len(wanted | asked.bypassed)

    def _holds_a_failure(self, closed: Cut) -> bool:
        return any(
            failed.statements <= closed.statements and failed.elements <= closed.elements
            for failed in [*self._hopeless, *self._presumed]
        )

    def _labels(self, subset: Subset) -> frozenset[str]:
        return frozenset(self._hints[item].label for item in subset - self._chosen)

    def _label(self, subset: Subset) -> str:
        fresh = subset - self._chosen
        return self._hints[min(fresh)].label if len(fresh) == 1 else f"{len(fresh)} together"

    def _note_failure(self, subset: Subset, text: str | None, cut: Cut) -> None:
        fresh = subset - self._chosen
        if len(fresh) == 1 and (text is not None or not self._chosen):
            self._reducer._failed.add(self._hints[min(fresh)].label)
            if text is not None and cut.statements and not cut.edits:
                self._hopeless.append(cut)

    def _accept(self, subset: Subset, text: str) -> None:
        labels = self._labels(subset)
        self._chosen = subset
        self._size = size_of(text)
        self._reducer._best = text
        if self._trusting:
            self._reducer._trail.append(_Trusted(text, labels))
        else:
            self._reducer._confirmed = text
        self._notify("")

    def _notify(self, tried: str) -> None:
        activity = f"verify {self._pass.name}" if self._verify else self._pass.name
        best, confirmed = self._reducer._best, self._reducer._confirmed
        self._reducer._notice(Step(activity, best, best == confirmed, tried))
