"""What a report stands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from flybisect.case.case import Case
from flybisect.observation import Observation
from flybisect.oracle.follow import FOLLOWED
from flybisect.workflows.dump import Dump
from flybisect.workflows.environment import Environment

Data = Mapping[str, Any]
"""An object as `--json` of a command prints it."""


@dataclass(frozen=True)
class ScriptFigures:
    """One script under one set of arguments and one FlyDSL."""

    title: str
    """What tells it from the others: `as it stands`, or what it is compared with."""
    figures: Mapping[str, int]
    """By the names that `flybisect compare` shows."""
    observation: Observation


@dataclass(frozen=True)
class Script:
    """A text that shows the bug, and what it shows."""

    text: str
    statements: int
    columns: tuple[ScriptFigures, ...]
    """First the script as it stands, then what it is compared with, where it is."""

    @property
    def observation(self) -> Observation:
        return self.columns[0].observation


@dataclass(frozen=True)
class RunStep:
    """A step of `flybisect run`."""

    name: str
    done: bool
    told: str
    """What came out, or why it was not done, in a sentence."""


GIVEN = "of a script that was reduced elsewhere"
"""Said in the step `reduce` where flybisect did not reduce it."""


@dataclass(frozen=True)
class Findings:
    """Everything that is known of one bug. None: that was not looked for, or not found."""

    folder: Path
    """Of the session."""
    case: Case
    oracle: str
    signature: str | None
    condition: str | None
    """What has to hold of the figures, as `vgpr_spills > base.vgpr_spills`; None for a failure."""
    base: str
    """What the case is compared with, as `--recast`; empty where it is not."""
    flydsl: str
    """Version that the script was reduced under."""
    arch: str
    original: Script
    reduced: Script | None
    environment: Environment
    symptom: Script | None = None
    """With a figure that was followed: the smallest script that also shows what the oracle had found, if the
    reduced one does not."""
    reduction: Data | None = None
    releases: Data | None = None
    matrix: Data | None = None
    variants: tuple[Data, ...] = ()
    """Tables of the unreduced script under other arguments: `args`, and `releases` as a matrix has them."""
    commits: Data | None = None
    bisect_log: str | None = None
    steps: tuple[RunStep, ...] = ()
    curve: tuple[tuple[int, int], ...] = ()
    """How a reduction went: compiles, and statements left."""
    dump: Dump | None = None
    """IR and pipeline of the smallest script; None where nothing reaches FlyDSL's passes."""
    unreduced: tuple[str, ...] = field(default=())
    """FlyDSLs that were judged by the unreduced script, since the reduced one fails otherwise on them."""

    @property
    def figure(self) -> str | None:
        """The figure that the reduction followed, as a condition names it."""
        followed = (self.reduction or {}).get("figure")
        return None if followed is None else str(followed["figure"])

    @property
    def judged(self) -> Case:
        """The case whose oracle judges the reduced script; with a figure that was followed, its condition."""
        if self.figure is None:
            return self.case
        return replace(self.case, oracle=FOLLOWED, when=self.condition, figure=None)

    @property
    def given(self) -> bool:
        """The reduced script was given, and not made here."""
        return any(step.name == "reduce" and step.told.endswith(GIVEN) for step in self.steps)

    @property
    def script(self) -> Script:
        """The smallest one that is known."""
        return self.reduced or self.original
