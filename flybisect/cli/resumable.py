"""Commands that can be resumed."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from flybisect.cli.interrupt import Interrupted
from flybisect.session.resume import save_command
from flybisect.session.session import Session
from flybisect.terminal.resume import how_to_resume
from flybisect.workflows.progress import Begun


def remembering(words: Sequence[str]) -> Begun:
    """Keeps the command line in the session that is opened, for `flybisect resume`."""
    return lambda session: save_command(session.folder, words)


@contextmanager
def resumable(words: Sequence[str]) -> Iterator[Begun]:
    """The same, and prints how to resume if the command is interrupted."""
    opened: list[Session] = []

    def begun(session: Session) -> None:
        opened.append(session)
        save_command(session.folder, words)

    try:
        yield begun
    except (Interrupted, OSError, sqlite3.Error):
        for session in opened[-1:]:
            print(how_to_resume(session, words), file=sys.stderr)
        raise
