"""Learning what the reducer may know of a script, in one trial of an instrumented copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from flybisect.observation import Observation, Want
from flybisect.reduce.hint import Facts
from flybisect.script.instrument import agree, instrumented


class Observing(Protocol):
    """What learning needs of the judge."""

    def observe(self, source: str, wants: frozenset[Want] = frozenset()) -> Sequence[Observation]:
        """What a script shows under the case, then under what the case compares it with."""
        ...

    def failing_line(self, source: str) -> int | None:
        """The script's line that the compiler named when this source was judged."""
        ...


def learn(judge: Observing, text: str) -> Facts:
    """Coverage and kinds. Where instrumenting changes how the script ends, coverage alone."""
    line = judge.failing_line(text)
    plain = judge.observe(text)
    copy = instrumented(text)
    wants = frozenset({Want.COVERAGE})
    seen = judge.observe(copy.text, wants)
    if [_ending(o) for o in seen] == [_ending(o) for o in plain]:
        lines = _lines(seen)
        return Facts(
            None if lines is None else copy.original_lines(lines),
            line,
            line is not None,
            agree(copy.read(o.stderr) for o in seen),
        )
    return Facts(_lines(judge.observe(text, wants)), line, line is not None)


def _ending(seen: Observation) -> tuple[object, ...]:
    return seen.outcome, seen.stage, seen.signal, len(seen.kernels)


def _lines(seen: Sequence[Observation]) -> frozenset[int] | None:
    if not all(observation.lines for observation in seen):
        return None
    return frozenset(line for observation in seen for line in observation.lines)
