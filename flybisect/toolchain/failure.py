"""A commit that can't be built: the bisection goes round it."""

from __future__ import annotations

from pathlib import Path

from flybisect.toolchain.model import Unavailable


class BuildFailed(Unavailable):
    """This commit does not build, others may. What stops all of them is a `UserError`."""

    def __init__(self, reason: str, log: Path) -> None:
        super().__init__(f"{reason} (log: {log})")
        self.reason = reason
        """One line: what was seen, with the last errors of the log."""
        self.log = log
        """All that the build printed."""
