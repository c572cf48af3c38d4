"""One other reducer on one case, until it ends or has asked for as much as it may."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from flybisect.judge.judge import Judge
from flybisect.session.journal import Journal
from flybisect.workflows.prepare import PreparedCase
from tests.bench.others.answering import Answers, answering
from tests.bench.others.tools import Place, Tool
from tests.bench.recording import Stand
from tests.bench.reduction import recorded_judge


@dataclass(frozen=True)
class Limits:
    calls: int
    seconds: float


@dataclass(frozen=True)
class Outcome:
    calls: int
    distinct: int
    rejected: int
    """Calls that a look at the text answered: it does not parse, or reads an unbound name."""
    trials: int
    """Calls that had to be run."""
    compiles: int
    seconds: float
    text: str
    ended: str
    """How, as `by itself` or `stopped at 3000 calls`."""
    way: tuple[Stand, ...] = ()
    """How it got there; of flybisect alone."""


def run(tool: Tool, bench: PreparedCase, bin: Path, folder: Path, limits: Limits) -> Outcome:
    """Raises RuntimeError where the tool fails, or ends with a script that does not show the bug."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    place = Place(folder, bin)
    place.prepare(bench.source)
    with (
        closing(Journal(folder / "journal.sqlite3")) as journal,
        recorded_judge(bench, journal) as (judge, _),
    ):
        if not judge.pin(bench.source).interesting:
            raise RuntimeError(f"{bench.case.script} does not show its bug")
        before = judge.statistics
        answers = Answers(judge, limits.calls)
        began = time.monotonic()
        with answering(place.socket, answers):
            ended = _ended(tool, place, answers, limits)
        seconds = time.monotonic() - began
        after = judge.statistics
        text = _final(tool, place, answers, ended, bench.source)
        _check(judge, text, tool)
    rejected = after.rejected_statically - before.rejected_statically
    known = after.cache_hits - before.cache_hits
    asked = answers.asked
    return Outcome(
        calls=asked.calls,
        distinct=asked.distinct,
        rejected=rejected,
        trials=after.candidates - before.candidates - rejected - known,
        compiles=after.compiles - before.compiles,
        seconds=round(seconds, 1),
        text=text,
        ended=ended,
    )


def _ended(tool: Tool, place: Place, answers: Answers, limits: Limits) -> str:
    """Waits for the tool, ends it where it has had enough, and says which."""
    deadline = time.monotonic() + limits.seconds
    with (place.folder / "log").open("wb") as log:
        process = subprocess.Popen(
            tool.command(place),
            cwd=place.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            while process.poll() is None:
                if answers.over.wait(0.05):
                    return f"stopped at {limits.calls} calls"
                if time.monotonic() > deadline:
                    return f"stopped at {limits.seconds:.0f} s"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.returncode != 0:
        raise RuntimeError(
            f"{tool.name} ended with exit code {process.returncode}; see {place.folder / 'log'}"
        )
    return "by itself"


def _final(tool: Tool, place: Place, answers: Answers, ended: str, source: str) -> str:
    """What it left; of one that was stopped, the shortest that it had found."""
    left = tool.result(place)
    if ended == "by itself" and left.exists():
        return left.read_text(encoding="utf-8")
    return answers.asked.best or source


def _check(judge: Judge, text: str, tool: Tool) -> None:
    verdict = judge.judge(text)
    if not verdict.interesting:
        raise RuntimeError(f"{tool.name} left a script that does not show the bug: {verdict.why}")
