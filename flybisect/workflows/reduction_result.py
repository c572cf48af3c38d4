"""What a reduction came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from flybisect import __version__
from flybisect.judge.statistics import Statistics
from flybisect.observation import Observation, Signature, Verdict
from flybisect.oracle.plugin import Margin
from flybisect.search.reproduction_rate import Rate
from flybisect.source.source import count_statements
from flybisect.workflows.symptom import Followed


@dataclass(frozen=True)
class AlsoSeen:
    """Another failure of the compiler that a candidate showed."""

    signature: Signature
    script: Path
    """The first such candidate, kept in the session's folder."""


@dataclass(frozen=True)
class Result:
    """What `flybisect reduce` came to. `to_dict` is the object that `--json` prints."""

    input: Path
    output: Path
    session: Path
    oracle: str
    flydsl: str
    arch: str
    argv: tuple[str, ...]
    signature: Signature | None
    verdict: Verdict
    """Of the cold run."""
    observation: Observation
    """Of the reduced script."""
    source: str
    reduced: str
    """Without the comment at its head."""
    minimal: bool
    counts: Statistics
    """Of this run; what an earlier one of the session had tried is among the cache hits."""
    also_seen: tuple[AlsoSeen, ...]
    valid_on: tuple[str, ...] = ()
    """Versions without the bug, on which the reduced script compiles: judged in the cold run, too."""
    rate: Rate | None = None
    """How often the bug showed in runs of one script; None where it was seen in all."""
    missing_variables: tuple[str, ...] = ()
    """That the script reads, and that are set here but not in trials."""
    margins: Mapping[str, Margin] = field(default_factory=dict)
    """By figure: what is left of the difference from the baseline."""
    condition: str | None = None
    """Over figures, that the reduced script meets; None for a failure."""
    followed: Followed | None = None
    """The figure that was followed in place of the oracle's own condition, if one was."""

    @property
    def verified_cold(self) -> bool:
        return self.verdict.interesting

    def to_dict(self) -> dict[str, Any]:
        """For `--json` and the session's `result.json`. Keys are kept stable; more may come.

        script, output       absolute path of the reduced script, under both names
        input, session       absolute paths of the script as it was, and of the session's folder
        verdict, why         of the cold run of the reduced script
        metrics              of that run too; `base.NAME` is what it is compared with
        oracle, signature    what was looked for, and what was found
        flydsl, arch, argv   what it was compiled with
        statements_*         `ast.stmt` nodes, before and after, without the comment at the head
        bytes_*              as UTF-8, before and after, without that comment
        compiles             trials of this run that reached FlyDSL, those under the base and the cold ones
                             included, those in `replayed` not; resuming starts from 0
        traced_only          of these, those that ended before MLIR's passes, while a kernel was traced
        replayed             trials without MLIR's passes and LLVM: what they traced had been compiled before
        repeated_compiles    of `compiles`, those of IR that had been compiled before all the same, without
                             those that are to check it (look again, and cold)
        candidates           scripts asked about: rejected_statically (never run), cache_hits (answered by
                             the journal, or equal to one before), and those that were run
        seconds              wall time of this run, without starting up and installing
        minimal              every simplification of every pass that was asked for was tried on the result
        valid_on             versions without the bug on which the reduced script compiles; the cold run is
                             judged by that, too
        verified_cold        the cold run showed the signature again; otherwise the exit code is 1
        margins              {figure: {first, left}}: the difference from the baseline, before and after
        condition            over figures, that the reduced script meets; null for a failure
        figure               null; with a figure that was followed (`reduce --figure`): {figure, this, base,
                             ratio, kind} as `check` has it for the unreduced script; `symptom`: the oracle
                             that found the bug; `symptom_left`: the reduced script shows that, too; if not,
                             `symptom_script` and `symptom_statements`: the smallest one seen that does
        shown                null; where the bug shows in some runs only: how often it did, as "9 of 20 runs"
        also_seen            [{signature, script}]: other failures of the compiler, with a script of each
        missing_variables    that the script reads, and that are set here but not in trials
        python_files         beside the script, that the reduced one still runs: it needs them
        version              flybisect's own
        """
        return {
            "script": str(self.output),
            "input": str(self.input),
            "output": str(self.output),
            "session": str(self.session),
            "verdict": self.verdict.answer.value,
            "why": self.verdict.why,
            "oracle": self.oracle,
            "signature": None if self.signature is None else str(self.signature),
            "metrics": dict(self.verdict.metrics),
            "flydsl": self.flydsl,
            "arch": self.arch,
            "argv": list(self.argv),
            "statements_before": count_statements(self.source),
            "statements_after": count_statements(self.reduced),
            "bytes_before": _bytes(self.source),
            "bytes_after": _bytes(self.reduced),
            "compiles": self.counts.compiles,
            "traced_only": self.counts.traced_only,
            "replayed": self.counts.replayed,
            "repeated_compiles": self.counts.repeated,
            "candidates": self.counts.candidates,
            "rejected_statically": self.counts.rejected_statically,
            "cache_hits": self.counts.cache_hits,
            "seconds": round(self.counts.seconds, 3),
            "minimal": self.minimal,
            "verified_cold": self.verified_cold,
            "margins": {name: asdict(margin) for name, margin in self.margins.items()},
            "condition": self.condition,
            "figure": None if self.followed is None else self.followed.to_dict(),
            "valid_on": list(self.valid_on),
            "shown": None if self.rate is None else str(self.rate),
            "also_seen": [
                {"signature": str(also.signature), "script": str(also.script)} for also in self.also_seen
            ],
            "missing_variables": list(self.missing_variables),
            "python_files": list(self.observation.python_files),
            "version": __version__,
        }


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
