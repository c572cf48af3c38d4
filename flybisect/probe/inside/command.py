"""A user's shell command in place of the script: it is given the script's path and the script's arguments."""

from __future__ import annotations

import os
import re
import signal
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

SHELL = "/bin/sh"
_ARGUMENTS = re.compile(r"\$\{?[1@*]")


def replace_process(command: str, script: str, argv: Sequence[str]) -> NoReturn:
    """Run `command` as a shell does, in place of this process. Where it does not say itself where its
    arguments go (`"$1"`, `"$@"`), they are put behind it.

    `python` is this interpreter and imports the FlyDSL that this process has. Limits, confinement and
    the environment's settings are those of the trial. Raises OSError where there is no shell.
    """
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores them, and that would be handed on
    os.environ["PYTHONPATH"] = os.pathsep.join(_imported_from())
    os.environ["PATH"] = os.pathsep.join(
        [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    )
    text = command if _ARGUMENTS.search(command) else f'{command} "$@"'
    os.execve(SHELL, [SHELL, "-c", text, SHELL, script, *argv], dict(os.environ))


def _imported_from() -> list[str]:
    """Where this process imports from, without what belongs to the interpreter: another may be called."""
    own = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))
    folders = (path for path in sys.path if Path(path).is_dir())
    return [path for path in folders if not path.startswith(own) or "-packages" in path]
