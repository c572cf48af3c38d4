"""Reduces the shipped cases from the start and prints what that cost, as a table and as JSON.

    python tests/bench/reductions.py [--jobs N] [--workdir DIR] [--json OUT.json] [CASE …]

Not a test: figures depend on the machine. Releases that a case needs are installed into the workdir
once; the sessions of earlier runs are removed, so that nothing is answered by a journal.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CASES = ("seeds/buffer_copy", "seeds/buffer_copy/assertion.case.yaml", "seeds/recast_iter")
COLUMNS = (
    "case",
    "statements_before",
    "statements_after",
    "compiles",
    "candidates",
    "seconds",
    "minimal",
    "verified_cold",
)


def reduce(case: str, workdir: Path, jobs: int) -> dict[str, Any]:
    """The JSON of one reduction; raises CalledProcessError when it ends otherwise than well."""
    command = [sys.executable, "-m", "flybisect", "reduce", case, "--json", "--jobs", str(jobs)]
    ended = subprocess.run(
        [*command, "--workdir", str(workdir)], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True
    )
    found: dict[str, Any] = json.loads(ended.stdout)
    return {"case": case, **{key: found[key] for key in COLUMNS[1:]}, "metrics": found["metrics"]}


def machine() -> dict[str, str]:
    """What the figures depend on, without the machine's name."""
    model = "unknown"
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line
        ]
        model = names[0] if names else model
    return {"cpu": model, "cores": str(os.cpu_count()), "python": platform.python_version()}


def main() -> None:
    parser = argparse.ArgumentParser(description="what reductions cost")
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--workdir", type=Path, default=ROOT / "workdirs" / "bench")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    shutil.rmtree(args.workdir / "sessions", ignore_errors=True)
    rows = [reduce(case, args.workdir, args.jobs) for case in args.cases]
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS))
    for row in rows:
        print("| " + " | ".join(str(row[column]) for column in COLUMNS) + " |")
    if args.json is not None:
        args.json.write_text(
            json.dumps({"machine": machine(), "jobs": args.jobs, "rows": rows}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
