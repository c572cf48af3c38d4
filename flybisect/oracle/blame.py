"""Whose fault a failure is: the compiler's, or the script's own. Pure.

A script checks its results, times its kernels and leaves with an exit code. Without a GPU such a check
fails, and that says nothing about the compiler.
"""

from __future__ import annotations

from flybisect.observation import Observation, Signature, Stage
from flybisect.oracle.signatures import (
    OUTSIDE,
    classify,
    exception_signature,
    outside_of_compiling,
)

COMPILING = (Stage.TRACE, Stage.PASSES, Stage.CODEGEN)


def compiler_failure(observation: Observation) -> Signature | None:
    """As `classify`, but None also where only the script itself failed, after its kernels compiled."""
    seen = classify(observation)
    return None if seen is not None and observation.kernels and is_script_failure(observation, seen) else seen


def is_script_failure(observation: Observation, seen: Signature) -> bool:
    """True for an exit code, and for an exception, a time-out or a lack of memory outside of compiling."""
    if seen.kind == "exit":
        return True
    if seen.kind in ("hang", "memory"):
        return observation.stage not in COMPILING or (seen.kind == "hang" and _is_one_of_many(observation))
    ended = observation.exception
    if seen.kind != "exception" or ended is None or exception_signature(ended) != seen:
        return False
    return outside_of_compiling(ended) or (ended.during == "host" and bool(observation.kernels))


def _is_one_of_many(observation: Observation) -> bool:
    """True where time ran out in a compile that was not the longest part of it: there were many before."""
    under_way = observation.under_way
    return bool(observation.kernels) and under_way is not None and under_way < observation.seconds / 2


def script_failure_text(observation: Observation, seen: Signature) -> str:
    """A sentence about a failure that is the script's own."""
    said = (seen.detail or seen.text).removesuffix(OUTSIDE)
    what = {"hang": "it does not end", "memory": "it runs out of memory"}.get(seen.kind, said)
    if observation.kernels:
        return f"the kernels compiled; what failed after them is the script's own and may need a GPU: {what}"
    return f"no kernel was compiled, and what failed is the script's own: {what}"
