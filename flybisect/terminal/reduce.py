"""What `flybisect reduce` prints at the end, and the comment at the head of the script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flybisect.observation import Observation, Verdict
from flybisect.oracle.failure_line import failure_line
from flybisect.source.argv import reads_arguments
from flybisect.source.source import count_statements
from flybisect.terminal.json_output import print_json
from flybisect.workflows import heading as header
from flybisect.workflows.figures import number, table
from flybisect.workflows.prepare import PreparedReduction
from flybisect.workflows.reduce import Heading, Result


def heading_for(bench: PreparedReduction, output: Path, more: Sequence[str]) -> Heading:
    """`more`: options of the command that are not part of the case."""

    def heading(text: str, verdict: Verdict, observation: Observation) -> str:
        comment = header.Heading(
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
        return header.headed(text, comment)

    return heading


def _pattern(verdict: Verdict) -> str | None:
    """The signature in place of a failure; None when the figures show the bug."""
    signature = verdict.signature
    return None if signature is None or (verdict.metrics and not signature.detail) else str(signature)


def print_result(result: Result, as_json: bool) -> None:
    """On stdout: one JSON object, or a few lines whose last is the path of the script."""
    data = result.to_dict()
    if as_json:
        print_json(data)
        return
    for line in _summary(result, data):
        print(line)
    print(result.output)


def _summary(result: Result, data: dict[str, Any]) -> list[str]:
    lines = [
        f"{data['statements_before']} -> {data['statements_after']} statements, "
        f"{data['bytes_before']} -> {data['bytes_after']} bytes; "
        f"{data['compiles']} compiles{_replayed(data)}, {data['seconds']:.1f} s",
        failure_line(result.observation) or str(result.signature),
        *table(result.verdict.metrics, "base" if _compares(data) else ""),
        ("1-minimal" if result.minimal else "not known to be minimal")
        + ("; confirmed in a fresh process" if result.verified_cold else ""),
    ]
    lines += [
        f"the difference in {name} shrank from {number(margin.first)} to {number(margin.left)}"
        for name, margin in result.margins.items()
        if margin.shrank
    ]
    if result.verified_cold and result.valid_on:
        lines.append(f"compiles without the bug on FlyDSL {', '.join(result.valid_on)}")
    if not result.verified_cold:
        lines.append(f"NOT CONFIRMED in a fresh process: {result.verdict.why}")
    if data["python_files"]:
        lines.append(f"the script reads {', '.join(data['python_files'])} from the original script's folder")
    lines += [f"also seen: {seen.signature} ({seen.script.name})" for seen in result.also_seen]
    return lines


def _replayed(data: dict[str, Any]) -> str:
    return f" ({data['replayed']} more trials reused compiled IR)" if data["replayed"] else ""


def _compares(data: dict[str, Any]) -> bool:
    return any(name.startswith("base.") for name in data["metrics"])
