"""The message for an unreduced script that is not interesting: what was seen, and which oracle would fit."""

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
    """One or two sentences for the user, to be raised as a UserError."""
    failure = classify(evidence.subject)
    if failure is not None and failure.kind == "setup" and verdict.answer is Answer.UNRESOLVED:
        return f"{script} cannot be judged on this machine: {failure.detail or failure.text}"
    said = f"{script} is {verdict.answer.value} to the oracle {oracle}: {verdict.why}"
    seen = _seen("it", evidence.subject)
    if evidence.baseline is not None:
        seen += "; " + _seen("the baseline", evidence.baseline)
    return f"{said} ({seen}). {_advice(oracle, evidence, plugins)}".rstrip()


def fitting_oracles(evidence: Evidence, plugins: Iterable[Plugin]) -> list[str]:
    """Names of the oracles to which the evidence is interesting, with their default conditions."""
    options = Options(compares=evidence.baseline is not None)
    found = []
    for plugin in plugins:
        try:
            oracle = plugin.build(options)
            if not oracle.provisional and oracle.judge(evidence).interesting:
                found.append(plugin.name)
        except UserError:  # it needs an option, or is broken
            continue
    return found


def _advice(oracle: str, evidence: Evidence, plugins: Iterable[Plugin]) -> str:
    fits = [name for name in fitting_oracles(evidence, plugins) if name != oracle]
    if compiler_failure(evidence.subject) is None and classify(evidence.subject) is not None:
        own = [f"--oracle {name}" for name in fits]
        return f"To study that failure, use {' or '.join(own)}" if own else ""
    if fits:
        return "These oracles fit: " + ", ".join(f"--oracle {name}" for name in fits)
    if classify(evidence.subject) is None:
        return "No built-in oracle fits; to set a threshold, use --oracle spills --when EXPR"
    return "No built-in oracle fits; to search for a text of your own, use --oracle text --pattern REGEX"


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
