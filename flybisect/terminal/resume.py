"""The message when a reduction is interrupted."""

from __future__ import annotations

import os
from collections.abc import Sequence

from flybisect.case.variables import written_out
from flybisect.session.session import Session
from flybisect.source.source import count_statements
from flybisect.workflows.heading import shell


def how_to_resume(session: Session, argv: Sequence[str]) -> str:
    """The path of the best script so far, and the command that resumes."""
    command = shell(["flybisect", *written_out(argv, os.environ)])
    best = session.best()
    if best is None:
        return f"nothing was reduced yet; to start again: {command}"
    return (
        f"the best script so far, {count_statements(best)} statements: {session.best_path}\n"
        f"to resume without repeating a trial: {command}"
    )
