"""A reduction that is killed again and again, against the same one undisturbed.

    python -m tests.soak.kills --kills 200

Each time: nothing that was found before is lost, no process is left, and in the end the result is the same.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "tests" / "data" / "scripts" / "complement.py"
PATIENCE = 1800.0


@dataclass
class Tally:
    """What was seen, for people and for a test."""

    kills: int = 0
    runs: int = 0
    """Brought to their end."""
    problems: list[str] = field(default_factory=list)


def begin(workdir: Path) -> list[str]:
    """The command, which is also the one that goes on."""
    given = ["reduce", SCRIPT, "--oracle", "assertion", "--arch", "gfx942", "--jobs", 1, "--quiet", "--json"]
    return [sys.executable, "-m", "flybisect", *map(str, given), "--workdir", str(workdir)]


EARLY = 0.2
"""Of the kills, those that may come before anything was tried."""


def soak(kills: int, seed: int, longest: float) -> Tally:
    """`longest`: seconds that a run gets at most after its first new trial; a part of them gets no trial."""
    rolls = random.Random(seed)
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="flybisect-soak-") as scratch:
        undisturbed = _finish(begin(Path(scratch) / "undisturbed"))
        while tally.kills < kills:
            workdir = Path(scratch) / f"killed-{tally.runs}"
            before = 0
            while tally.kills < kills:
                least = -1 if rolls.random() < EARLY else before
                if not _killed(begin(workdir), workdir, least, rolls.uniform(0.0, longest)):
                    break
                tally.kills += 1
                before = _check_left(workdir, before, tally)
                print(f"kill {tally.kills}: {before} observations", flush=True)
            after = _finish([sys.executable, "-m", "flybisect", "resume", "--workdir", str(workdir)])
            if after != undisturbed:
                tally.problems.append(f"after {tally.kills} kills another result: {after!r}")
            tally.runs += 1
            print(f"{tally.kills} kills, {tally.runs} runs, {len(tally.problems)} problems", flush=True)
    left = _workers_of(scratch)
    if left:
        tally.problems.append(f"processes left: {left}")
    return tally


def _killed(command: list[str], workdir: Path, least: int, after: float) -> bool:
    """Kill it `after` so many seconds from when it has more than `least` observations. False where it ended
    by itself before."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT) as process:
        while process.poll() is None and _observations(workdir) <= least:
            time.sleep(0.05)
        try:
            process.wait(after)
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            return True


def _observations(workdir: Path) -> int:
    """In the journal of the one session; 0 where there is none yet."""
    for journal in workdir.glob("sessions/*/journal.sqlite3"):
        db = sqlite3.connect(journal)
        try:
            return int(db.execute("SELECT count(*) FROM observations").fetchone()[0])
        except sqlite3.OperationalError:
            return 0  # before its tables are made
        finally:
            db.close()
    return 0


def _finish(command: list[str]) -> tuple[object, ...]:
    """What does not depend on how often it was interrupted."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT)
    if done.returncode != 0:
        # Killed before there was a session: to begin is to go on.
        if "no session to resume" in done.stderr:
            return _finish(begin(Path(command[-1])))
        return (done.returncode, done.stderr)
    found = json.loads(done.stdout)
    same = ("signature", "statements_after", "bytes_after", "minimal", "verified_cold", "metrics")
    return (Path(found["output"]).read_text(encoding="utf-8"), *(str(found[name]) for name in same))


def _check_left(workdir: Path, before: int, tally: Tally) -> int:
    """Look at what a kill left; how many observations there are."""
    sessions = list((workdir / "sessions").glob("*"))
    if not sessions:
        return before
    (session,) = sessions
    best = session / "best.py"
    if best.exists():
        compile(best.read_bytes(), "best.py", "exec")
    if list(session.glob("*.damaged-*")):
        tally.problems.append("a journal was taken for damaged")
    count = _observations(workdir)
    if count < before:
        tally.problems.append(f"{before - count} observations lost")
    return count


def _workers_of(scratch: str) -> list[int]:
    """Processes that have the soak's folder on their command line, a while after the last run."""
    time.sleep(2.0)
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                words = (process / "cmdline").read_bytes()
            except OSError:
                continue
            if scratch.encode() in words:
                found.append(int(process.name))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=6.0, help="Seconds from a new trial to a kill.")
    options = parser.parse_args()
    tally = soak(options.kills, options.seed, options.longest)
    print(f"{tally.kills} kills over {tally.runs} reductions")
    for problem in tally.problems:
        print(f"PROBLEM: {problem}")
    sys.exit(bool(tally.problems))


if __name__ == "__main__":
    main()
