"""Python files beside the script that it runs or reads, whichever way: imports, runpy, `exec`."""

from __future__ import annotations

import os
import sys
from typing import Any

from .recorder import Recorder

MOST = 200
"""Files of one trial."""


def watch(recorder: Recorder, script: str, folder: str, beside: str | None) -> None:
    """From now on, in this process: note each file once, by its path from the script's folder.

    `folder`: the trial's, which has what lies in `beside`, the folder of the script.
    """
    roots = [f"{os.path.realpath(each)}/" for each in (folder, beside) if each]
    roots += [f"{each}/" for each in (folder, beside) if each]
    seen = {script}

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path = arguments[0]
        elif event == "exec":
            path = getattr(arguments[0], "co_filename", None)
        else:
            return
        if not isinstance(path, str) or not path.endswith(".py") or path in seen or len(seen) > MOST:
            return
        seen.add(path)
        whole = os.path.normpath(os.path.join(os.getcwd(), path))
        for root in roots:
            if whole.startswith(root) and whole != script and os.path.isfile(whole):
                recorder.fact("python_file", path=whole[len(root) :])
                return

    sys.addaudithook(hook)
