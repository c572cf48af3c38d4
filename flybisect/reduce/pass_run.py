"""One search over the hints of a pass on one text: candidates are built, told apart and asked about."""

from __future__ import annotations

import functools
import operator
from collections.abc import Generator, Sequence
from typing import TypeVar

from flybisect.judge.question import Question, Reply
from flybisect.reduce.compatibility import Compatibility
from flybisect.reduce.dynamic_facts import has_markers
from flybisect.reduce.hint import Hint, Pass
from flybisect.reduce.reduction_state import ReductionState
from flybisect.search.delta_debugging import Subset, delta_debug, halves
from flybisect.source.check import unbound_names
from flybisect.source.cut import Cut, carry_out, close
from flybisect.source.edit import Conflict
from flybisect.source.liveness import Liveness
from flybisect.source.measure import Size, size_of
from flybisect.source.scopes import Statements
from flybisect.source.substitute import Substitutes

FAR_MORE = 8
"""Statements that a cut may take along beside twice its own number, while rounds go on."""


Result = TypeVar("Result")
Questions = Generator[Question, Reply, Result]
"""A part of a reduction: it yields questions, is sent their answers, and comes to a result."""


class PassRun:
    """One search over the hints of a pass on one text."""

    def __init__(
        self,
        standing: ReductionState,
        each: Pass,
        table: Statements,
        hints: Sequence[Hint],
        verify: bool,
        trusting: bool,
        compares: bool,
        markers: frozenset[str],
        substitutes: Substitutes,
        needed: frozenset[int] = frozenset(),
    ) -> None:
        self._standing = standing
        self._pass = each
        self._table = table
        self._hints = hints
        self._verify = verify
        self._trusting = trusting
        self._compares = compares
        self._markers = markers
        self._substitutes = substitutes
        self._liveness = Liveness(table, needed)
        self._together = Compatibility(table, hints)
        self._chosen: Subset = frozenset()
        self._size: Size = size_of(table.source.text)
        self._unbound = unbound_names(table.source.text)
        self._hopeless = standing.hopeless(table.source.text)
        self._presumed: list[Cut] = []

    def presume(self, failed: Sequence[Hint]) -> None:
        """Takes it that statements which could not go on an earlier text can't on this one."""
        plain = [hint.cut for hint in failed if hint.cut == Cut(hint.cut.statements)]
        self._presumed = [close(self._table, cut, self._substitutes) for cut in plain]

    def likely_first(self) -> list[Subset]:
        """The likely hints in groups that can be made together, then each of the others."""
        likely = frozenset(at for at, hint in enumerate(self._hints) if hint.likely)
        others = sorted(frozenset(range(len(self._hints))) - likely)
        return [*self._groups(likely), *(frozenset([at]) for at in others)]

    def compatible(self) -> list[Subset]:
        """The hints in groups that can be made together, as large as they come in the given order."""
        return self._groups(frozenset(range(len(self._hints))))

    def _groups(self, left: Subset) -> list[Subset]:
        groups: list[Subset] = []
        while left:
            group = self._together.group(left)
            # What cannot be built even alone is left to be answered without the judge.
            groups.append(self._joined(frozenset(), group) or group)
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

    def search(self, chunks: Sequence[Subset], smallest: int) -> Questions[None]:
        """Delta debugging over the chunks; see `flybisect.search.delta_debugging`."""
        steps = delta_debug(chunks, smallest)
        try:
            subset = next(steps)
            while True:
                subset = steps.send((yield from self._holds(subset)))
        except StopIteration:
            return

    def _holds(self, subset: Subset) -> Questions[bool]:
        """What cannot be built, or is no smaller, fails without a question."""
        text, cut = self._candidate(subset)
        if text is None:
            self._note_failure(subset, None, cut)
            return False
        self._notify(self._label(subset))
        reply = yield Question(text, self._trusted(text))
        if reply.interesting:
            self._accept(subset, text, reply)
        else:
            self._note_failure(subset, text, cut)
        return reply.interesting

    def _trusted(self, text: str) -> bool:
        return self._compares and self._trusting and has_markers(text, self._markers)

    def _candidate(self, subset: Subset) -> tuple[str | None, Cut]:
        asked = self._cut_of(subset)
        built = self._built(subset)
        if built is None:
            return None, asked
        text, closed, made = built
        hopeless = self._holds_a_failure(asked, made) or self._is_too_much(asked, closed)
        vain = hopeless or not size_of(text) < self._size or self._is_the_base(text)
        return (None if vain else text), made

    def _is_the_base(self, text: str) -> bool:
        """True where nothing is left of what tells the case from what it is compared with, so that both
        show the same. Left to the proof at the end, since a difference of values would not be seen."""
        return not self._verify and self._compares and not has_markers(text, self._markers)

    def _cut_of(self, subset: Subset) -> Cut:
        return functools.reduce(operator.or_, (self._hints[item].cut for item in sorted(subset)), Cut())

    def _built(self, subset: Subset) -> tuple[str, Cut, Cut] | None:
        """The text, its closed cut, and that with what nothing reads any more; None where the changes do not
        go together. In the proof what nothing reads any more stays: to cut that is another step."""
        if self._together.group(subset) != subset:
            return None
        try:
            closed = close(self._table, self._cut_of(subset), self._substitutes)
            made = closed if self._verify else self._liveness.with_unread(closed)
            text = carry_out(self._table, made)
            unbound = unbound_names(text)
        except (Conflict, SyntaxError, ValueError, RecursionError):
            return None
        return (text, closed, made) if unbound <= self._unbound else None

    def _is_too_much(self, asked: Cut, closed: Cut) -> bool:
        """While rounds go on, true for cuts that take far more along than they are about: these are left to
        the proof at the end."""
        if self._verify:
            return False
        wanted = {part for number in asked.statements for part in self._table.subtree(number)}
        return len(closed.statements) > FAR_MORE + 2 * len(wanted | asked.bypassed)

    def _holds_a_failure(self, asked: Cut, made: Cut) -> bool:
        """True for a cut that holds one which failed alone. False where it writes something in another place:
        then its statements may be there."""
        return not asked.edits and any(
            failed.statements <= made.statements and failed.elements <= made.elements
            for failed in [*self._hopeless, *self._presumed]
        )

    def _labels(self, subset: Subset) -> frozenset[str]:
        return frozenset(self._hints[item].label for item in subset - self._chosen)

    def _label(self, subset: Subset) -> str:
        fresh = subset - self._chosen
        return self._hints[min(fresh)].label if len(fresh) == 1 else f"{len(fresh)} together"

    def _note_failure(self, subset: Subset, text: str | None, cut: Cut) -> None:
        fresh = subset - self._chosen
        if len(fresh) == 1 and text is not None:
            self._standing.failed.add(self._hints[min(fresh)].label)
            if cut.statements and not cut.edits:
                self._hopeless.append(cut)

    def _accept(self, subset: Subset, text: str, reply: Reply) -> None:
        labels = self._labels(subset)
        self._chosen = subset
        self._size = size_of(text)
        self._standing.accept(text, labels, reply, trusting=self._trusting)
        self._notify("")

    def _notify(self, tried: str) -> None:
        activity = f"verify {self._pass.name}" if self._verify else self._pass.name
        self._standing.tell(activity, tried)
