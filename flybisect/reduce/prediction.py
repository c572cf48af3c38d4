"""What a reduction will ask next, predicted by replaying a copy of it.

The copy is sent the answers that are known, and else the ones that mostly come of such questions. So it asks
what will be asked if these are right: the next question where this one fails, the one after its success where
it holds, and those of the passes that follow. They are tried beside the question that is waited for. Nothing
of this reaches the reduction but the time that it saves: the copy's answers are thrown away.

A search's first question mostly holds (all of a pass's changes together), and what is asked after a failure
mostly fails, as does all that is asked for the proof. How often that was so in a pass of this run counts as
well.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from flybisect.judge.question import Question, Questions, Reply
from flybisect.observation import Want

BELIEF = 2
"""Answers that what is believed of a search counts for, beside those that it had in this run."""
FORGIVEN = 3
"""Predicted questions that are not asked, before the copy is made anew."""
FARTHEST = 24
"""Questions that are kept ahead."""


@dataclass(frozen=True)
class Search:
    """A search that begins: of a pass, or of the proof."""

    name: str
    first_holds: bool
    """Whether its first question mostly holds."""
    others_hold: bool = False
    """Whether the questions after a failure mostly hold."""


class Rates:
    """How often the questions of a search held, the first ones and those behind one that failed."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, bool], list[bool]] = defaultdict(list)

    def note(self, search: Search, first: bool, held: bool) -> None:
        self._answers[search.name, first].append(held)

    def holds(self, search: Search, first: bool) -> bool:
        """Whether the next one is more likely to hold than to fail."""
        answers = self._answers[search.name, first]
        believed = BELIEF if (search.first_holds if first else search.others_hold) else 0
        return 2 * (sum(answers) + believed) > len(answers) + BELIEF


Begin = Callable[[Search], None]
Replay = Callable[[Begin], Questions[None]]
"""A copy of the reduction, from where its search began; it says which searches it begins."""
_NOWHERE = Search("", first_holds=False)


class Predictor:
    """Predicts the questions of one reduction. Use from one thread."""

    def __init__(self, known: Callable[[str], bool | None]) -> None:
        """`known`: whether a script is interesting, where that takes no trial to tell."""
        self._known = known
        self._rates = Rates()
        self._answers: dict[str, bool] = {}
        self._search = _NOWHERE
        self._first = True
        self._replay: Replay | None = None
        self._ahead: Iterator[Question] = iter(())
        self._expected: deque[Question] = deque()

    def begin(self, search: Search, replay: Replay) -> None:
        """The reduction begins a search."""
        self._search, self._first, self._replay = search, True, replay

    def note(self, question: Question, reply: Reply) -> None:
        """The answer to a question of the reduction."""
        if question.wants is None and reply.trial:
            self._rates.note(self._search, self._first, reply.interesting)
            self._answers[question.source] = reply.interesting
            self._first = reply.interesting

    def after(self, question: Question) -> Iterator[Question]:
        """What comes after a question, if the copy is right; drawn from while there is room to try it."""
        if not self._on_track(question):
            self._expected.clear()
            self._ahead = iter(()) if self._replay is None else self._replayed(self._replay)
            if not self._on_track(question):
                return
        yield from tuple(self._expected)
        while len(self._expected) < FARTHEST and (ahead := next(self._ahead, None)) is not None:
            self._expected.append(ahead)
            yield ahead

    def _on_track(self, question: Question) -> bool:
        for _ in range(FORGIVEN):
            if not self._expected and (ahead := next(self._ahead, None)) is not None:
                self._expected.append(ahead)
            if not self._expected:
                return False
            if self._expected.popleft() == question:
                return True
        return False

    def _replayed(self, replay: Replay) -> Iterator[Question]:
        """The questions of a copy whose answers are not known."""
        answers = dict(self._answers)
        search, first = _NOWHERE, True

        def begin(begun: Search) -> None:
            nonlocal search, first
            search, first = begun, True

        steps = replay(begin)
        reply: Reply | None = None
        while True:
            try:
                question = next(steps) if reply is None else steps.send(reply)
            except StopIteration:
                return
            if question.wants is not None:
                if Want.COVERAGE in question.wants:
                    yield question
                reply = Reply(predicted=True)
                continue
            known = answers.get(question.source, self._known(question.source))
            trial = known is None or question.source in answers
            if known is None:
                yield question
                known = answers[question.source] = self._rates.holds(search, first)
            if trial:
                first = known
            reply = Reply(known, trial=trial, predicted=True)
