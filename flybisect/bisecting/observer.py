"""Running the case under one FlyDSL after the other, each once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flybisect.case import Case
from flybisect.judge import Judge, Memory, Prober, Setting
from flybisect.limits import FACTOR, FIRST, LEAST
from flybisect.observation import Outcome
from flybisect.oracle import Evidence, Oracle
from flybisect.toolchain.arch import checked
from flybisect.toolchain.model import Toolchain

FIRST_LOOK = 15.0
"""Wall seconds of the first trial at each end, before it is known how long one takes."""


@dataclass(frozen=True)
class Study:
    """What is compiled, apart from the FlyDSL."""

    case: Case
    source: str
    argv: tuple[str, ...]
    arch: str
    base: Toolchain | None = None
    """Where it is compared with one FlyDSL throughout."""

    def setting(self, toolchain: Toolchain) -> Setting:
        return Setting(toolchain, self.argv, self.arch)

    def base_setting(self, toolchain: Toolchain) -> Setting | None:
        """What the case is compared with when `toolchain` is tried. Raises UserError on a bad arch."""
        against = self.case.against
        if against is None:
            return None
        return Setting(
            self.base or toolchain,
            self.argv if against.argv is None else against.argv,
            self.arch if against.arch is None else checked(against.arch),
        )


class Observer:
    """Observes the case under toolchains. Safe to use from several threads once the ends are known."""

    def __init__(self, study: Study, oracle: Oracle, prober: Prober, journal: Memory) -> None:
        self._study = study
        self._oracle = oracle
        self._prober = prober
        self._journal = journal
        self._limit = study.case.timeout or FIRST_LOOK

    def ends(self, older: Toolchain, newer: Toolchain) -> tuple[Evidence, Evidence]:
        """What both ends show; from then on the time limit follows the one that ended by itself.

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
        case = replace(self._study.case, timeout=self._limit)
        judge = Judge(
            case,
            self._oracle,
            self._study.setting(toolchain),
            self._study.base_setting(toolchain),
            self._prober,
            self._journal,
        )
        return judge.look(self._study.source)[0]


def _timed_out(evidence: Evidence) -> bool:
    seen = (evidence.subject, evidence.base)
    return any(each is not None and each.outcome is Outcome.TIMEOUT for each in seen)
