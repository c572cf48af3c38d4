"""What this machine has of what flybisect needs: the toolchains' checks, and how trials are confined."""

from __future__ import annotations

from pathlib import Path

from flybisect.probe.confinement import confinement
from flybisect.toolchain.doctor import Machine, MachineCheck, State, examine

_ADVICE = (
    "unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces; in a "
    "container: --security-opt seccomp=unconfined) or Linux 6.12 with Landlock confine trials wholly; until "
    "then reduce only what you trust"
)


def doctor(workdir: Path) -> tuple[MachineCheck, ...]:
    """In the order in which the checks are shown."""
    return (*examine(Machine(workdir)), _confinement())


def _confinement() -> MachineCheck:
    """A reduced script runs code that nobody wrote."""
    found = confinement()
    seen = "; ".join((*found.lacks, *found.holds, *found.noticed))
    if found.whole:
        return MachineCheck("confinement", State.OK, seen)
    return MachineCheck("confinement", State.WARN, seen, _ADVICE)
