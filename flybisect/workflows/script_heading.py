"""What is known of a reduction, as the comment at the head of its script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flybisect.observation import Observation, Verdict
from flybisect.oracle.failure_line import failure_line
from flybisect.source.argv import reads_arguments
from flybisect.source.source import count_statements
from flybisect.workflows import heading as header
from flybisect.workflows.prepare import PreparedReduction
from flybisect.workflows.reduce import Heading


def heading_for(bench: PreparedReduction, output: Path, more: Sequence[str]) -> Heading:
    """`more`: options of the command that are no part of the case."""

    def heading(text: str, verdict: Verdict, observation: Observation) -> str:
        told = header.Heading(
            command=header.command_of(bench.case, bench.subject.toolchain.version, more),
            run=["python", output.name, *(bench.subject.argv if reads_arguments(text) else ())],
            env=bench.case.env,
            flydsl=bench.subject.toolchain.version,
            arch=bench.subject.arch,
            before=count_statements(bench.source),
            after=count_statements(text),
            failure=failure_line(observation) or _pattern(verdict),
            metrics=verdict.metrics,
            base=bench.base_name,
        )
        return header.headed(text, told)

    return heading


def _pattern(verdict: Verdict) -> str | None:
    """What is said in place of a failure; None where the figures say it."""
    signature = verdict.signature
    return None if signature is None or (verdict.metrics and not signature.detail) else str(signature)
