"""Which command a session is of, kept in it, so that `flybisect resume` can go on with it.

`command.json` in the session's folder: the words of the command line, and the folder that they were said in.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flybisect.case.atomic_file import write_text
from flybisect.case.variables import written_out
from flybisect.errors import UserError

FILE = "command.json"


@dataclass(frozen=True)
class ResumableCommand:
    """A command line that goes on with a session when it is run again."""

    words: tuple[str, ...]
    """Without `flybisect` itself."""
    folder: Path
    """Where relative paths are meant from."""


def save_command(session: Path, words: Sequence[str]) -> None:
    """Of the session that was just opened, said in the current folder. `--env NAME` gets a value."""
    write_text(
        session / FILE,
        json.dumps({"words": written_out(words, os.environ), "folder": str(Path.cwd())}) + "\n",
    )


def find_command(session: Path | None, workdir: Path) -> ResumableCommand:
    """Of a session's folder; without one, of the session that was begun or gone on with last.

    Raises UserError where there is none.
    """
    if session is None:
        begun = sorted((workdir / "sessions").glob(f"*/{FILE}"), key=lambda path: path.stat().st_mtime)
        if not begun:
            raise UserError(f"there is no session to resume in {workdir / 'sessions'}")
        return _read(begun[-1])
    if not (session / FILE).is_file():
        raise UserError(f"{session} is no session's folder that can be gone on with: it has no {FILE}")
    return _read(session / FILE)


def _read(path: Path) -> ResumableCommand:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        words, folder = data["words"], data["folder"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"{path}: cannot be read; give the command that began the session") from error
    texts = isinstance(words, list) and all(isinstance(word, str) for word in [*words, folder])
    if not texts or not words or words[0] == "resume":
        raise UserError(f"{path}: says no command; give the one that began the session")
    if not Path(folder).is_dir():
        raise UserError(f"{path}: the folder that the command was given in, {folder}, does not exist")
    return ResumableCommand(tuple(words), Path(folder))
