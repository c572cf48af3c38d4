"""Reading on in a journal that was damaged and moved aside.

A lookup by key touches a few pages of the file only; where those are whole, so is what they hold. Every
entry is compressed with a checksum, so a damaged one is never taken for an observation.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MOST = 3
"""Damaged journals of a session that are looked into, the latest first."""


class Recovery:
    """Damaged journals. Not safe to use from several threads at once."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._open = [db for path in files[:MOST] if (db := _opened(path)) is not None]

    def row(self, sql: str, values: tuple[object, ...]) -> tuple[Any, ...] | None:
        """The first that one of them has; None also where none can be read there."""
        for db in self._open:
            with contextlib.suppress(sqlite3.Error):
                found: tuple[Any, ...] | None = db.execute(sql, values).fetchone()
                if found is not None:
                    return found
        return None

    def close(self) -> None:
        for db in self._open:
            db.close()


def damaged_journals(journal: Path) -> list[Path]:
    """The damaged ones that were moved aside from `journal`, the latest first."""
    found = [path for path in journal.parent.glob(f"{journal.name}.damaged-*") if path.suffix.count("-") == 1]
    return sorted(found, key=lambda path: (len(path.name), path.name), reverse=True)


def _opened(path: Path) -> sqlite3.Connection | None:
    try:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    except sqlite3.Error:
        return None
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        # Else SQLite refuses a file that is shorter than its header says.
        db.execute("PRAGMA writable_schema = ON")
        db.execute("PRAGMA query_only = ON")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        db.close()
        return None
    return db
