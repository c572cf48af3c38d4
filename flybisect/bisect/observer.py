"""Running the case under one FlyDSL after the other."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from flybisect.case.case import Case
from flybisect.case.limits import FACTOR, FIRST, LEAST
from flybisect.judge.judge import Judge
from flybisect.judge.trials import Memory, Setting
from flybisect.observation import Observation, Outcome, Probe
from flybisect.oracle.plugin import Evidence, Oracle
from flybisect.probe.prober import Prober
from flybisect.toolchain.arch import checked
from flybisect.toolchain.model import Toolchain

FIRST_LOOK = 15.0
"""Wall seconds of the first trial at each endpoint, before it is known how long one takes."""


@dataclass(frozen=True)
class StudiedCase:
    """What is compiled, apart from the FlyDSL."""

    case: Case
    source: str
    argv: tuple[str, ...]
    arch: str
    base: Toolchain | None = None
    """Where it is compared with one FlyDSL throughout."""

    @property
    def mark(self) -> str:
        """Differs from that of any other study."""
        base = None if self.base is None else self.base.key
        request = repr((self.source, self.argv, self.case.env, self.arch, self.case.baseline, base))
        return hashlib.sha256(request.encode("utf-8", "surrogatepass")).hexdigest()

    def setting(self, toolchain: Toolchain) -> Setting:
        return Setting(toolchain, self.argv, self.arch)

    def base_setting(self, toolchain: Toolchain) -> Setting | None:
        """What the case is compared with when `toolchain` is tried. Raises UserError on a bad arch."""
        against = self.case.baseline
        if against is None:
            return None
        return Setting(
            self.base or toolchain,
            self.argv if against.argv is None else against.argv,
            self.arch if against.arch is None else checked(against.arch),
        )


class Observer:
    """Observes the case under toolchains. Safe to use from several threads once the endpoints are known."""

    def __init__(self, study: StudiedCase, oracle: Oracle, prober: Prober, journal: Memory) -> None:
        self._study = study
        self._oracle = oracle
        self._prober = prober
        self._journal = journal
        self._limit = study.case.timeout or FIRST_LOOK
        self.unset: set[str] = set()
        """Environment variables that the script read in vain."""

    @property
    def mark(self) -> str:
        """What is observed, as a word."""
        return self._study.mark

    def ends(self, older: Toolchain, newer: Toolchain) -> tuple[Evidence, Evidence]:
        """What both endpoints show; from then on the time limit follows the one that ended by itself.

        Where only one of them ends, the other gets several times as long before it counts as a hang.
        """
        seen = self.observe(older), self.observe(newer)
        if self._study.case.timeout is not None:
            return seen
        took = [evidence.subject.seconds for evidence in seen if not _timed_out(evidence)]
        self._limit = max(FIRST_LOOK, FACTOR * max(took)) if took else FIRST
        if any(map(_timed_out, seen)) and self._limit > FIRST_LOOK:
            seen = self.observe(older), self.observe(newer)
        took = [evidence.subject.seconds for evidence in seen if not _timed_out(evidence)]
        if took:
            self._limit = max(LEAST, FACTOR * max(took))
        return seen

    def observe(self, toolchain: Toolchain) -> Evidence:
        """What the case shows under it, from the journal where it is known."""
        return self._look(toolchain, self._journal, self._prober)

    def again(self, toolchain: Toolchain, worth: Callable[[Evidence], bool]) -> Evidence:
        """What it shows in new trials. They replace those in the journal where they are `worth` it."""
        anew = _Anew()
        evidence = self._look(toolchain, anew, _Afresh(self._prober))
        if worth(evidence):
            anew.keep_in(self._journal)
        return evidence

    def _look(self, toolchain: Toolchain, journal: Memory, prober: Prober) -> Evidence:
        case = replace(self._study.case, timeout=self._limit)
        judge = Judge(
            case,
            self._oracle,
            self._study.setting(toolchain),
            self._study.base_setting(toolchain),
            prober,
            journal,
        )
        evidence, _ = judge.observe(self._study.source)
        self.unset |= judge.unset
        return evidence


class _Afresh:
    """Runs every trial to its end, whatever compiled before."""

    def __init__(self, prober: Prober) -> None:
        self._prober = prober

    def run(
        self, probe: Probe, toolchain: Toolchain, cancelled: threading.Event | None = None
    ) -> Observation:
        return self._prober.run(replace(probe, anew=True), toolchain, cancelled)

    def run_cold(self, probe: Probe, toolchain: Toolchain) -> Observation:
        return self._prober.run_cold(probe, toolchain)


class _Anew:
    """A journal of one run, which knows nothing of those before."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], tuple[Toolchain, Probe, Observation]] = {}

    def recall(self, toolchain: Toolchain, probe: Probe) -> Observation | None:
        made = self._made.get((toolchain.key, probe.key()))
        return None if made is None else made[2]

    def record(self, toolchain: Toolchain, probe: Probe, observation: Observation) -> None:
        self._made[toolchain.key, probe.key()] = toolchain, probe, observation

    def keep_in(self, journal: Memory) -> None:
        for toolchain, probe, observation in self._made.values():
            journal.record(toolchain, probe, observation)


def _timed_out(evidence: Evidence) -> bool:
    seen = (evidence.subject, evidence.baseline)
    return any(each is not None and each.outcome is Outcome.TIMEOUT for each in seen)
