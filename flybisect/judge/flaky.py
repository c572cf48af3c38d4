"""Answers that differ from run to run: noticed, measured, and then judged by repeats.

A bug that shows in some runs only is looked for several times in each candidate, as often as it takes to
miss one that shows it as often as the unreduced script with at most `MISSED`
(`flybisect.search.reproduction_rate`). A bug that is too rare for that is refused. For bisections see
`flybisect.search.flaky_bisection`.

A bug that shows in every run costs two more of the unreduced script, and one more of every `EVERY`th
candidate: which ones is told by their text, so that a search that is gone on with asks the same. An unreduced
script that shows nothing at first is run as often before it is called uninteresting.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Protocol, runtime_checkable

from flybisect.errors import UserError
from flybisect.observation import Answer, Verdict
from flybisect.oracle.signatures import UNJUDGEABLE
from flybisect.search.reproduction_rate import (
    AT_START,
    MEASURED,
    MISSED,
    MOST,
    Rate,
)

SLOW = 60.0
"""Wall seconds of a run from which on one more has to do."""
EVERY = 32

Again = Callable[[], Verdict]
"""Judges the same script by fresh trials, whatever is known of it."""
RepeatedVerdicts = Callable[[int], Iterable[Verdict]]
"""The same so many times, which may be side by side."""


@runtime_checkable
class FlakinessNotes(Protocol):
    """Where what was measured is kept for the next run; `flybisect.session.journal.Journal` is one."""

    def note(self, name: str, text: str) -> None: ...

    def noted(self, name: str) -> str | None: ...


NOTE = "shown"
"""Under which it is kept: `9/20`."""


def times_at_start(seconds: float) -> int:
    """How often the unreduced script is run beside its first look, of a run that takes so long."""
    return 1 if seconds >= SLOW else AT_START


def may_flip(verdict: Verdict) -> bool:
    """True of a first look that found nothing, though another one might: not where the script and FlyDSL do
    not fit, or the machine lacks something, or a trial's limit was met."""
    kind = None if verdict.signature is None else verdict.signature.kind
    settled = {*UNJUDGEABLE, "hang", "memory"} if verdict.answer is Answer.UNRESOLVED else UNJUDGEABLE
    return not verdict.interesting and kind not in settled


class Flakiness:
    """Of one search; looks at nothing before `begin`. Judging may go on in several threads after that."""

    def __init__(self) -> None:
        self.notify: Callable[[str], None] = lambda sentence: None
        """Is told, in a sentence, when answers are seen to differ."""
        self.rate: Rate | None = None
        """Of the script that was seen to flip; None while none was."""
        self.notes: FlakinessNotes | None = None
        self._begun = False
        self.runs = 1
        """Of a candidate that does not show the bug at first."""

    def begin(self, first: Verdict, seconds: float, runs: RepeatedVerdicts, missed: int = 0) -> None:
        """Look at the unreduced script, which is interesting, some more, unless an earlier run of the session
        found out how often it shows its bug. `seconds`: what a run takes. `missed`: runs just before that did
        not show it. Raises UserError where it shows its bug too rarely, by what is seen now."""
        self._begun = True
        known = self._known()
        if known is not None and known.repeats is not None and (known.shown < known.runs or not missed):
            self._settle(known)
        elif not missed and all(_same(first, each) for each in runs(times_at_start(seconds))):
            self._note(Rate(1, 1))
        else:
            self._measure(first, runs)

    def _known(self) -> Rate | None:
        text = self.notes.noted(NOTE) if self.notes is not None else None
        shown, _, runs = (text or "")[:20].partition("/")
        valid = shown.isdecimal() and runs.isdecimal() and 0 < int(shown) <= int(runs) <= MEASURED
        return Rate(int(shown), int(runs)) if valid else None

    def _note(self, rate: Rate) -> None:
        if self.notes is not None:
            self.notes.note(NOTE, f"{rate.shown}/{rate.runs}")

    def settled(self, source: str, verdict: Verdict, again: Again) -> Verdict:
        """The verdict on a candidate that was run once. Raises UserError where its bug is too rare."""
        if not self._begun or verdict.answer is Answer.UNRESOLVED:
            return verdict
        if self.runs == 1:
            if not _is_sampled(source):
                return verdict
            second = again()
            if second.answer is Answer.UNRESOLVED or _same(verdict, second):
                return verdict
            shown = verdict if verdict.interesting else second
            self._measure(shown, lambda times: (again() for _ in range(times)))
            return shown
        for _ in range(self.runs - 1):
            if verdict.interesting:
                return verdict
            verdict = again()
        return verdict

    def _measure(self, shown: Verdict, runs: RepeatedVerdicts) -> None:
        """`shown`: a run that shows the bug; another one was seen that does not."""
        rate = Rate(1 + sum(_same(shown, each) for each in runs(MEASURED - 2)), MEASURED)
        self._note(rate)
        self._settle(rate)

    def _settle(self, rate: Rate) -> None:
        if rate.shown == rate.runs:
            return
        if rate.repeats is None:
            raise UserError(
                f"the bug shows in {rate} of the same script, which is too rarely to judge by: a candidate "
                f"would have to be run more than {MOST} times; find what makes it show more often, or give "
                "an oracle that does not depend on it"
            )
        self.rate, self.runs = rate, max(self.runs, rate.repeats)
        self.notify(
            f"the bug shows in {rate} of the same script: a candidate counts as without it after {self.runs} "
            f"runs, so that one which shows it as often is missed with at most {MISSED:.0%}"
        )


def _same(one: Verdict, other: Verdict) -> bool:
    return one.answer is other.answer and (not one.interesting or one.signature == other.signature)


def _is_sampled(source: str) -> bool:
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).digest()
    return digest[0] % EVERY == 0
