"""From a script to what it shows: the probe for it, the journal's look-up, the trial."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from typing import Protocol

from flybisect.case.case import Case
from flybisect.case.limits import FIRST, IMPORTS, MEMORY, TimeLimit
from flybisect.judge.statistics import StatisticsCounter
from flybisect.observation import Observation, Outcome, Probe, Want
from flybisect.probe.prober import Prober
from flybisect.toolchain.model import Toolchain

__all__ = ["Memory", "NoMemory", "Prober", "Setting", "Trials", "probe_of"]


class Memory(Protocol):
    """Where observations are kept; `flybisect.session.journal.Journal` is one."""

    def recall(self, toolchain: Toolchain, probe: Probe) -> Observation | None: ...

    def record(self, toolchain: Toolchain, probe: Probe, observation: Observation) -> None: ...


class NoMemory:
    """A journal that keeps nothing, for judging once."""

    def recall(self, toolchain: Toolchain, probe: Probe) -> Observation | None:
        return None

    def record(self, toolchain: Toolchain, probe: Probe, observation: Observation) -> None:
        return None


@dataclass(frozen=True)
class Setting:
    """What a script is compiled with."""

    toolchain: Toolchain
    argv: tuple[str, ...]
    arch: str


def probe_of(
    case: Case,
    source: str,
    setting: Setting,
    wants: Iterable[Want],
    *,
    timeout: float = FIRST,
    memory: int = MEMORY,
    stage: str | None = None,
    command: str | None = None,
) -> Probe:
    """The request to compile a text as the case's script. The case's own limits go before these."""
    return Probe(
        source=source,
        name=case.script.name,
        arch=setting.arch,
        argv=setting.argv,
        env=case.env,
        folder=case.script.parent,
        wants=frozenset(wants),
        timeout=timeout if case.timeout is None else case.timeout,
        memory=memory if case.memory is None else case.memory,
        stage=stage,
        command=command,
    )


class Trials:
    """Runs a case's scripts, each once as far as the journal knows. Safe to use from several threads."""

    def __init__(self, case: Case, prober: Prober, journal: Memory, counter: StatisticsCounter) -> None:
        self._case = case
        self._prober = prober
        self._journal = journal
        self._counter = counter
        self.flaky: Callable[[], bool] = lambda: False
        """Whether the bug shows now and then only: then everything is compiled anew."""
        self._limit = TimeLimit(case.timeout)
        self._memory = MEMORY

    def bound(self, seconds: float, memory: int) -> None:
        """Hold every trial to these limits (wall seconds, MiB), unless the case has its own."""
        self._limit.bound(seconds)
        self._memory = memory

    def learn(self, interesting: Observation) -> None:
        """The time limit follows what good trials take."""
        self._limit.learn(interesting)

    def shown(
        self,
        source: str,
        setting: Setting,
        wants: frozenset[Want],
        cancelled: threading.Event | None = None,
        *,
        by_command: bool = True,
    ) -> tuple[Observation, bool]:
        """What a script shows, and whether a trial was run. `by_command`: by the case's, where it has one."""
        probe = self._probe(source, setting, wants)
        probe = probe if by_command else replace(probe, command=None)
        kept = self._journal.recall(setting.toolchain, probe)
        if kept is not None:
            return kept, False
        seen = self._run(probe, setting.toolchain, cancelled)
        if seen.outcome is Outcome.BROKEN:
            seen = self._run(probe, setting.toolchain, cancelled)
        self._journal.record(setting.toolchain, probe, seen)
        return seen, True

    def recalled(self, source: str, setting: Setting, wants: frozenset[Want]) -> Observation | None:
        """What the journal knows of it."""
        return self._journal.recall(setting.toolchain, self._probe(source, setting, wants))

    def fresh(
        self, source: str, setting: Setting, wants: frozenset[Want], cancelled: threading.Event | None
    ) -> Observation:
        """By a new trial, whatever the journal knows and others compiled; nothing is recorded."""
        probe = replace(self._probe(source, setting, wants), anew=True)
        return self._run(probe, setting.toolchain, cancelled)

    def record(self, source: str, setting: Setting, wants: frozenset[Want], seen: Observation) -> None:
        """Keep what a fresh trial showed in place of what is known."""
        self._journal.record(setting.toolchain, self._probe(source, setting, wants), seen)

    def cold(self, source: str, setting: Setting, wants: frozenset[Want]) -> Observation:
        """In a fresh process, past the journal."""
        probe = self._probe(source, setting, wants)
        probe = replace(probe, timeout=probe.timeout + IMPORTS)
        seen = self._prober.run_cold(probe, setting.toolchain)
        self._counter.trial(seen, setting.toolchain.key, anew=True)
        return seen

    def _run(self, probe: Probe, toolchain: Toolchain, cancelled: threading.Event | None) -> Observation:
        if cancelled is not None and cancelled.is_set():
            raise CancelledError
        if self.flaky():
            probe = replace(probe, anew=True)
        seen = self._prober.run(probe, toolchain, cancelled)
        self._counter.trial(seen, toolchain.key, anew=probe.anew)
        if cancelled is not None and cancelled.is_set():
            raise CancelledError
        return seen

    def _probe(self, source: str, setting: Setting, wants: frozenset[Want]) -> Probe:
        return probe_of(
            self._case,
            source,
            setting,
            wants,
            timeout=self._limit.seconds,
            memory=self._memory,
            stage=self._case.stage,
            command=self._case.command,
        )
