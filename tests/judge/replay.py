"""A prober that answers from recordings, chosen by what the candidate's text says."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from flybisect.case.case import Case
from flybisect.judge.judge import Judge, Setting
from flybisect.observation import Observation, Probe
from flybisect.oracle.plugin import Options
from flybisect.oracle.registry import load
from flybisect.probe.process import TrialCancelled
from flybisect.session.journal import Journal
from flybisect.toolchain.model import Toolchain
from tests.oracle.recorded import recorded

SUBJECT = Toolchain("0.5.0", "release", "key-subject", "0.5.0", Path("python"))
BASE = Toolchain("0.2.4", "release", "key-base", "0.2.4", Path("python"))


def by_first_word(probe: Probe, toolchain: Toolchain) -> Observation:
    """A candidate `gemm_buffer64; …` shows what that script showed on the toolchain's release."""
    return recorded(f"{probe.source.split(';')[0].split()[0]}@{toolchain.version}")


@dataclass
class Replay:
    """Gives recordings, and keeps what it was asked."""

    answer: Callable[[Probe, Toolchain], Observation] = by_first_word
    seconds: float = 0.0
    """Wall time of a trial."""
    ran: list[tuple[str, str]] = field(default_factory=list)
    """Source and toolchain's spec of each trial."""
    limits: list[float] = field(default_factory=list)
    cold: int = 0
    cancelled: int = 0
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(
        self, probe: Probe, toolchain: Toolchain, cancelled: threading.Event | None = None
    ) -> Observation:
        with self.lock:
            self.ran.append((probe.source, toolchain.spec))
            self.limits.append(probe.timeout)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        end = time.monotonic() + self.seconds
        try:
            while time.monotonic() < end:
                if cancelled is not None and cancelled.wait(0.005):
                    with self.lock:
                        self.cancelled += 1
                    raise TrialCancelled
        finally:
            with self.lock:
                self.at_once -= 1
        return self.answer(probe, toolchain)

    def run_cold(self, probe: Probe, toolchain: Toolchain) -> Observation:
        self.cold += 1
        return self.answer(probe, toolchain)


def judge_of(
    prober: Replay,
    folder: Path,
    oracle: str = "legalization",
    *,
    baseline: bool = False,
    jobs: int = 1,
    timeout: float | None = None,
    when: str | None = None,
) -> Judge:
    """A judge whose journal is in `folder`."""
    return Judge(
        Case(script=folder / "kernel.py", oracle=oracle, timeout=timeout),
        load(oracle).build(Options(when=when, compares=baseline)),
        Setting(SUBJECT, (), "gfx942"),
        Setting(BASE, (), "gfx942") if baseline else None,
        prober,
        Journal(folder / "journal.sqlite3"),
        jobs,
    )
