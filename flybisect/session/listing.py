"""The sessions of a working folder: what there is, and which one is meant."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flybisect.case.case import Case, load
from flybisect.case.declared import CASE_FILE
from flybisect.errors import UserError
from flybisect.session.parts import Part, load_part, read_json

SESSIONS = "sessions"
BISECTED = ("releases", "commits")


@dataclass(frozen=True)
class SessionEntry:
    """One session."""

    folder: Path
    case: Case
    result: dict[str, Any]
    """Empty while there is none."""
    changed: float
    """Seconds since the epoch, of the last trial or result."""

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def reduces(self) -> bool:
        """False for a session of bisections."""
        return not any(name in self.result for name in BISECTED) and (
            "output" in self.result or (self.folder / "best.py").is_file()
        )

    @property
    def bisects(self) -> bool:
        return any(name in self.result for name in BISECTED)

    @property
    def state(self) -> str:
        """In a word or two."""
        if load_part(self.folder, Part.STEPS) is not None:
            return "run"
        if self.bisects:
            return "bisected"
        if "output" in self.result:
            return "reduced"
        return "unfinished"

    @property
    def when(self) -> str:
        """Local time, as `2026-11-29 17:05`."""
        return datetime.datetime.fromtimestamp(self.changed).strftime("%Y-%m-%d %H:%M")


def sessions(workdir: Path) -> list[SessionEntry]:
    """The latest last. A folder without a case that can be read is left out."""
    return sorted(_entries(workdir / SESSIONS), key=lambda entry: entry.changed)


def session_named(given: str | None, workdir: Path) -> SessionEntry:
    """The one whose name `given` is, or begins; a folder; without it, the last that came to anything.

    Raises UserError where there is none, or more than one.
    """
    found = sessions(workdir)
    if given is None:
        done = [entry for entry in found if entry.result] or found
        if not done:
            raise UserError(f"{workdir} holds no session yet; `flybisect reduce SCRIPT` makes one")
        return done[-1]
    folder = Path(given).expanduser()
    if (folder / CASE_FILE).is_file() and (folder / "input.py").is_file():
        return _entry(folder.absolute())
    matching = [entry for entry in found if entry.name.startswith(given)]
    matching = [entry for entry in matching if entry.name == given] or matching
    if len(matching) == 1:
        return matching[0]
    known = ", ".join(entry.name for entry in (matching or found)[-5:]) or "none"
    what = "more than one session" if matching else "no session"
    raise UserError(f"{what} of {workdir} is called {given}…; there are {known} (`flybisect sessions`)")


def bisections_of(scripts: list[Path], among: list[SessionEntry]) -> list[SessionEntry]:
    """Sessions of bisections whose script is one of these."""
    wanted = {script.absolute() for script in scripts}
    return [entry for entry in among if entry.bisects and entry.case.script.absolute() in wanted]


def _entries(folder: Path) -> Iterator[SessionEntry]:
    for path in folder.glob("*"):
        if (path / CASE_FILE).is_file():
            try:
                yield _entry(path)
            except UserError:
                continue


def _entry(folder: Path) -> SessionEntry:
    result = read_json(folder / "result.json")
    files = [folder / name for name in ("result.json", "journal.sqlite3", "journal.sqlite3-wal", CASE_FILE)]
    times = [path.stat().st_mtime for path in files if path.is_file()]
    return SessionEntry(
        folder, load(folder / CASE_FILE), result if isinstance(result, dict) else {}, max(times)
    )
