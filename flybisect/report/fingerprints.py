"""Fixed texts that identify a failure in the output of a plain run. Pure."""

from __future__ import annotations

import re

from flybisect.observation import Observation, Outcome
from flybisect.oracle.normalize import asserted, condition
from flybisect.oracle.signatures import FATAL, classify, compiler_errors

_DRIFTS = re.compile(r"%[\w$.-]+|0x[0-9a-f]+|\d+|[<(\[].*")
SHORTEST = 12
"""Characters of a piece of a message that is specific enough."""


def marks(observation: Observation) -> list[str]:
    """Each has to be in the output; empty when no output identifies the failure."""
    failure = classify(observation)
    if failure is None:
        return []
    if failure.kind == "legalization":
        return [f"failed to legalize operation '{failure.text}'"]
    if failure.kind == "assertion":
        found = next(filter(None, map(asserted, observation.stderr.splitlines())), None)
        return [] if found is None else [condition(found.condition)]
    if failure.kind == "fatal":
        fatal = next(filter(None, map(FATAL.match, observation.stderr.splitlines())), None)
        return [] if fatal is None else [_first_piece(fatal["text"])]
    if failure.kind in ("verifier", "diagnostic"):
        pieces = [_first_piece(line) for text in compiler_errors(observation) for line in text.splitlines()]
        wanted = failure.text.split(" op ")[0] if failure.kind == "verifier" else ""
        return [piece for piece in pieces if wanted in piece and len(piece) >= SHORTEST][:1]
    ended = observation.exception
    if failure.kind == "exception" and ended is not None:
        return [ended.type, *([_first_piece(ended.message)] if ended.message else [])]
    return []


def ends_by(observation: Observation) -> int | None:
    """The signal that ends the run, or None."""
    return observation.signal if observation.outcome is Outcome.SIGNAL else None


def _first_piece(text: str) -> str:
    """The longest part of the first line without numbers, values or types."""
    line = text.splitlines()[0] if text else ""
    return max(_DRIFTS.split(line), key=len).strip()
