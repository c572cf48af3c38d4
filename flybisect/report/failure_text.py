"""A failure in the detail that a maintainer needs: the message and the whole operation that fails. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flybisect.observation import Observation, Outcome
from flybisect.oracle.normalize import asserted
from flybisect.oracle.signatures import FATAL, classify, compiler_errors

LONGEST = 4000
"""Characters."""
_NOISE = ("Failure while executing pass pipeline", "-----")
_FRAME = re.compile(r"^\s*#?\d+\s+0x[0-9a-f]{6,}|^\s*File \"|^PLEASE submit a bug report|^Stack dump")


def failure_text(observation: Observation) -> str | None:
    """In the compiler's words; None when nothing failed."""
    if classify(observation) is None:
        return None
    lines = list(dict.fromkeys(_lines(observation)))
    text = "\n".join(lines) or str(classify(observation))
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + " …"


def _lines(observation: Observation) -> Iterator[str]:
    if observation.outcome is Outcome.SIGNAL:
        for line in observation.stderr.splitlines():
            if asserted(line) or FATAL.match(line):
                yield line
    for text in compiler_errors(observation):
        for line in text.splitlines():
            if line.startswith("DSL Traceback"):
                break
            if line.strip() and not line.strip().startswith(_NOISE):
                yield line.rstrip()
    ended = observation.exception
    if ended is not None and not any(True for _ in compiler_errors(observation)):
        yield f"{ended.type}: {ended.message}"
