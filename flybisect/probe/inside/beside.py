"""What lies beside the script, brought into the trial's folder: scripts read data from there.

Small files are copied, so that a script may also write over what an earlier run by hand left; what is
larger, and folders, are linked, and can be read alone where the kernel confines the trial.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Collection

SMALL = 1 << 20
"""Bytes of a file that is copied."""
ROOM = 16 << 20
"""Bytes that are copied in all."""
MOST = 1000
"""Entries of a folder that is still brought along: one with more is a heap, not a project."""


def bring(source: str, folder: str, ours: Collection[str]) -> None:
    """The entries of `source` into `folder`, but for names that it has already and those in `ours`.

    What cannot be read is left out.
    """
    try:
        with os.scandir(source) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    if len(entries) > MOST:
        return
    room = ROOM
    for entry in entries:
        target = f"{folder}/{entry.name}"
        if entry.name in ours or os.path.lexists(target):
            continue
        with contextlib.suppress(OSError):
            facts = entry.stat()
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > min(SMALL, room):
                os.symlink(entry.path, target)
            else:
                shutil.copy(entry.path, target)
                room -= facts.st_size
