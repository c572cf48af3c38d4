"""A pattern occurs (or does not occur) in the IR after a stage of the pass pipeline."""

from __future__ import annotations

from flybisect.errors import UserError
from flybisect.observation import Observation, Want
from flybisect.oracle.pattern import PatternOracle
from flybisect.oracle.plugin import Options, Plugin
from flybisect.oracle.yaml_oracle import compiled
from flybisect.probe.ir_stages import ALWAYS, ASSEMBLY


def _modules(observation: Observation) -> tuple[str, ...] | None:
    return observation.ir or None


def build(options: Options) -> PatternOracle:
    if options.pattern is None or options.stage is None:
        raise UserError(
            "the oracle ir needs --pattern REGEX, which is searched line by line, and --stage NAME: "
            f"{', '.join(ALWAYS)}, or a pass of FlyDSL, for example fly-layout-lowering"
        )
    wants = {Want.IR, Want.ASSEMBLY} if options.stage == ASSEMBLY else {Want.IR}
    pattern = compiled([options.pattern], "--pattern")
    return PatternOracle(
        "ir", pattern, options.absent, f"after {options.stage}", _modules, frozenset(wants), options.stage
    )


PLUGIN = Plugin(
    "ir",
    "--pattern REGEX occurs in the IR after --stage NAME (--absent: it does not); isa is the assembly",
    build,
    takes=frozenset({"pattern", "absent", "stage"}),
)
