"""Every observation of a session, on disk as soon as it is made.

One SQLite file in WAL mode with full synchronisation: killing the process, or the machine, at any
moment loses at most the trial that was running. A file that is damaged is moved aside, and what can be
read in it is still found (see `flybisect.session.recovery`).
"""

from __future__ import annotations

import sqlite3
import threading
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from flybisect.observation import OBSERVATION_FORMAT, Observation, Outcome, Probe
from flybisect.probe import files_read
from flybisect.session.recovery import Recovery, damaged_journals
from flybisect.toolchain.model import Toolchain

FORMAT = 100 * OBSERVATION_FORMAT + 1
"""Kept as SQLite's `user_version`: the observation's format and that of the tables."""

COMPILES_BYTES = 64 * 1024 * 1024
"""Of what is kept of compiles; see `Journal.keep`."""

_TABLES = """
CREATE TABLE IF NOT EXISTS observations (
    toolchain TEXT NOT NULL,
    probe TEXT NOT NULL,
    timeout REAL NOT NULL,
    memory INTEGER NOT NULL,
    observation BLOB NOT NULL,
    PRIMARY KEY (toolchain, probe)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS compiles (
    number INTEGER PRIMARY KEY,
    toolchain TEXT NOT NULL,
    traced TEXT NOT NULL,
    entry BLOB NOT NULL,
    UNIQUE (toolchain, traced) ON CONFLICT REPLACE
);
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
"""

_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"

LONGEST = 1 << 28
"""Bytes of an observation, unpacked."""

Result = TypeVar("Result")


class Journal:
    """Observations by toolchain and probe, and named notes. Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.warnings: list[str] = []
        """Sentences about a journal that was damaged, for the user."""
        self._lock = threading.RLock()
        self._db = self._open_or_replace()
        self._salvage = Recovery(damaged_journals(path))

    def recall(self, toolchain: Toolchain, probe: Probe) -> Observation | None:
        """What was recorded, unless a limit ended it that was tighter than this probe's, or a file that the
        script read is another one now."""
        row = self._query(
            "SELECT timeout, memory, observation FROM observations WHERE toolchain = ? AND probe = ?",
            (toolchain.key, probe.key()),
        )
        if row is None:
            return None
        timeout, memory, packed = row
        found = _unpacked(packed)
        if found is None or not all(isinstance(limit, (int, float)) for limit in (timeout, memory)):
            return None
        if found.outcome is Outcome.TIMEOUT and timeout < probe.timeout:
            return None
        if found.outcome is Outcome.MEMORY and memory < probe.memory:
            return None
        return found if files_read.unchanged(probe.folder, found.files) else None

    def record(self, toolchain: Toolchain, probe: Probe, observation: Observation) -> None:
        """Keep an observation; a broken toolchain's says nothing about the script and is not kept."""
        if observation.outcome is Outcome.BROKEN:
            return
        packed = zlib.compress(observation.to_json().encode(), 3)
        self._execute(
            "INSERT OR REPLACE INTO observations VALUES (?, ?, ?, ?, ?)",
            (toolchain.key, probe.key(), probe.timeout, probe.memory, packed),
        )

    def note(self, name: str, text: str) -> None:
        """Keep a text under a name, replacing the one before."""
        self._execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, text))

    def noted(self, name: str) -> str | None:
        row = self._query("SELECT text FROM notes WHERE name = ?", (name,))
        return None if row is None else str(row[0])

    def kept(self, toolchain_key: str) -> list[tuple[str, bytes]]:
        """What compiles under a toolchain ended in, the oldest first; see `flybisect.probe.remembering`."""
        sql = "SELECT traced, entry FROM compiles WHERE toolchain = ? ORDER BY number"
        rows = self._mending(lambda: self._db.execute(sql, (toolchain_key,)).fetchall())
        return [(key, entry) for key, entry in rows if isinstance(key, str) and isinstance(entry, bytes)]

    def keep(self, toolchain_key: str, entry: tuple[str, bytes]) -> None:
        """In place of what was kept under that key; what came first goes where there is too much."""
        self._execute(
            "INSERT INTO compiles (toolchain, traced, entry) VALUES (?, ?, ?)", (toolchain_key, *entry)
        )
        while self._kept_bytes() > COMPILES_BYTES:
            self._execute("DELETE FROM compiles WHERE number = (SELECT min(number) FROM compiles)", ())

    def _kept_bytes(self) -> int:
        row = self._query("SELECT coalesce(sum(length(entry)), 0) FROM compiles", ())
        return int(row[0]) if row else 0

    def __len__(self) -> int:
        """Observations kept."""
        row = self._query("SELECT count(*) FROM observations", ())
        return int(row[0]) if row else 0

    def close(self) -> None:
        with self._lock:
            self._db.close()
            self._salvage.close()

    def _query(self, sql: str, values: tuple[object, ...]) -> tuple[Any, ...] | None:
        def look() -> tuple[Any, ...] | None:
            found: tuple[Any, ...] | None = self._db.execute(sql, values).fetchone()
            return self._salvage.row(sql, values) if found is None else found

        return self._mending(look)

    def _execute(self, sql: str, values: tuple[object, ...]) -> None:
        self._mending(lambda: self._db.execute(sql, values))

    def _mending(self, action: Callable[[], Result]) -> Result:
        """Do it; where the file turns out to be damaged, start a new one and do it there."""
        with self._lock:
            try:
                return action()
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._db.close()
                self._move_aside(str(error))
                self._db = self._open()
                self._salvage.close()
                self._salvage = Recovery(damaged_journals(self.path))
                return action()

    def _open_or_replace(self) -> sqlite3.Connection:
        try:
            return self._open()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            self._move_aside(str(error))
            return self._open()

    def _open(self) -> sqlite3.Connection:
        # autocommit: each statement is on disk when it returns
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=30.0)
        try:
            db.text_factory = lambda data: data.decode("utf-8", "replace")
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            if db.execute("PRAGMA quick_check").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("malformed: the check of its pages failed")
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version not in (0, FORMAT):
                raise sqlite3.DatabaseError(f"malformed: written by another version ({version})")
            _make_tables(db)
            db.execute(f"PRAGMA user_version = {FORMAT}")
        except sqlite3.Error:
            db.close()
            raise
        return db

    def _move_aside(self, reason: str) -> None:
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.damaged-{number}")).exists():
            number += 1
        if self.path.exists():
            self.path.rename(aside)
        for suffix in ("-wal", "-shm"):
            companion = self.path.with_name(self.path.name + suffix)
            if companion.exists():
                companion.rename(aside.with_name(aside.name + suffix))
        self.warnings.append(
            f"the journal {self.path} could not be read ({reason}); it was moved to {aside.name} "
            "and a new one begun; trials that can't be read there are run again"
        )


def _make_tables(db: sqlite3.Connection) -> None:
    """Raises DatabaseError where the file has others, or more, as a trigger."""
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(_TABLES)
        wanted = model.execute(_SCHEMA).fetchall()
    if not db.execute(_SCHEMA).fetchall():
        db.executescript(_TABLES)
    if db.execute(_SCHEMA).fetchall() != wanted:
        raise sqlite3.DatabaseError("malformed: its tables are not those of a journal")


def _unpacked(packed: object) -> Observation | None:
    """None for what is no observation."""
    if not isinstance(packed, bytes):
        return None
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(packed, LONGEST).decode()
        return Observation.from_json(text) if unpacker.eof else None
    except (ValueError, zlib.error):
        return None


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Damage, as against a full disk, a lock or an error of ours (subclasses of DatabaseError)."""
    return type(error) is sqlite3.DatabaseError or "malformed" in str(error)
