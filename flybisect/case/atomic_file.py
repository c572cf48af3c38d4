"""Writing a file so that it is, at every moment, either the old one or the new one."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Replace `path` by `text`, on disk when this returns. Line ends and odd bytes stay as they are.

    A file that is there keeps its permissions.
    """
    data = text.encode("utf-8", "surrogateescape")
    temporary = path.with_name(f".flybisect-{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            if path.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def read_text(path: Path) -> str:
    """What `write_text` wrote, character for character."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _sync_folder(folder: Path) -> None:
    """A rename is on disk when its folder is."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
