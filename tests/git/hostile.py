"""A clone that means harm, made by a test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.git.madeup import MadeUp, laid_out

SIGNED = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n nothing\n -----END PGP SIGNATURE-----\n"


class Hostile:
    """A clone, a program that leaves a mark, and the mark."""

    def __init__(self, folder: Path) -> None:
        self.made: MadeUp = laid_out(folder / "fly")
        self.folder = self.made.folder
        self.dot_git = self.folder / ".git"
        self.mark = folder / "mark"
        self.program = folder / "program"
        self.program.write_text(f"#!/bin/sh\ntouch {self.mark}\nexit 0\n")
        self.program.chmod(0o755)
        self.last = self.made.commit("Change (#2)", {"python/flydsl/more.py": "x = 1\n"})

    def set(self, key: str, value: str | None = None) -> None:
        self.made.git("config", key, str(self.program) if value is None else value)

    def plainly(self, *words: str) -> bool:
        """Whether git by itself runs the program."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(
            ["git", *words],
            cwd=self.folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
        )
        touched = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return touched

    def sign(self) -> None:
        text = subprocess.run(
            ["git", "cat-file", "commit", "HEAD"], cwd=self.folder, capture_output=True, text=True, check=True
        ).stdout
        head, body = text.split("\n\n", 1)
        signed = subprocess.run(
            ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
            cwd=self.folder,
            input=f"{head}\n{SIGNED}\n{body}",
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        self.last = signed
        (self.dot_git / "refs/heads/main").write_text(f"{signed}\n")


def missing(hostile: Hostile) -> None:
    """The blob of the last change."""
    blob = hostile.made.git("rev-parse", "HEAD:python/flydsl/more.py")
    (hostile.dot_git / "objects" / blob[:2] / blob[2:]).unlink()
