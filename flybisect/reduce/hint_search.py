"""One search over hints on one text: candidates are built, told apart and asked about."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flybisect.judge.question import Question, Questions, Reply
from flybisect.reduce.compatibility import Compatibility
from flybisect.reduce.dynamic_facts import has_markers
from flybisect.reduce.hint import Hint, Pass, PassPhase
from flybisect.reduce.reduction_state import ReductionState
from flybisect.reduce.trust import confirm
from flybisect.search.beliefs import Change, Kind
from flybisect.search.group_testing import GroupTest, Subset, halves
from flybisect.source.check import unbound_names
from flybisect.source.consequences import Consequences
from flybisect.source.cut import Cut, carry_out, close, own_nodes
from flybisect.source.edit import Conflict
from flybisect.source.liveness import Liveness
from flybisect.source.measure import Size, size_of
from flybisect.source.scopes import Statements, qualified
from flybisect.source.substitute import Substitutes

STALE = 0.8
"""Part of the script's size at which hints are read anew: there are others by then."""
FAR_MORE = 8
"""Statements that a cut may take along beside twice its own number, while rounds go on."""

LIKELY, IN_THE_PROOF = 0.9, 0.05
"""Chances that a hint holds which its pass calls likely, and that one does which is tried for the proof."""


@dataclass(frozen=True)
class Offer:
    """A hint, and the pass that gives it."""

    of: Pass
    hint: Hint


class HintSearch:
    """One search over the hints of some passes on one text."""

    def __init__(
        self,
        standing: ReductionState,
        table: Statements,
        offers: Sequence[Offer],
        verify: bool,
        trusting: bool,
        compares: bool,
        markers: frozenset[str],
        substitutes: Substitutes,
        needed: frozenset[int] = frozenset(),
    ) -> None:
        self._standing = standing
        self._table = table
        self._verify = verify
        self._trusting = trusting
        self._compares = compares
        self._markers = markers
        self._substitutes = substitutes
        self._liveness = Liveness(table, needed)
        self._consequences = Consequences(table, self._liveness)
        self._size: Size = size_of(table.source.text)
        self._begun = self._size
        self._unbound = unbound_names(table.source.text)
        self._hopeless = standing.hopeless(table.source.text)
        self._presumed: list[Cut] = []
        self._built_last: tuple[Subset, tuple[str | None, Cut]] | None = None
        self._units = [
            f"statement {qualified(table, each)} {table.source.segment(each.node)}" for each in table.all
        ]
        self._stay = [] if verify else list(self._staying(needed))
        taken = {offer: self._consequences.of(offer.hint.cut) for offer in offers}
        self._offers = [each for each in offers if not any(stays <= taken[each] for stays in self._stay)]
        self._hints = [each.hint for each in self._offers]
        self._together = Compatibility(table, self._hints)
        changes = [self._change(each, taken[each]) for each in self._offers]
        self._test = GroupTest(changes, standing.beliefs, self._buildable)

    def _staying(self, needed: frozenset[int]) -> Iterator[frozenset[int]]:
        """Sets of statements that cannot all go: the failing one, the launches, those that tell the case from
        its baseline."""
        if needed:
            yield frozenset([min(needed)])
        words = ["launch", *(self._markers if self._compares else ())]
        found: dict[str, set[int]] = {word: set() for word in words}
        for entry in self._table.all:
            names = {getattr(node, "id", getattr(node, "attr", "")) for node in own_nodes(entry.node)}
            for word in found.keys() & names:
                found[word].add(entry.number)
        yield from (frozenset(numbers) for numbers in found.values() if numbers)

    def presume(self, failed: Sequence[Hint]) -> None:
        """Takes it that statements which could not go on an earlier text can't on this one."""
        plain = [hint.cut for hint in failed if hint.cut == Cut(hint.cut.statements)]
        self._presumed = [close(self._table, cut, self._substitutes) for cut in plain]

    def run(self, least: int) -> Questions[bool]:
        """Makes as many of the hints as hold together, by groups. False where the script is another one now
        than these hints are about: much smaller, or the baseline had broken; `least`: see `GroupTest`."""
        steps = self._test.run(least)
        try:
            group = next(steps)
            while True:
                holds = yield from self._holds(group)
                if self._standing.due and not (yield from confirm(self._standing)):
                    return False
                if holds and self._size.parts < STALE * self._begun.parts:
                    return False
                group = steps.send(holds)
        except StopIteration:
            return True

    @property
    def left_out(self) -> bool:
        """Whether hints could not be made together with others, and may be on the text that is left."""
        return bool(self._test.unbuilt) and bool(self._test.chosen)

    def _change(self, offer: Offer, taken: frozenset[int]) -> Change:
        each, hint = offer.of, offer.hint
        if self._verify:
            return Change(f"verify {hint.label}", Kind(f"verify {each.name}", IN_THE_PROOF))
        kind = Kind(each.name, each.chance)
        if hint.likely:
            kind = Kind(f"{each.name}, likely", max(LIKELY, each.chance))
        # What is known to be of no use says nothing of what has to stay. In the place of a statement that is
        # bypassed another stands.
        gone = frozenset[int]() if each.phase is PassPhase.FIRST else taken - hint.cut.bypassed
        return Change(hint.label, kind, frozenset(self._units[number] for number in gone), each.worth)

    def _buildable(self, chosen: Subset, wanted: Subset) -> Subset:
        group = self._together.group(chosen | wanted, first=chosen) - chosen
        return self._joined(chosen, group) - chosen

    def _joined(self, group: Subset, more: Subset) -> Subset:
        """The group with as many more of the hints as are worth asking about with it."""
        if not more or self._candidate(group | more)[0] is not None:
            return group | more
        if len(more) == 1:
            return group
        for half in halves(more):
            group = self._joined(group, half)
        return group

    def _holds(self, group: Subset) -> Questions[bool]:
        subset = self._test.chosen | group
        text, cut = self._candidate(subset)
        assert text is not None, "groups are built before they are asked about"
        self._notify(group, self._label(group))
        trusted = self._trusted(text)
        reply = yield Question(text, trusted)
        if reply.interesting:
            self._accept(group, text, reply, trusted)
        elif len(group) == 1:
            self._standing.failed.add(self._hints[min(group)].label)
            if cut.statements and not cut.edits:
                self._hopeless.append(cut)
        return reply.interesting

    def _trusted(self, text: str) -> bool:
        return self._compares and self._trusting and has_markers(text, self._markers)

    def _candidate(self, subset: Subset) -> tuple[str | None, Cut]:
        """The text, None where it is not worth a question, and the cut. The last one is kept."""
        if self._built_last is None or self._built_last[0] != subset:
            self._built_last = subset, self._candidate_of(subset)
        return self._built_last[1]

    def _candidate_of(self, subset: Subset) -> tuple[str | None, Cut]:
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

    def _label(self, group: Subset) -> str:
        return self._hints[min(group)].label if len(group) == 1 else f"{len(group)} together"

    def _accept(self, group: Subset, text: str, reply: Reply, trusted: bool) -> None:
        before, self._size = self._size, size_of(text)
        share = 1 - self._size.parts / before.parts
        labels = frozenset(self._hints[item].label for item in group)
        self._standing.accept(text, labels, reply, trusted=trusted, share=share)
        self._notify(group, "")

    def _notify(self, group: Subset, tried: str) -> None:
        names = {self._offers[each].of.name: None for each in sorted(group)}
        name = next(iter(names)) if len(names) == 1 else "several passes"
        self._standing.tell(f"verify {name}" if self._verify else name, tried)
