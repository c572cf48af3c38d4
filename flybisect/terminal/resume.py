"""What a person is told when a reduction ends before its time."""

from __future__ import annotations

import os
from collections.abc import Sequence

from flybisect.case.variables import written_out
from flybisect.session.session import Session
from flybisect.source.source import count_statements
from flybisect.workflows.heading import shell


def how_to_resume(session: Session, argv: Sequence[str]) -> str:
    """Where the best script so far is, and the command that goes on."""
    command = shell(["flybisect", *written_out(argv, os.environ)])
    best = session.best()
    if best is None:
        return f"nothing was reduced yet; to begin again: {command}"
    return (
        f"the best script so far, {count_statements(best)} statements: {session.best_path}\n"
        f"to go on, what was tried is not tried again: {command}"
    )
