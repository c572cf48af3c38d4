"""Lines for a person who waits, on stderr."""

from __future__ import annotations

import sys

from flybisect.toolchain.store import Notify, silent


def notifier(quiet: bool) -> Notify:
    return silent if quiet else _say


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
