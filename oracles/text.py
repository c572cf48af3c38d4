"""A pattern of the user occurs (or does not occur) in what was printed or raised."""

from __future__ import annotations

from flybisect.errors import UserError
from flybisect.observation import Observation, Want
from flybisect.oracle.pattern import PatternOracle
from flybisect.oracle.plugin import Options, Plugin
from flybisect.oracle.signatures import compiler_errors
from flybisect.oracle.yaml_oracle import compiled


def _printed(observation: Observation) -> tuple[str, ...]:
    raised = (f"{each.type}: {each.message}" for each in observation.exceptions)
    return (*compiler_errors(observation), *raised, observation.stderr, observation.stdout)


def build(options: Options) -> PatternOracle:
    if options.pattern is None:
        raise UserError("the oracle text needs --pattern REGEX, which is searched line by line")
    pattern = compiled([options.pattern], "--pattern")
    return PatternOracle("text", pattern, options.absent, "in the output", _printed, frozenset({Want.OUTPUT}))


PLUGIN = Plugin(
    "text",
    "--pattern REGEX occurs in stdout, stderr, a diagnostic or an exception (--absent: in none)",
    build,
    takes=frozenset({"pattern", "absent"}),
)
