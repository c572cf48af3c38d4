"""Running FlyDSLs as often as their answers need, and what that says about them."""

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
    MISSED,
    Rate,
    counted_as_good,
    extra_runs,
    rate_too_low,
)
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.store import Notify

SLOW = 10.0
"""Wall seconds of a run from which on one extra run has to do."""


def toolchain_name(toolchain: Toolchain) -> str:
    """A release by its version, a commit by its hash."""
    return toolchain.spec if toolchain.kind in ("overlay", "source") else toolchain.version


@dataclass(frozen=True)
class FlakyAnswers:
    """How far verdicts hold from run to run. The default: none is flaky."""

    clean_runs: int = 1
    """After so many a FlyDSL counts as good."""
    flaky: tuple[tuple[str, Rate], ...] = ()
    """Those that show the bug in some runs only."""
    rare: tuple[str, Rate] | None = None
    """The one whose rate is too low for clean runs of another to say anything."""
    least: int = 1
    """Runs that each endpoint and both entries of the answer had at least."""

    @property
    def sentences(self) -> list[str]:
        """For a reader."""
        if not self.flaky:
            said = (
                f"the endpoints and both sides of the answer: the same verdict in each of {self.least} runs"
            )
            return [said] if self.least > 1 else []
        shown = ", ".join(f"{name} in {rate}" for name, rate in self.flaky)
        found = [f"flaky: the bug shows on {shown}"]
        if self.clean_runs > 1:
            found.append(counted_as_good(self.clean_runs, "versions"))
        if self.rare is not None:
            found.append(
                f"flaky: the reproduction rate on {self.rare[0]} is too low to judge others by; those "
                "without the bug are skipped as untestable, except the endpoint"
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "runs": self.clean_runs,
            "missed": MISSED if self.clean_runs > 1 else None,
            "flipping": [{"name": name, "shown": rate.shown, "runs": rate.runs} for name, rate in self.flaky],
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
    """The rule, and every run that was made at the endpoints. Where the first runs do not differ, which may
    be by chance, more are made. Raises EndpointsAlike."""
    seen = [[evidence] for evidence in first]
    try:
        return rule_for(measure, *first), list(zip(toolchains, first, strict=True))
    except EndpointsAlike as error:
        refused = error
    if not all(map(measure.usable, first)):
        raise refused
    for _ in range(max(_extra(evidence) for evidence in first)):
        for runs, toolchain in zip(seen, toolchains, strict=True):
            runs.append(observer.again(toolchain, lambda evidence: False))
        for pair in product(*seen):
            try:
                rule = rule_for(measure, *pair)
            except EndpointsAlike:
                continue
            return rule, [(t, each) for t, runs in zip(toolchains, seen, strict=True) for each in runs]
    raise refused


class RepeatedRuns:
    """Over one rule. Safe to use from several threads for different FlyDSLs."""

    def __init__(
        self, observer: Observer, rule: EndpointRule, notify: Notify, notes: FlakinessNotes | None = None
    ) -> None:
        """`notes`: where the number of runs is kept for the next search."""
        self._observer = observer
        self.rule = rule
        self._notify = notify
        self._notes = notes
        case = repr((observer.mark, rule.oracle.name, str(rule.signature), rule.bound))
        self._mark = hashlib.sha256(case.encode("utf-8", "surrogatepass")).hexdigest()
        self._toolchains: dict[str, Toolchain] = {}
        self._seen: dict[str, tuple[Side, Verdict, Evidence]] = {}
        self._repeated: set[str] = set()
        self._flaky: FlakyTally[str] = FlakyTally(self._run, self._wanted, self._measured, self._note)

    @property
    def flakiness(self) -> FlakyAnswers:
        flaky = self._flaky
        rates = {key: (toolchain_name(self._toolchains[key]), rate) for key, rate in flaky.rates.items()}
        rare = None if flaky.rare is None else rates[flaky.rare]
        least = min((flaky.tallies[key].runs for key in self._repeated), default=1)
        return FlakyAnswers(flaky.clean_runs, tuple(rates.values()), rare, least)

    def begin(self, made: list[tuple[Toolchain, Evidence]]) -> None:
        """`made`: runs of the endpoints, which are run some more. Raises UserError where the bug shows in
        both, or at too low a rate in the one that has it."""
        ends = {toolchain.key: toolchain for toolchain, _ in made}
        self._flaky.endpoints = frozenset(ends)
        for toolchain, evidence in made:
            self._begin(toolchain, evidence)
        for toolchain in ends.values():
            self.repeat(toolchain)
        self.check_endpoints()

    def check_endpoints(self) -> None:
        """Raises UserError where they do not differ any more, by what was seen of them since."""
        rates = {
            toolchain_name(self._toolchains[key]): self._flaky.tallies[key].rate
            for key in sorted(self._flaky.endpoints)
            if self._flaky.tallies[key].bad
        }
        if len(rates) > 1:
            shown = ", ".join(f"{name} in {rate}" for name, rate in sorted(rates.items()))
            raise UserError(f"both endpoints show the bug: {shown}")
        if self._flaky.rare in self._flaky.endpoints:
            ((name, rate),) = rates.items()
            raise UserError(rate_too_low(f"{name} shows the bug in {rate}", "version"))

    def side(self, toolchain: Toolchain) -> Side | None:
        """None where more runs are needed."""
        return self._flaky.side(toolchain.key)

    def judged(self, toolchain: Toolchain) -> tuple[Side, Verdict, Evidence, Tally]:
        """By as many runs as it takes."""
        self._begin(toolchain)
        return self._judged(self._flaky.settle(toolchain.key), toolchain)

    def repeat(self, toolchain: Toolchain) -> tuple[Side, Verdict, Evidence, Tally]:
        """By more than one."""
        self._begin(toolchain)
        self._repeated.add(toolchain.key)
        return self._judged(self._flaky.repeat(toolchain.key), toolchain)

    def updated(self, tried: TestRecord) -> TestRecord:
        """With what was seen since; nothing is run for it."""
        toolchain = tried.toolchain
        if toolchain is None or toolchain.key not in self._seen:
            return tried
        known = self._flaky.side(toolchain.key) or tried.side
        side, verdict, evidence, tally = self._judged(known, toolchain)
        return replace(tried, side=side, verdict=verdict, observation=evidence.subject, tally=tally)

    def _judged(self, side: Side, toolchain: Toolchain) -> tuple[Side, Verdict, Evidence, Tally]:
        seen, verdict, evidence = self._seen[toolchain.key]
        tally = self._flaky.tallies[toolchain.key]
        if side is Side.SKIP and seen is not Side.SKIP:
            rare = self.flakiness.rare
            why = f"could not be judged in {tally.unclear} of {tally.runs} runs"
            if rare is not None:
                why = f"{tally.runs} clean runs say nothing, since {rare[0]} shows the bug in only {rare[1]}"
            verdict = Verdict(Answer.UNRESOLVED, metrics=verdict.metrics, why=why)
        return side, verdict, evidence, tally

    def _begin(self, toolchain: Toolchain, evidence: Evidence | None = None) -> None:
        """The first run, and the count of an earlier search that began with it."""
        key = toolchain.key
        known = self._toolchains.setdefault(key, toolchain) and key in self._seen
        if known and evidence is None:
            return
        evidence = self._observer.observe(toolchain) if evidence is None else evidence
        side = self._see(key, evidence)
        tally = self._flaky.tallies.get(key, UNSEEN).and_one(side)
        self._flaky.tallies[key] = tally if known else self._noted(key, tally)

    def _run(self, key: str) -> Side:
        def first_to_show(evidence: Evidence) -> bool:
            return self._seen[key][0] is not Side.BAD and self.rule.judge(evidence)[0] is Side.BAD

        return self._see(key, self._observer.again(self._toolchains[key], first_to_show))

    def _see(self, key: str, evidence: Evidence) -> Side:
        """What stands for all runs is the first one that shows the bug, else the first."""
        side, verdict = self.rule.judge(evidence)
        if key not in self._seen or (side is Side.BAD and self._seen[key][0] is not Side.BAD):
            self._seen[key] = side, verdict, evidence
        return side

    def _wanted(self, key: str) -> int:
        return _extra(self._seen[key][2])

    def _measured(self, key: str, rate: Rate) -> None:
        self._notify("; ".join(self.flakiness.sentences))

    def _note(self, key: str, tally: Tally) -> None:
        if self._notes is not None:
            self._notes.note(self._name(key), f"{tally.good}/{tally.bad}/{tally.unclear}")

    def _noted(self, key: str, first: Tally) -> Tally:
        """What an earlier search counted, where that has the first run in it."""
        text = None if self._notes is None else self._notes.noted(self._name(key))
        numbers = (text or "").split("/")
        if len(numbers) != 3 or not all(each.isdecimal() and len(each) < 4 for each in numbers):
            return first
        tally = Tally(*map(int, numbers))
        fits = bool(tally.bad) == bool(first.bad) and bool(tally.good) >= bool(first.good)
        return tally if fits and tally.runs else first

    def _name(self, key: str) -> str:
        """What the script read beside itself is a part of it."""
        seen = self._seen[key][2]
        read = [each.files for each in (seen.subject, seen.baseline) if each is not None and each.files]
        files = f" {hashlib.sha256(repr(read).encode()).hexdigest()}" if read else ""
        return f"looks {self._mark} {key}{files}"


def _extra(evidence: Evidence) -> int:
    seen = (evidence.subject, evidence.baseline)
    return extra_runs(sum(each.seconds for each in seen if each is not None), SLOW)
