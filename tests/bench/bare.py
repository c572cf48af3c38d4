"""Runs scripts as `python script.py` would, on a machine without a GPU; nothing of the tool but that.

    python bare.py once ARCH SCRIPT [ARGUMENT …]
    python bare.py serve                            # then one JSON object a line: arch, argv

`serve` imports what a warm worker imports and forks for each script: tracing and compiling alone. It answers
with wall and CPU seconds, and the exit code.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import runpy
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

from flybisect.probe.inside import gpuless
from flybisect.probe.inside.serve import LAZY, NEEDED


def run(arch: str, argv: list[str]) -> None:
    """`argv`: the script's path, then its arguments."""
    gpuless.install()
    gpuless.as_arch(arch)
    sys.argv = argv
    sys.path[0] = str(Path(argv[0]).parent)
    runpy.run_path(argv[0], run_name="__main__")


def serve() -> None:
    for name in NEEDED:
        importlib.import_module(name)
    for name in LAZY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print("{}", file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        began, before = time.monotonic(), time.process_time()
        pid = os.fork()
        if pid == 0:
            os.environ.update(ARCH=asked["arch"], FLYDSL_GPU_ARCH=asked["arch"])
            code = 1
            try:
                run(asked["arch"], asked["argv"])
                code = 0
            finally:
                os._exit(code)
        _, status, usage = os.wait4(pid, 0)
        seconds = time.monotonic() - began
        cpu = usage.ru_utime + usage.ru_stime + time.process_time() - before
        found = {"wall": seconds, "cpu": cpu, "code": status}
        print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve()
    else:
        run(sys.argv[2], sys.argv[3:])
