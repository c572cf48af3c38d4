"""Files that a user's command names, by their absolute paths: the command runs in a trial's own folder."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

_RELATIVE = re.compile(r"(?<![^\s;&|()])\.{1,2}/[^\s;&|()'\"$`\\]+")
_FIRST = re.compile(r"^\s*([\w.+@-][\w.+@/-]*)")
_ROOTED = re.compile(r"(?<![\w.~$}-])((?:/[\w.+@~-]+)+)/([\w.+@~-]+)")
_SYSTEM = frozenset({"/bin", "/usr/bin", "/usr/local/bin", "/dev", "/tmp"})


def with_absolute_paths(command: str, folder: Path) -> str:
    """With `./x`, `../x` and a script that is called by its bare name meant from `folder`.

    What is no file there stays as it is.
    """
    text = _RELATIVE.sub(lambda found: _absolute(found[0], folder), command)
    first = _FIRST.match(text)
    if first is None or ("/" not in first[1] and shutil.which(first[1]) is not None):
        return text
    return text[: first.start(1)] + _absolute(first[1], folder) + text[first.end(1) :]


def relative(command: str) -> str:
    """For a reader elsewhere: without the folders of files that are no programs of the system."""
    return _ROOTED.sub(lambda found: found[0] if found[1] in _SYSTEM else f"./{found[2]}", command)


def _absolute(word: str, folder: Path) -> str:
    path = folder / word
    return shlex.quote(str(path.resolve())) if path.is_file() else word
