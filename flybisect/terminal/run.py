"""What `flybisect run` prints at the end."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from flybisect.workflows.findings import Findings


def as_dict(found: Findings, report: Path, bundle: Path | None) -> dict[str, Any]:
    """For `--json`. Keys are kept stable; more may come."""
    return {
        "session": str(found.folder),
        "report": str(report),
        "bundle": None if bundle is None else str(bundle),
        "steps": [vars(step) for step in found.steps],
        "reduction": found.reduction,
        "releases": found.releases,
        "matrix": found.matrix,
        "variants": list(found.variants),
        "commits": found.commits,
    }


def print_run(found: Findings, report: Path, bundle: Path | None) -> None:
    """On stdout; the last line is the path of the report."""
    for step in found.steps:
        print(f"{step.name}: {step.told}" if step.done else f"{step.name}: NOT DONE: {step.told}")
    if found.reduction is not None:
        print(f"script: {shlex.quote(str(found.reduction['output']))}")
    if bundle is not None:
        print(f"bundle: {bundle}")
    print(report)
