"""A flaky bug in a reduction: noticed, measured, and then judged by repeated runs.

Each candidate is run as often as the unreduced script's reproduction rate takes (the arithmetic is in
`flybisect.search.reproduction_rate`); a bug with too low a rate is refused. For bisections see
`flybisect.search.flaky_bisection`.

A bug that shows in every run costs two more of the unreduced script, and a second one of every `SAMPLED`th
candidate. An unreduced script that shows nothing at first is run as often before it is called uninteresting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, runtime_checkable

from flybisect.errors import UserError
from flybisect.observation import Answer, Verdict
from flybisect.oracle.signatures import UNJUDGEABLE
from flybisect.search.reproduction_rate import (
    MEASURED,
    Rate,
    counted_as_good,
    extra_runs,
    is_sampled,
    rate_too_low,
)

SLOW = 60.0
"""Wall seconds of a run from which on one extra run has to do."""

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
    """Extra runs of an unreduced script that takes so long."""
    return extra_runs(seconds, SLOW)


def may_flip(verdict: Verdict) -> bool:
    """True of a first run that found nothing, though another one might: not where the script and FlyDSL do
    not fit, or the machine lacks something, or a trial's limit was met."""
    kind = None if verdict.signature is None else verdict.signature.kind
    settled = {*UNJUDGEABLE, "hang", "memory"} if verdict.answer is Answer.UNRESOLVED else UNJUDGEABLE
    return not verdict.interesting and kind not in settled


class Flakiness:
    """Of one reduction; runs nothing before `begin`. It may be used in several threads after that."""

    def __init__(self) -> None:
        self.notify: Callable[[str], None] = lambda sentence: None
        """Gets a sentence when the bug is seen to be flaky."""
        self.rate: Rate | None = None
        """The reproduction rate of a flaky bug; None while it is not known to be one."""
        self.notes: FlakinessNotes | None = None
        self._begun = False
        self.runs = 1
        """After so many clean runs a candidate counts as good."""

    def begin(self, first: Verdict, seconds: float, runs: RepeatedVerdicts, missed: int = 0) -> None:
        """Repeat the unreduced script, which is interesting, unless an earlier run of the session measured
        its rate. `seconds`: what a run takes. `missed`: runs just before that did not show the bug. Raises
        UserError where the rate that is measured now is too low."""
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
        """The verdict on a candidate that was run once. Raises UserError where its rate is too low."""
        if not self._begun or verdict.answer is Answer.UNRESOLVED:
            return verdict
        if self.runs == 1:
            if not is_sampled(source):
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
        shown = f"the bug shows in {rate} of the same script"
        if rate.repeats is None:
            raise UserError(rate_too_low(shown, "candidate"))
        self.rate, self.runs = rate, max(self.runs, rate.repeats)
        self.notify(f"{shown}. {counted_as_good(self.runs, 'candidates')}")


def _same(one: Verdict, other: Verdict) -> bool:
    return one.answer is other.answer and (not one.interesting or one.signature == other.signature)
