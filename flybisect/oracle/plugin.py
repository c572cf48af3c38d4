"""What an oracle plugin is.

An oracle judges observations. It starts no process and reads no file. A plugin module defines one name,
`PLUGIN`. It lies in `oracles/`, is a `.py` file of the user, or is an entry point of an installed
distribution in the group `flybisect.oracles`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

from flybisect.errors import UserError
from flybisect.observation import Observation, Verdict, Want


@dataclass(frozen=True)
class Evidence:
    """The observations that an oracle judges."""

    subject: Observation
    """The candidate with the case's own arguments and toolchain."""
    baseline: Observation | None = None
    """The same candidate under the baseline; None if the case has none or it was not needed."""
    first: Evidence | None = None
    """What the unreduced script showed; None while the unreduced script itself is judged."""


@dataclass(frozen=True)
class Options:
    """The command line options that an oracle is built from."""

    when: str | None = None
    """A condition over metrics that replaces the default one (see `flybisect.oracle.conditions`)."""
    compares: bool = False
    """True if the case has a baseline."""
    pattern: str | None = None
    """A regular expression."""
    absent: bool = False
    """The pattern must not match."""
    stage: str | None = None
    """A stage of the pass pipeline (see `flybisect.probe.ir_stages`)."""
    command: str | None = None
    """A shell command, which the probes run (see `flybisect.observation.Probe`)."""

    def given(self) -> frozenset[str]:
        """Names of the options that are set."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return frozenset(name for name, value in values.items() if name != "compares" and value)


@dataclass(frozen=True)
class TrialLimits:
    """Limits of a trial."""

    seconds: float
    """Wall time."""
    memory: int
    """MiB."""


@dataclass(frozen=True)
class Margin:
    """The difference of a figure from the baseline's."""

    first: float
    """In the unreduced script."""
    left: float
    """In the candidate."""

    @property
    def shrank(self) -> bool:
        return abs(self.left) < abs(self.first)


class Oracle(ABC):
    """An interestingness test over observations. All but `judge` has a default that fits most oracles."""

    name: str
    wants: frozenset[Want] = frozenset()
    """What its probes must yield in addition to the metrics."""
    condition: str | None = None
    """The condition over figures that it evaluates; None if it judges by something else."""
    limits_trials: bool = False
    """It derives the limits of trials from the baseline, which then runs first; see `trial_limits`."""
    provisional: bool = False
    """What the unreduced script shows selects another oracle in its place; see `specialized`."""

    @property
    def interesting_when_empty(self) -> bool:
        """A kernel without a body is interesting to it, so that a reduction would end there."""
        return False

    @abstractmethod
    def judge(self, evidence: Evidence) -> Verdict:
        """The verdict. Pure. `evidence.baseline` is None without a baseline or if it is not needed."""

    def needs_baseline(self, subject: Observation) -> bool:
        """False if the subject alone decides, so that the baseline is not compiled."""
        return False

    def trial_limits(self, baseline: Observation) -> TrialLimits | None:
        """The limits that follow from a run of the baseline; None if that run does not terminate either."""
        return None

    def specialized(self, first: Evidence) -> Oracle:
        """The oracle that judges candidates, given what the unreduced script shows."""
        return self

    def margins(self, evidence: Evidence) -> Mapping[str, Margin]:
        """For each figure, what is left of its difference from the baseline."""
        return {}


class WrappingOracle(Oracle):
    """Delegates everything to another oracle; subclasses override what differs."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.name, self.wants, self.condition = oracle.name, oracle.wants, oracle.condition
        self.limits_trials, self.provisional = oracle.limits_trials, oracle.provisional

    @property
    def interesting_when_empty(self) -> bool:
        return self.oracle.interesting_when_empty

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
    """Describes an oracle and builds it."""

    name: str
    summary: str
    """One line, for `flybisect oracles`."""
    build: Callable[[Options], Oracle]
    """Raises `flybisect.errors.UserError` if an option makes no sense for the oracle."""
    metric: str | None = None
    """The figure that it measures, or None. A bisection may derive a threshold from its two endpoints."""
    takes: frozenset[str] = frozenset({"when"})
    """Fields of `Options` that it accepts."""
    same_as: tuple[str, ...] = ()
    """Other texts of the same bug (`--same-as`); see `flybisect.oracle.same_as`."""

    def checked(self, options: Options) -> None:
        """Raises UserError if an option is set that it does not accept."""
        for name in sorted(options.given() - self.takes):
            raise UserError(f"the oracle {self.name} does not accept --{name}; {_PURPOSE[name]}")


_PURPOSE = {
    "when": "it is a condition over figures, for spills, vgprs and isa",
    "pattern": "it is for text and ir",
    "absent": "it negates the --pattern of text and ir",
    "stage": "it is the stage after which ir searches for its --pattern",
    "command": "it is what the oracle command runs",
}
"""What each option is for."""
