"""The commands by which a reader sees the bug with nothing but FlyDSL, torch and a linker. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from flybisect.case.variables import Variables
from flybisect.workflows.heading import assignments, shell

NAME = "repro.py"
"""What the script is called in a report and a bundle."""
OBSERVER = "observe.py"
"""A small program beside it: compiles the script and says the figures of its code object."""


def observer_text() -> str:
    return files("flybisect.report").joinpath(f"templates/{OBSERVER}.txt").read_text(encoding="utf-8")


def install(version: str) -> str:
    return f"pip install torch numpy flydsl=={version}"


def plain(arch: str, env: Variables, argv: Sequence[str]) -> str:
    """Both variables name the arch, since kernels ask the one or the other."""
    settings = f"COMPILE_ONLY=1 FLYDSL_RUNTIME_ENABLE_CACHE=0 {_arch(arch)}"
    return f"{settings} {assignments(env)}{shell(['python', NAME, *argv])}"


def observed(arch: str, env: Variables, argv: Sequence[str], out: str = "figures.json") -> str:
    """The same, with the figures said at the end, and without a GPU for what is put on one."""
    return f"{_arch(arch)} {assignments(env)}{shell(['python', OBSERVER, out, NAME, *argv])}"


def heredoc(name: str, text: str) -> str:
    """A shell command that writes a file. The text ends in a line end, whether it did or not."""
    end = "EOF"
    while f"\n{end}\n" in f"\n{text}\n":
        end += "_"
    return f"cat > {name} <<'{end}'\n{text.rstrip()}\n{end}"


def _arch(arch: str) -> str:
    return f"ARCH={arch} FLYDSL_GPU_ARCH={arch}"
