"""Removes names of people and machines, and locations, from a report. Pure except for `here`."""

from __future__ import annotations

import getpass
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_ABSOLUTE = re.compile(r"(?<![\w.:/<$}~])/(?:[\w.+@~-]+/)+([\w.+@~-]+)")
"""A path of two parts or more; `://` of an address is none."""
_HOMES = re.compile(r"(?<![\w/])/(?:home|Users|root)(?:/[\w.+@-]+)?(?=/)|(?<![\w/])/(?:home|Users)/[\w.+@-]+")
_ORDINARY = frozenset({"root", "user", "admin", "test", "build", "builder", "runner", "ubuntu", "debian"})
"""Common names of accounts and machines. They identify nobody."""
SHORTEST = 4
"""Characters of a name to replace: a shorter one would match parts of words."""


@dataclass(frozen=True)
class Redaction:
    """What to look for."""

    folders: tuple[str, ...] = ()
    """Absolute, for example those of the script and of the session."""
    names: tuple[str, ...] = ()

    def text(self, text: str) -> str:
        """For output of a compiler or a tool: paths become base names."""
        return self._unnamed(_ABSOLUTE.sub(r"\1", self._unplaced(text, "")))

    def script(self, text: str) -> str:
        """For a program, which has to stay valid: only names of people and machines are replaced."""
        return self._unnamed(_HOMES.sub("/home/user", self._unplaced(text, "/somewhere/")))

    def _unplaced(self, text: str, instead: str) -> str:
        for folder in sorted(self.folders, key=len, reverse=True):
            text = text.replace(folder.rstrip("/") + "/", instead)
        return text

    def _unnamed(self, text: str) -> str:
        for name in self.names:
            text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", "name", text)
        return text


def here(folders: Sequence[Path]) -> Redaction:
    """For this user and this machine. `folders`: those of the script and its session."""
    found = [str(folder.absolute()) for folder in folders if len(folder.absolute().parts) > 1]
    names = {_user(), *socket.gethostname().split(".")[:1], socket.gethostname()}
    telling = [name for name in sorted(names) if len(name) >= SHORTEST and name not in _ORDINARY]
    return Redaction(tuple(found), tuple(telling))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account that the system does not know by name
        return ""
