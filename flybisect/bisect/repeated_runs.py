"""Looking at FlyDSLs as often as their answers need, and what that says about them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from flybisect.bisect.endpoints import (
    EndpointOracle,
    EndpointRule,
    EndpointsAlike,
    rule_for,
)
from flybisect.bisect.observer import Observer
from flybisect.bisect.test_record import TestRecord
from flybisect.errors import UserError
from flybisect.judge.flaky import FlakinessNotes
from flybisect.observation import Answer, Verdict
from flybisect.oracle.plugin import Evidence
from flybisect.search.bisect import Side
from flybisect.search.flaky_bisection import UNSEEN, FlakyTally, Tally
from flybisect.search.reproduction_rate import (
    AT_START,
    MISSED,
    MOST,
    Rate,
)
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.store import Notify

SLOW = 10.0
"""Wall seconds of a run from which on one look more has to do."""


def toolchain_name(toolchain: Toolchain) -> str:
    """A release by its version, a commit by its hash."""
    return toolchain.spec if toolchain.kind in ("overlay", "source") else toolchain.version


@dataclass(frozen=True)
class FlakyAnswers:
    """How far answers hold from run to run. The default: none flipped."""

    runs: int = 1
    """Without the bug, after which a FlyDSL counts as good."""
    flipping: tuple[tuple[str, Rate], ...] = ()
    """Those that show the bug in some runs only."""
    rare: tuple[str, Rate] | None = None
    """The one that shows it too rarely for its absence in another to say anything."""
    least: int = 1
    """Runs that each end and both FlyDSLs of the answer had at least."""

    @property
    def sentences(self) -> list[str]:
        """For a reader."""
        told = [f"{name} shows the bug in {rate}" for name, rate in self.flipping]
        if not told:
            times = f"{self.least} times each, and said the same each time"
            return [f"the ends and the two of the answer were run {times}"] if self.least > 1 else []
        found = [", ".join(told)]
        if self.runs > 1:
            found.append(
                f"what does not show it counts as good after {self.runs} runs, so that one which shows it "
                f"as often is missed with at most {MISSED:.0%}"
            )
        if self.rare is not None:
            found.append(
                f"{self.rare[0]} shows it too rarely to judge others by: those that did not show it are left "
                "open, but for the end"
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "runs": self.runs,
            "missed": MISSED if self.runs > 1 else None,
            "flipping": [
                {"name": name, "shown": rate.shown, "runs": rate.runs} for name, rate in self.flipping
            ],
            "too_rare": None if self.rare is None else self.rare[0],
            "told": self.sentences,
        }


STEADY = FlakyAnswers()


def rule_of_ends(
    measure: EndpointOracle,
    observer: Observer,
    toolchains: tuple[Toolchain, Toolchain],
    first: tuple[Evidence, Evidence],
) -> tuple[EndpointRule, list[tuple[Toolchain, Evidence]]]:
    """The rule, and every look that was made at the ends. Where one look does not tell them apart, which may
    be by chance, more are made. Raises NotApart."""
    seen = [[evidence] for evidence in first]
    try:
        return rule_for(measure, *first), list(zip(toolchains, first, strict=True))
    except EndpointsAlike as error:
        refused = error
    if not all(map(measure.usable, first)):
        raise refused
    for _ in range(max(_more(evidence) for evidence in first)):
        for looks, toolchain in zip(seen, toolchains, strict=True):
            looks.append(observer.again(toolchain, lambda evidence: False))
        for pair in product(*seen):
            try:
                rule = rule_for(measure, *pair)
            except EndpointsAlike:
                continue
            return rule, [(t, each) for t, looks in zip(toolchains, seen, strict=True) for each in looks]
    raise refused


class RepeatedRuns:
    """Over one rule. Safe to use from several threads for different FlyDSLs."""

    def __init__(
        self, observer: Observer, rule: EndpointRule, notify: Notify, notes: FlakinessNotes | None = None
    ) -> None:
        """`notes`: where the number of looks is kept for the next run."""
        self._observer = observer
        self.rule = rule
        self._notify = notify
        self._notes = notes
        told = repr((observer.mark, rule.oracle.name, str(rule.signature), rule.bound))
        self._mark = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
        self._toolchains: dict[str, Toolchain] = {}
        self._seen: dict[str, tuple[Side, Verdict, Evidence]] = {}
        self._again: set[str] = set()
        self.settler: FlakyTally[str] = FlakyTally(self._look, self._wanted, self._told, self._note)

    @property
    def steadiness(self) -> FlakyAnswers:
        settler = self.settler
        flipping = {key: (toolchain_name(self._toolchains[key]), rate) for key, rate in settler.rates.items()}
        rare = None if settler.rare is None else flipping[settler.rare]
        least = min((settler.tallies[key].looks for key in self._again), default=1)
        return FlakyAnswers(settler.runs, tuple(flipping.values()), rare, least)

    def begin(self, made: list[tuple[Toolchain, Evidence]]) -> None:
        """`made`: looks at the ends. Those are looked at some more. Raises UserError where the bug shows too
        rarely in the end that has it, or in both."""
        ends = {toolchain.key: toolchain for toolchain, _ in made}
        self.settler.ends = frozenset(ends)
        for toolchain, evidence in made:
            self._begin(toolchain, evidence)
        for toolchain in ends.values():
            self.again(toolchain)
        self.check_ends()

    def check_ends(self) -> None:
        """Raises UserError where the ends do not tell any more, for what was seen of them since."""
        rates = {
            toolchain_name(self._toolchains[key]): self.settler.tallies[key].rate
            for key in sorted(self.settler.ends)
            if self.settler.tallies[key].bad
        }
        if len(rates) > 1:
            told = ", ".join(f"{name} in {rate}" for name, rate in sorted(rates.items()))
            raise UserError(f"both ends show the bug: {told}")
        if self.settler.rare in self.settler.ends:
            ((name, rate),) = rates.items()
            raise UserError(
                f"{name} shows the bug in {rate}, which is too rarely to judge by: a FlyDSL would have to be "
                f"tried more than {MOST} times; find what makes it show more often, or give an oracle that "
                "does not depend on it"
            )

    def side(self, toolchain: Toolchain) -> Side | None:
        """None where more looks are needed."""
        return self.settler.side(toolchain.key)

    def judged(self, toolchain: Toolchain) -> tuple[Side, Verdict, Evidence, Tally]:
        """By as many looks as it takes."""
        self._begin(toolchain)
        return self._judged(self.settler.settle(toolchain.key), toolchain)

    def again(self, toolchain: Toolchain) -> tuple[Side, Verdict, Evidence, Tally]:
        """By more than one."""
        self._begin(toolchain)
        self._again.add(toolchain.key)
        return self._judged(self.settler.again(toolchain.key), toolchain)

    def updated(self, tried: TestRecord) -> TestRecord:
        """With what was seen since; nothing is looked at for it."""
        toolchain = tried.toolchain
        if toolchain is None or toolchain.key not in self._seen:
            return tried
        known = self.settler.side(toolchain.key) or tried.side
        side, verdict, evidence, tally = self._judged(known, toolchain)
        return replace(tried, side=side, verdict=verdict, observation=evidence.subject, tally=tally)

    def _judged(self, side: Side, toolchain: Toolchain) -> tuple[Side, Verdict, Evidence, Tally]:
        seen, verdict, evidence = self._seen[toolchain.key]
        tally = self.settler.tallies[toolchain.key]
        if side is Side.SKIP and seen is not Side.SKIP:
            rare = self.steadiness.rare
            why = f"could not be judged in {tally.unclear} of {tally.looks} runs"
            if rare is not None:
                why = f"did not show it, which says nothing, since {rare[0]} shows it in {rare[1]}"
            verdict = Verdict(Answer.UNRESOLVED, metrics=verdict.metrics, why=why)
        return side, verdict, evidence, tally

    def _begin(self, toolchain: Toolchain, evidence: Evidence | None = None) -> None:
        """The first look, and the count of an earlier run that began with it."""
        key = toolchain.key
        known = self._toolchains.setdefault(key, toolchain) and key in self._seen
        if known and evidence is None:
            return
        evidence = self._observer.observe(toolchain) if evidence is None else evidence
        side = self._see(key, evidence)
        tally = self.settler.tallies.get(key, UNSEEN).and_one(side)
        self.settler.tallies[key] = tally if known else self._noted(key, tally)

    def _look(self, key: str) -> Side:
        def first_to_show(evidence: Evidence) -> bool:
            return self._seen[key][0] is not Side.BAD and self.rule.judge(evidence)[0] is Side.BAD

        return self._see(key, self._observer.again(self._toolchains[key], first_to_show))

    def _see(self, key: str, evidence: Evidence) -> Side:
        """What stands for all looks is the first one that shows the bug, else the first."""
        side, verdict = self.rule.judge(evidence)
        if key not in self._seen or (side is Side.BAD and self._seen[key][0] is not Side.BAD):
            self._seen[key] = side, verdict, evidence
        return side

    def _wanted(self, key: str) -> int:
        return _more(self._seen[key][2])

    def _told(self, key: str, rate: Rate) -> None:
        self._notify("; ".join(self.steadiness.sentences))

    def _note(self, key: str, tally: Tally) -> None:
        if self._notes is not None:
            self._notes.note(self._name(key), f"{tally.good}/{tally.bad}/{tally.unclear}")

    def _noted(self, key: str, first: Tally) -> Tally:
        """What an earlier run counted, where that has the first look in it."""
        text = None if self._notes is None else self._notes.noted(self._name(key))
        numbers = (text or "").split("/")
        if len(numbers) != 3 or not all(each.isdecimal() and len(each) < 4 for each in numbers):
            return first
        tally = Tally(*map(int, numbers))
        fits = bool(tally.bad) == bool(first.bad) and bool(tally.good) >= bool(first.good)
        return tally if fits and tally.looks else first

    def _name(self, key: str) -> str:
        """What the script read beside itself is a part of it."""
        seen = self._seen[key][2]
        read = [each.files for each in (seen.subject, seen.baseline) if each is not None and each.files]
        files = f" {hashlib.sha256(repr(read).encode()).hexdigest()}" if read else ""
        return f"looks {self._mark} {key}{files}"


def _more(evidence: Evidence) -> int:
    seen = (evidence.subject, evidence.baseline)
    seconds = sum(each.seconds for each in seen if each is not None)
    return AT_START if seconds < SLOW else 1
