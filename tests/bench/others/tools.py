"""Other reducers: which release of each, and how it is called for one core and no frills."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ASK = Path(__file__).with_name("ask.py")


@dataclass(frozen=True)
class Place:
    """Where one of them is at work."""

    folder: Path
    bin: Path
    """Of the environment that they are installed in."""

    @property
    def candidate(self) -> Path:
        """The script, which most of them rewrite."""
        return self.folder / "candidate.py"

    @property
    def test(self) -> Path:
        """An executable: 0 is interesting."""
        return self.folder / "interesting.sh"

    @property
    def socket(self) -> Path:
        return self.folder / "judge"

    def prepare(self, source: str) -> None:
        self.candidate.write_text(source, encoding="utf-8")
        python = self.bin / "python"
        self.test.write_text(f'#!/bin/sh\nexec "{python}" -I -S "{ASK}" "{self.socket}" "$@"\n')
        self.test.chmod(0o755)


@dataclass(frozen=True)
class Tool:
    name: str
    pins: tuple[str, ...]
    """For pip; empty for a program of the system."""
    command: Callable[[Place], list[str]]
    result: Callable[[Place], Path] = lambda place: place.candidate


def _shrink_ray(place: Place) -> list[str]:
    program = str(place.bin / "shrinkray")
    plain = ["--ui", "basic", "--volume", "quiet", "--no-history", "--no-clang-delta", "--formatter", "none"]
    how = ["--parallelism", "1", "--timeout", "0", "--input-type", "arg", "--trivial-is-not-error"]
    return [program, *plain, *how, str(place.test), str(place.candidate)]


def _picire(place: Place) -> list[str]:
    program = [str(place.bin / "picire"), "--quiet", "--out", str(place.folder / "picire")]
    how = ["--atom", "line", "--cache", "content"]
    return [*program, *how, "--test", str(place.test), "--input", str(place.candidate)]


def _lithium(place: Place) -> list[str]:
    return [str(place.bin / "lithium"), str(ASK), str(place.socket), str(place.candidate)]


def _pysource_minimize(place: Place) -> list[str]:
    program = [str(place.bin / "pysource-minimize"), "--write", "--file", str(place.candidate)]
    return [*program, "--track", "shows the bug", "--", str(place.test), str(place.candidate)]


def _cvise(place: Place) -> list[str]:
    how = ["--not-c", "--n", "1", "--tidy", "--timeout", "300"]
    return ["cvise", *how, str(place.test), place.candidate.name]


TOOLS = (
    # The newest release that does not compile llama.cpp while it is installed.
    Tool("Shrink Ray", ("shrinkray==26.4.14.0",), _shrink_ray),
    # It imports pkg_resources, which newer setuptools have not.
    Tool(
        "picire (lines)",
        ("picire==21.8", "setuptools==80.9.0"),
        _picire,
        lambda place: place.folder / "picire" / "candidate.py",
    ),
    Tool("Lithium", ("lithium-reducer==4.0.0",), _lithium),
    Tool(
        "pysource-minimize",
        ("pysource-minimize==0.10.1", "black==26.10.1", "click==8.5.1", "rich==15.0.0"),
        _pysource_minimize,
    ),
    Tool("C-Vise (--not-c)", (), _cvise),
)
