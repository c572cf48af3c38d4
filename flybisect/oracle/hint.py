"""Saying why a script is not interesting to begin with: what was seen, and which oracle would fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from flybisect.errors import UserError
from flybisect.observation import Answer, Observation, Outcome, Verdict
from flybisect.oracle.blame import compiler_failure
from flybisect.oracle.plugin import Evidence, Options, Plugin
from flybisect.oracle.signatures import classify

_SHOWN = ("vgprs", "agprs", "sgprs", "vgpr_spills", "sgpr_spills", "scratch_bytes", "lds_bytes")


def why_uninteresting(
    script: str, oracle: str, verdict: Verdict, evidence: Evidence, plugins: Iterable[Plugin]
) -> str:
    """One sentence or two for the user, to be raised as a UserError."""
    failure = classify(evidence.subject)
    if failure is not None and failure.kind == "setup" and verdict.answer is Answer.UNRESOLVED:
        return f"{script} cannot be judged on this machine: {failure.detail or failure.text}"
    said = f"{script} is {verdict.answer.value} to the oracle {oracle}: {verdict.why}"
    seen = _seen("it", evidence.subject)
    if evidence.baseline is not None:
        seen += "; " + _seen("what it is compared with", evidence.baseline)
    return f"{said} ({seen}). {_advice(oracle, evidence, plugins)}".rstrip()


def fitting_oracles(evidence: Evidence, plugins: Iterable[Plugin]) -> list[str]:
    """Names of the oracles that would call the evidence interesting, with their own conditions."""
    options = Options(compares=evidence.baseline is not None)
    found = []
    for plugin in plugins:
        try:
            oracle = plugin.build(options)
            if not oracle.provisional and oracle.judge(evidence).interesting:
                found.append(plugin.name)
        except UserError:  # one that needs an option, or is broken
            continue
    return found


def _advice(oracle: str, evidence: Evidence, plugins: Iterable[Plugin]) -> str:
    fits = [name for name in fitting_oracles(evidence, plugins) if name != oracle]
    if compiler_failure(evidence.subject) is None and classify(evidence.subject) is not None:
        own = [f"--oracle {name}" for name in fits]
        return f"To study that failure all the same: {' or '.join(own)}" if own else ""
    if fits:
        return "Would fit: " + ", ".join(f"--oracle {name}" for name in fits)
    if classify(evidence.subject) is None:
        return "No oracle that ships fits it; a bound over the metrics is --oracle spills --when EXPR"
    return (
        "No oracle that ships fits it by itself; --oracle text --pattern REGEX looks for a text of your own"
    )


def _seen(what: str, observation: Observation) -> str:
    failure = classify(observation)
    parts = []
    if failure is not None:
        parts.append(f"{what} showed {failure}")
    if observation.kernels:
        names = ", ".join(kernel.name for kernel in observation.kernels)
        parts.append(f"{what} compiled {names} with {_figures(observation.metrics())}")
    elif failure is None:
        parts.append(f"{what} ended without a failure and compiled no kernel")
    if observation.note and observation.outcome is not Outcome.BROKEN:
        parts.append(observation.note)
    return " and ".join(parts)


def _figures(metrics: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {metrics[name]}" for name in _SHOWN if name in metrics)
