"""Names of the places where IR can be looked at, as a user writes them. Pure.

`origin` is the traced IR before any pass, `last` that behind the last pass before code generation and
`isa` the assembly. Between them are FlyDSL's passes, by their own names (`fly-layout-lowering`) or as
its dump files have them (`fly_layout_lowering`, `03_fly_layout_lowering`).
"""

from __future__ import annotations

from flybisect.observation import Observation

ASSEMBLY = "isa"
ALWAYS = ("origin", "last", ASSEMBLY)
"""What every FlyDSL has."""


def unknown_stage(stage: str | None, observation: Observation) -> str | None:
    """A sentence where the FlyDSL that ran has no such stage, else None."""
    if stage is None or stage == ASSEMBLY or not observation.stages:
        return None
    known = ", ".join([*ALWAYS, *observation.stages])
    return f"FlyDSL {observation.flydsl} has no stage {stage!r}; there are {known}"
