"""What `flybisect reduce` prints at the end."""

from __future__ import annotations

from typing import Any

from flybisect.oracle.failure_line import failure_line
from flybisect.terminal.json_output import print_json
from flybisect.workflows.figures import number, table
from flybisect.workflows.reduction_result import Result


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
    lines += _followed(result)
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


def _followed(result: Result) -> list[str]:
    found = result.followed
    if found is None:
        return []
    figure = found.difference.figure
    if found.left:
        return [f"followed {figure}; the script also shows the symptom ({found.symptom})"]
    lines = [f"followed {figure}; the script does not show the symptom ({found.symptom}) any more"]
    if found.script is not None:
        lines.append(f"for the symptom: {found.statements} statements, {found.script}")
    return lines


def _replayed(data: dict[str, Any]) -> str:
    return f" ({data['replayed']} more trials reused compiled IR)" if data["replayed"] else ""


def _compares(data: dict[str, Any]) -> bool:
    return any(name.startswith("base.") for name in data["metrics"])
