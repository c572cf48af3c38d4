"""Whether the compiler or the script itself caused a failure. Pure.

A script checks its results, times its kernels and returns an exit code. Without a GPU such a check fails.
This says nothing about the compiler.
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
    """As `classify`, but also None if the kernels compiled and then the script itself failed."""
    seen = classify(observation)
    return None if seen is not None and observation.kernels and is_script_failure(observation, seen) else seen


def is_script_failure(observation: Observation, seen: Signature) -> bool:
    """True for an exit code, and for an exception, a signal, a timeout or a lack of memory outside of
    compiling."""
    if seen.kind == "exit":
        return True
    if seen.kind == "crash":
        return observation.stage not in COMPILING and observation.crashed_in_script
    if seen.kind in ("hang", "memory"):
        return observation.stage not in COMPILING or (seen.kind == "hang" and _is_one_of_many(observation))
    ended = observation.exception
    if seen.kind != "exception" or ended is None or exception_signature(ended) != seen:
        return False
    return outside_of_compiling(ended) or (ended.during == "host" and bool(observation.kernels))


def _is_one_of_many(observation: Observation) -> bool:
    """True if the timeout hit a compile that took less than half of the time, after many others."""
    under_way = observation.under_way
    return bool(observation.kernels) and under_way is not None and under_way < observation.seconds / 2


def script_failure_text(observation: Observation, seen: Signature) -> str:
    """A sentence about a failure that the script itself caused."""
    said = (seen.detail or seen.text).removesuffix(OUTSIDE)
    what = {"hang": "it does not terminate", "memory": "it runs out of memory"}.get(seen.kind, said)
    if observation.kernels:
        return f"the kernels compiled; after that the script itself failed, and it may need a GPU: {what}"
    return f"no kernel was compiled; the script itself failed: {what}"
