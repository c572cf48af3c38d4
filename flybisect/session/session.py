"""A run on disk.

`WORKDIR/sessions/<script's stem>-<hash>/` holds:

    case.yaml          what is studied
    input.py           the script as it was
    journal.sqlite3    every observation (see `flybisect.session.journal`)
    best.py            the best script so far
    symptom.py         with a figure to follow: the smallest script so far that shows the symptom, too
    result.json        the last result
    lock               held while a run is at work

The hash is over the case, the script's text and the toolchains' keys, so what changes any of them is
a session of its own, and the same command goes on where it was stopped.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from flybisect.case.atomic_file import read_text, write_text
from flybisect.case.case import Case
from flybisect.errors import UserError
from flybisect.session.journal import Journal


class Session:
    """An open session. Use as a context manager; closing lets another run have it."""

    def __init__(self, folder: Path, case: Case, journal: Journal, lock: IO[str]) -> None:
        self.folder = folder
        self.case = case
        self.journal = journal
        self._lock = lock

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the user, as about a journal that was damaged."""
        return tuple(self.journal.warnings)

    @property
    def best_path(self) -> Path:
        return self.folder / "best.py"

    @property
    def result_path(self) -> Path:
        return self.folder / "result.json"

    def best(self) -> str | None:
        """The best script that an earlier run of this session came to."""
        return read_text(self.best_path) if self.best_path.is_file() else None

    def save_best(self, source: str) -> None:
        """On disk when it returns; a kill in the middle leaves the one before."""
        write_text(self.best_path, source)

    @property
    def symptom_path(self) -> Path:
        return self.folder / "symptom.py"

    def save_symptom(self, source: str) -> None:
        """As `save_best`."""
        write_text(self.symptom_path, source)

    def result(self) -> dict[str, Any] | None:
        """The last result, or None where there is none that can be read."""
        try:
            found = json.loads(read_text(self.result_path))
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def save_result(self, result: Mapping[str, Any]) -> None:
        write_text(self.result_path, json.dumps(result, indent=2) + "\n")

    def close(self) -> None:
        self.journal.close()
        self._lock.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


def open_session(workdir: Path, case: Case, source: str, toolchain_keys: Sequence[str]) -> Session:
    """The session of a case, made or gone on with.

    Raises UserError when another run has it, or the folder cannot be written.
    """
    folder = workdir.absolute() / "sessions" / _name(case, source, toolchain_keys)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = _locked(folder / "lock")
    except OSError as error:
        raise UserError(f"the session's folder {folder} cannot be written: {error.strerror}") from error
    try:
        write_text(folder / "case.yaml", case.to_yaml())
        write_text(folder / "input.py", source)
        return Session(folder, case, Journal(folder / "journal.sqlite3"), lock)
    except OSError as error:
        lock.close()
        raise UserError(f"the session's folder {folder} cannot be written: {error.strerror}") from error
    except BaseException:
        lock.close()
        raise


def _name(case: Case, source: str, toolchain_keys: Sequence[str]) -> str:
    parts = [case.to_yaml(), source, *toolchain_keys]
    text = "\0".join(parts).encode("utf-8", "surrogateescape")
    return f"{case.script.stem}-{hashlib.sha256(text).hexdigest()[:12]}"


def _locked(path: Path) -> IO[str]:
    """The lock file, held until it is closed or the process ends, however it ends."""
    file = path.open("a+", encoding="ascii", errors="replace")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read(20).strip()
        file.close()
        raise UserError(
            f"another run (process {holder or 'unknown'}) is at work in {path.parent}; "
            "wait for it, end it, or give another --workdir"
        ) from None
    except OSError:
        file.close()
        raise
    file.seek(0)
    file.truncate()
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file
