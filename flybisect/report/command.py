"""The commands that show the bug to a reader who has FlyDSL, torch and a linker. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from flybisect.case.variables import Variables
from flybisect.workflows.heading import assignments, shell

NAME = "repro.py"
"""Name of the script in a report and a bundle."""
OBSERVER = "observe.py"
"""A small program that compiles the script and prints the figures of its code object."""


def observer_text() -> str:
    return files("flybisect.report").joinpath(f"templates/{OBSERVER}.txt").read_text(encoding="utf-8")


def install(version: str) -> str:
    return f"pip install torch numpy flydsl=={version}"


def plain(arch: str, env: Variables, argv: Sequence[str]) -> str:
    """Sets both variables that name the arch, because kernels read one or the other."""
    settings = f"COMPILE_ONLY=1 FLYDSL_RUNTIME_ENABLE_CACHE=0 {_arch(arch)}"
    return f"{settings} {assignments(env)}{shell(['python', NAME, *argv])}"


def observed(arch: str, env: Variables, argv: Sequence[str], out: str = "figures.json") -> str:
    """The same through `observe.py`: prints the figures, and needs no GPU for tensors that are put on one."""
    return f"{_arch(arch)} {assignments(env)}{shell(['python', OBSERVER, out, NAME, *argv])}"


def heredoc(name: str, text: str) -> str:
    """A shell command that writes a file. The file ends with a line end in any case."""
    end = "EOF"
    while f"\n{end}\n" in f"\n{text}\n":
        end += "_"
    return f"cat > {name} <<'{end}'\n{text.rstrip()}\n{end}"


def _arch(arch: str) -> str:
    return f"ARCH={arch} FLYDSL_GPU_ARCH={arch}"
