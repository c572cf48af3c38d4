"""The scheduling of passes: rounds until nothing goes any more, then the proof that it does not.

A round runs every pass with delta debugging over its hints, those left out that failed before. When
a round changes nothing, every single hint of every pass is tried on the script as it stands. If all
fail, the script is 1-minimal over the passes; if one holds, rounds begin again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from flybisect.observation import Verdict
from flybisect.reduce.facts import Observing, learn
from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut, carry_out, close
from flybisect.script.edit import Conflict
from flybisect.script.liveness import with_unread
from flybisect.script.measure import Size, size_of
from flybisect.script.polish import polished
from flybisect.script.scopes import Statements
from flybisect.script.source import Source
from flybisect.script.substitute import Substitutes
from flybisect.search.grow import Subset, grow, parts

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
    """True when every single hint of every pass was tried on this text, and failed."""


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

    @property
    def best(self) -> str:
        """The smallest interesting script so far; what is left when the run is interrupted."""
        return self._confirmed

    def run(self, text: str) -> Reduction:
        """`text` is known to be interesting."""
        self._best = self._confirmed = self._original = text
        self._learned = (text, learn(self._judge, text))
        while True:
            self._rounds(text)
            before = self._best
            for each in self._passes:
                self._search(each, verify=True, trusting=False)
            if self._best == before:
                return Reduction(polished(self._best), minimal=True)

    def _rounds(self, text: str) -> None:
        coarse = [each for each in self._passes if not each.fine]
        fine = [each for each in self._passes if each.fine]
        while True:
            before = self._best
            while self._round(coarse):
                if self._learned[0] == text:
                    # Once more, now that sizes and types have changed: more things are of one kind.
                    located = self._learned[1].located
                    self._learned = (self._best, replace(learn(self._judge, self._best), located=located))
            self._round(fine)
            if self._best == before:
                return

    def _round(self, passes: Sequence[Pass]) -> bool:
        """One sweep of each. False when none changed anything."""
        before, sweeps = self._best, 0
        for each in passes:
            at = self._best
            self._search(each, verify=False, trusting=self._judge.compares)
            sweeps += self._best != at
            if sweeps == TRUSTED:
                self._confirm()
                sweeps = 0
        self._confirm()
        return self._best != before

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
        return replace(facts, lines=lines, failing_line=line, original=self._original)

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
            if not verify:
                hints = [hint for hint in hints if hint.label not in self._failed]
            if hints:
                chunks = parts(len(hints), len(hints) if verify or not each.chunks else each.chunks)
                substitutes = Substitutes(table, facts.kinds)
                attempt = _Attempt(self, each, table, hints, verify, trusting, facts.markers, substitutes)
                grow(chunks, attempt.ask)


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
        self._hopeless: list[frozenset[int]] = []

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
            if not self._verify and self._holds_a_failure(cut):
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
        return self._trusting and all(marker in text for marker in self._markers)

    def _candidate(self, subset: Subset) -> tuple[str | None, Cut]:
        cut = Cut()
        for item in sorted(subset):
            cut |= self._hints[item].cut
        try:
            asked = cut
            cut = close(self._table, asked, self._substitutes)
            if not self._verify and self._is_hopeless(asked, cut):
                return None, cut
            text = carry_out(self._table, with_unread(self._table, cut))
            smaller = size_of(text) < self._size
        except (Conflict, SyntaxError, ValueError, RecursionError):
            return None, cut
        return (text if smaller else None), cut

    def _is_hopeless(self, asked: Cut, closed: Cut) -> bool:
        """True for cuts that are left to the proof at the end: they hold one that failed alone, or take
        far more along than they are about."""
        if self._holds_a_failure(closed):
            return True
        wanted = {part for number in asked.statements for part in self._table.subtree(number)}
        return len(closed.statements) > FAR_MORE + 2 * len(wanted | asked.bypassed)

    def _holds_a_failure(self, closed: Cut) -> bool:
        return any(failed <= closed.statements for failed in self._hopeless)

    def _label(self, subset: Subset) -> str:
        fresh = subset - self._chosen
        return self._hints[min(fresh)].label if len(fresh) == 1 else f"{len(fresh)} together"

    def _note_failure(self, subset: Subset, text: str | None, cut: Cut) -> None:
        fresh = subset - self._chosen
        if len(fresh) == 1:
            self._reducer._failed.add(self._hints[min(fresh)].label)
            if text is not None and cut.statements and not cut.edits:
                self._hopeless.append(cut.statements)

    def _accept(self, subset: Subset, text: str) -> None:
        labels = frozenset(self._hints[item].label for item in subset - self._chosen)
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
