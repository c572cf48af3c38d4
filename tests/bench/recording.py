"""Takes down every trial of a reduction, and which pass it was for."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from flybisect.judge.verdict_cache import tree_key
from flybisect.observation import Observation, Probe, Want
from flybisect.probe.runner import Runner
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.source.source import count_statements
from flybisect.toolchain.model import Toolchain

SEARCHING = "search"
"""Trials for candidates, as against those that look at a script that is known."""


@dataclass(frozen=True)
class Trial:
    """One that was run."""

    activity: str
    """The pass whose turn it was."""
    known: bool
    """The script was known to show the bug: it was to tell which lines ran, or to see the same once more."""
    setting: tuple[str, ...]
    """What must be alike for two trials to be of the same compile."""
    source: str
    seen: Observation

    @property
    def traced(self) -> bool:
        """A module was handed to the compiler, or it was known what comes of it."""
        return bool(self.seen.traced)

    @property
    def compiled(self) -> bool:
        """It reached FlyDSL, and not all that it traced was known."""
        return self.seen.reached_flydsl and not self.seen.only_replayed


@dataclass
class Repeats:
    """Compiles of what one before had compiled."""

    text: int = 0
    tree: int = 0
    """Among them those that differ in layout and comments alone, and those of the same text."""
    ir: int = 0
    """The same modules were traced and handed to the compiler, of whatever text."""


@dataclass
class PassCost:
    asked: int = 0
    held: int = 0
    trials: int = 0
    compiles: int = 0
    not_traced: int = 0


@dataclass(frozen=True)
class Stand:
    """How far a search was."""

    statements: int
    calls: int
    """Candidates asked about until then."""
    runs: int
    """Trials for them."""


class UsedUp(BaseException):
    """A search has used up its time or its compiles. It stops the search wherever it is, as Ctrl-C does."""


@dataclass
class Recording:
    """A prober that takes down what another one sees, and listens to the reducer's steps."""

    prober: Runner
    trials: list[Trial] = field(default_factory=list)
    steps: list[ReductionStep] = field(default_factory=list)
    way: list[Stand] = field(default_factory=list)
    """Each time that the script got smaller."""
    activity: str = ""
    """Empty while no candidate is tried; its trials repeat on purpose."""
    deadline: float | None = None
    """By `time.monotonic`, from when on a search begins no more trials."""
    most_compiles: int | None = None
    """After which it begins no more either; those before the search count as well."""
    compiles: int = 0
    seconds: float = 0.0
    """Wall time within trials; with several at a time their sum."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(
        self, probe: Probe, toolchain: Toolchain, cancelled: threading.Event | None = None
    ) -> Observation:
        activity = self.activity
        began = time.monotonic()
        if activity and self._used_up(began):
            raise UsedUp
        seen = self.prober.run(probe, toolchain, cancelled)
        self._spent(began)
        if cancelled is None or not cancelled.is_set():
            wants = sorted(want.value for want in probe.wants)
            setting = (toolchain.key, probe.arch, *probe.argv, *wants)
            with self._lock:
                again = probe.anew or Want.COVERAGE in probe.wants
                trial = Trial(activity, again, setting, probe.source, seen)
                self.trials.append(trial)
                self.compiles += trial.compiled
        return seen

    def run_cold(self, probe: Probe, toolchain: Toolchain) -> Observation:
        began = time.monotonic()
        seen = self.prober.run_cold(probe, toolchain)
        self._spent(began)
        return seen

    def _used_up(self, now: float) -> bool:
        if self.deadline is not None and now >= self.deadline:
            return True
        return self.most_compiles is not None and self.compiles >= self.most_compiles

    def _spent(self, began: float) -> None:
        with self._lock:
            self.seconds += time.monotonic() - began

    def step(self, step: ReductionStep) -> None:
        """For the reducer's `notice`."""
        if self.steps and step.text != self.steps[-1].text:
            asked = sum(bool(each.tried) for each in self.steps)
            self.way.append(Stand(count_statements(step.text), asked, len(self.searched())))
        self.activity = step.activity
        self.steps.append(step)

    def searched(self) -> list[Trial]:
        """Trials for candidates."""
        return [trial for trial in self.trials if trial.activity and not trial.known]

    def repeats(self) -> Repeats:
        """Within the search, with the unreduced script's trial as the first."""
        known = [trial for trial in self.trials if not trial.activity][:1] + self.searched()
        return repeats_of((trial.setting, trial.source, trial.seen) for trial in known)

    def untraced(self) -> dict[str, dict[str, int]]:
        """For each pass, how its trials ended that did not trace, and how often."""
        ends: dict[str, dict[str, int]] = {}
        for trial in self.searched():
            if not trial.traced:
                seen = trial.seen
                raised = seen.exception
                told = seen.outcome.value if raised is None else f"{raised.type}: {raised.message}"[:100]
                counts = ends.setdefault(trial.activity, {})
                end = f"{seen.stage.value}: {told}"
                counts[end] = counts.get(end, 0) + 1
        return ends

    def by_pass(self) -> dict[str, PassCost]:
        """What each pass asked for, how often it was right, and what its candidates cost."""
        costs: dict[str, PassCost] = {}
        last = ""
        for step in self.steps:
            cost = costs.setdefault(step.activity, PassCost())
            cost.asked += bool(step.tried)
            cost.held += bool(last) and step.text != last
            last = step.text
        for trial in self.searched():
            cost = costs.setdefault(trial.activity, PassCost())
            cost.trials += 1
            cost.compiles += trial.compiled
            cost.not_traced += not trial.traced
        return costs


def repeats_of(trials: Iterable[tuple[Hashable, str, Observation]]) -> Repeats:
    """Of trials by setting, text and what was seen; those that were not compiled do not count."""
    compiles = [each for each in trials if each[2].reached_flydsl and not each[2].only_replayed]
    return Repeats(
        text=_repeated((setting, source) for setting, source, _ in compiles),
        tree=_repeated((setting, tree_key(source)) for setting, source, _ in compiles),
        ir=_repeated((setting, seen.compiled) for setting, _, seen in compiles if seen.traced),
    )


def _repeated(keys: Iterable[Hashable]) -> int:
    return sum(times - 1 for times in Counter(keys).values())
