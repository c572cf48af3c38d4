"""What a reduction will ask next, foreseen by running a copy of it ahead.

The copy answers what is not known yet by what usually comes of it, and so meets the questions that will come
if that is right: the next one where this one fails, the one after its success where it holds, and those of
the passes that follow. They are tried beside the question that is waited for. Nothing of it reaches the
reduction but the time that it takes: the copy's answers are thrown away.

A search's first question mostly holds (all of a pass's changes together), and what is asked after a failure
mostly fails, as does all that is asked for the proof; how often that was so in a pass of this run counts as
well. Of 227 questions in three cases the next one is foreseen after 191.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from flybisect.guess import Guess
from flybisect.observation import Answer, Observation, Verdict, Want
from flybisect.reduce import attempt

HOLDS = Verdict(Answer.INTERESTING)
FAILS = Verdict(Answer.UNINTERESTING)
DOUBTFUL = frozenset({"statements", "bypass", "layouts", "expressions", "parameters", "host", "sizes"})
"""Passes whose first question mostly fails; that of all others mostly holds."""
BELIEF = 2
"""Answers that what is said here of a pass counts for, beside those that it had in this run."""
FORGIVEN = 3
"""Questions that were foreseen and are not asked, before the copy is set right."""
FARTHEST = 24
"""Questions that are kept ahead."""


class Judging(attempt.Judging, Protocol):
    """A judge that may be told what comes next."""

    def verdicts(
        self,
        sources: Iterable[str],
        trusted: Callable[[str], bool] = lambda source: False,
        guesses: Callable[[str], Iterator[Guess]] | None = None,
    ) -> Iterator[tuple[str, Verdict]]:
        """`guesses`: what may be asked after a question, drawn from while there is room to try it."""
        ...

    def known(self, source: str) -> bool | None:
        """Whether a script is interesting, where that takes no trial to tell."""
        ...


@runtime_checkable
class Telling(Judging, Protocol):
    """A judge that wants to know how a reduction goes on."""

    def begin(self, activity: str, ahead: Callable[[Telling], None]) -> None:
        """A search begins, of a pass by that name. `ahead` runs it, and what follows it, on a copy of where
        the reduction stands, asking the judge that it is given."""
        ...


class Rates:
    """How often the questions of a pass held, the first of a search and those behind one that failed."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, bool], list[bool]] = defaultdict(list)

    def note(self, activity: str, first: bool, held: bool) -> None:
        self._answers[activity, first].append(held)

    def holds(self, activity: str, first: bool) -> bool:
        """Whether the next one is more likely to hold than to fail."""
        if activity.startswith("verify"):
            return False
        answers = self._answers[activity, first]
        believed = BELIEF if first and activity not in DOUBTFUL else 0
        return 2 * (sum(answers) + believed) > len(answers) + BELIEF


class Foresight:
    """A judge that is told what may be asked next. To be closed."""

    def __init__(self, judge: Judging) -> None:
        self._judge = judge
        self._ahead: Callable[[Telling], None] = lambda judge: None
        self._activity = ""
        self._rates = Rates()
        self._answers: dict[str, bool] = {}
        self._copy: _Aside | None = None
        self._expected: deque[Guess] = deque()

    def begin(self, activity: str, ahead: Callable[[Telling], None]) -> None:
        """See `Telling`."""
        self._ahead = ahead
        self._activity = activity

    @property
    def compares(self) -> bool:
        return self._judge.compares

    def judge(self, source: str) -> Verdict:
        return self._judge.judge(source)

    def observe(self, source: str, wants: frozenset[Want] = frozenset()) -> Sequence[Observation]:
        return self._judge.observe(source, wants)

    def failing_line(self, source: str) -> int | None:
        return self._judge.failing_line(source)

    def known(self, source: str) -> bool | None:
        return self._judge.known(source)

    def verdicts(
        self,
        sources: Iterable[str],
        trusted: Callable[[str], bool] = lambda source: False,
        guesses: Callable[[str], Iterator[Guess]] | None = None,
    ) -> Iterator[tuple[str, Verdict]]:
        costly: set[str] = set()

        def watched() -> Iterator[str]:
            for source in sources:
                if self._judge.known(source) is None:
                    costly.add(source)
                yield source

        first = True
        for source, verdict in self._judge.verdicts(watched(), trusted, self._foreseen):
            if source in costly:
                self._rates.note(self._activity, first, verdict.interesting)
                first = False
                self._answers[source] = verdict.interesting
            yield source, verdict

    def close(self) -> None:
        if self._copy is not None:
            self._copy.close()
            self._copy = None

    def _foreseen(self, asked: str) -> Iterator[Guess]:
        """What comes after a question, if the copy is right."""
        if not self._on_track(asked):
            self.close()
            self._expected.clear()
            self._copy = _Aside(_Copied(self._judge, self._rates, dict(self._answers)), self._ahead)
            if not self._on_track(asked):
                return
        yield from tuple(self._expected)
        while self._copy is not None and len(self._expected) < FARTHEST:
            guess = self._copy.next()
            if guess is None:
                return
            self._expected.append(guess)
            yield guess

    def _on_track(self, asked: str) -> bool:
        for _ in range(FORGIVEN):
            if not self._expected:
                guess = None if self._copy is None else self._copy.next()
                if guess is None:
                    return False
                self._expected.append(guess)
            if self._expected.popleft().source == asked:
                return True
        return False


