"""What an oracle plugin is.

An oracle judges observations; it starts nothing and reads nothing. A plugin module (in
`oracles/`, a user's `.py`, or an installed distribution's entry point in the group
`flybisect.oracles`) has one name, `PLUGIN`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

from flybisect.errors import UserError
from flybisect.observation import Observation, Verdict, Want


@dataclass(frozen=True)
class Evidence:
    """The observations that a judgement stands on."""

    subject: Observation
    """The candidate under the case's own argv and toolchain."""
    baseline: Observation | None = None
    """The same candidate under what it is compared with, where the case compares."""
    first: Evidence | None = None
    """What the unreduced script showed; None while that itself is being judged."""


@dataclass(frozen=True)
class Options:
    """What the command line gives an oracle when it is built."""

    when: str | None = None
    """A condition over metrics that replaces the oracle's own (see `flybisect.oracle.conditions`)."""
    compares: bool = False
    """True when there is a base to compare with."""
    pattern: str | None = None
    """A regular expression."""
    absent: bool = False
    """The pattern must not be there."""
    stage: str | None = None
    """A place in the pass pipeline (see `flybisect.probe.ir_stages`)."""
    command: str | None = None
    """A shell command; the probes run it (see `flybisect.observation.Probe`)."""

    def given(self) -> frozenset[str]:
        """Names of the command line's options that are set."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return frozenset(name for name, value in values.items() if name != "compares" and value)


@dataclass(frozen=True)
class TrialLimits:
    """How far a trial may go."""

    seconds: float
    memory: int
    """MiB."""


@dataclass(frozen=True)
class Margin:
    """By how much a figure differs from the baseline's."""

    first: float
    """In the unreduced script."""
    left: float
    """In the candidate."""

    @property
    def shrank(self) -> bool:
        return abs(self.left) < abs(self.first)


class Oracle(ABC):
    """A judgement over what probes showed. All but `judge` has a default that fits most oracles."""

    name: str
    wants: frozenset[Want] = frozenset()
    """What its probes must yield beside the metrics."""
    condition: str | None = None
    """The condition over figures that it judges by; None where it judges by something else."""
    limits_trials: bool = False
    """It takes the limits of a trial from a run of the baseline, which then goes first; see `trial_limits`."""
    provisional: bool = False
    """It becomes another oracle by what the unreduced script shows; see `specialized`."""

    @abstractmethod
    def judge(self, evidence: Evidence) -> Verdict:
        """Pure. `evidence.base` is None where there is none or `needs_base` said no."""

    def needs_baseline(self, subject: Observation) -> bool:
        """False when the subject alone decides, so that the base is not compiled at all."""
        return False

    def trial_limits(self, baseline: Observation) -> TrialLimits | None:
        """The limits that follow from a run; None where it says nothing, as when it does not end either."""
        return None

    def specialized(self, first: Evidence) -> Oracle:
        """What judges from then on, by what the unreduced script shows."""
        return self

    def margins(self, evidence: Evidence) -> Mapping[str, Margin]:
        """By figure: what is left of the difference from the baseline."""
        return {}


class WrappingOracle(Oracle):
    """One that leaves everything to another oracle; what differs is overridden."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.name, self.wants, self.condition = oracle.name, oracle.wants, oracle.condition
        self.limits_trials, self.provisional = oracle.limits_trials, oracle.provisional

    def judge(self, evidence: Evidence) -> Verdict:
        return self.oracle.judge(evidence)

    def needs_baseline(self, subject: Observation) -> bool:
        return self.oracle.needs_baseline(subject)

    def trial_limits(self, baseline: Observation) -> TrialLimits | None:
        return self.oracle.trial_limits(baseline)

    def specialized(self, first: Evidence) -> Oracle:
        return self.oracle.specialized(first)

    def margins(self, evidence: Evidence) -> Mapping[str, Margin]:
        return self.oracle.margins(evidence)


@dataclass(frozen=True)
class Plugin:
    """An oracle as it is listed and built."""

    name: str
    summary: str
    """One line, for `flybisect oracles`."""
    build: Callable[[Options], Oracle]
    """Raises `flybisect.errors.UserError` when an option makes no sense for it."""
    metric: str | None = None
    """The figure it is about, where it is about one: a bisection may take its bound from the two ends."""
    takes: frozenset[str] = frozenset({"when"})
    """Fields of `Options` that it knows what to do with."""
    same_as: tuple[str, ...] = ()
    """Other texts of the same bug, which its oracles have been joined to; see `flybisect.oracle.same_as`."""

    def checked(self, options: Options) -> None:
        """Raises UserError where an option was given that it does not take."""
        for name in sorted(options.given() - self.takes):
            raise UserError(f"the oracle {self.name} does not take --{name}; {_MEANT[name]}")


_MEANT = {
    "when": "it is a condition over figures, and spills, vgprs and isa take one",
    "pattern": "text and ir look for one",
    "absent": "it turns the --pattern of text and ir round",
    "stage": "it says where ir looks for its --pattern",
    "command": "it is what the oracle command runs",
}
"""What an option is for, by its name."""