class _Over(BaseException):
    """The copy is not wanted any more; ends its thread."""


class _Copied:
    """The copy's judge: what is known, and else what is to be expected, which is told."""

    def __init__(self, judge: Judging, rates: Rates, answers: dict[str, bool]) -> None:
        self._judge = judge
        self._rates = rates
        self._answers = answers
        self.meets: Callable[[Guess], None] = lambda guess: None
        self.activity = ""
        self._failing: str | None = None

    @property
    def compares(self) -> bool:
        return self._judge.compares

    def failing_line(self, source: str) -> int | None:
        """In a script that was not judged the line with the text that it had in the last one."""
        lines = source.split("\n")
        line = self._judge.failing_line(source)
        if line is not None:
            self._failing = lines[line - 1]
        elif self._failing in lines:
            line = lines.index(self._failing) + 1
        return line

    def known(self, source: str) -> bool | None:
        known = self._answers.get(source)
        return self._judge.known(source) if known is None else known

    def observe(self, source: str, wants: frozenset[Want] = frozenset()) -> Sequence[Observation]:
        """Nothing: what was learned before stands. But a reduction that learns will ask it."""
        if Want.COVERAGE in wants:
            self.meets(Guess(source, observing=True))
        return ()

    def begin(self, activity: str, ahead: Callable[[Telling], None]) -> None:
        self.activity = activity

    def judge(self, source: str) -> Verdict:
        """A sum of successes mostly holds."""
        return HOLDS

    def verdicts(
        self,
        sources: Iterable[str],
        trusted: Callable[[str], bool] = lambda source: False,
        guesses: Callable[[str], Iterator[Guess]] | None = None,
    ) -> Iterator[tuple[str, Verdict]]:
        first = True
        for source in sources:
            known = self.known(source)
            if known is None:
                self.meets(Guess(source, trusted(source)))
                known = self._answers[source] = self._rates.holds(self.activity, first)
            if source in self._answers:
                first = False  # Unlike one that takes no trial to tell.
            yield source, HOLDS if known else FAILS


class _Aside:
    """Runs the copy in a thread that goes on only while its next question is waited for."""

    def __init__(self, judge: _Copied, run: Callable[[_Copied], None]) -> None:
        self._judge = judge
        self._run = run
        self._go, self._met = threading.Semaphore(0), threading.Semaphore(0)
        self._guess: Guess | None = None
        self._over = self._ended = False
        judge.meets = self._meet
        self._thread = threading.Thread(target=self._work, name="foresight", daemon=True)
        self._thread.start()

    def next(self) -> Guess | None:
        """The next question; None at the end."""
        if self._ended:
            return None
        self._guess = None
        self._go.release()
        self._met.acquire()
        return self._guess

    def close(self) -> None:
        if not self._ended:
            self._over = True
            self._go.release()
        self._thread.join()

    def _meet(self, guess: Guess) -> None:
        self._guess = guess
        self._met.release()
        self._wait()

    def _wait(self) -> None:
        self._go.acquire()
        if self._over:
            raise _Over

    def _work(self) -> None:
        try:
            self._wait()
            self._run(self._judge)
        except _Over:
            pass
        except Exception:  # noqa: BLE001 - the copy meets what the reduction never will; only time is lost
            pass
        finally:
            self._guess = None
            self._ended = True
            self._met.release()
