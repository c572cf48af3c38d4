"""A small C++ project with a git history, built the way FlyDSL is; the files lie in `data/flydsl`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from flybisect.toolchain.model import Toolchain
from tests.files import write_files

TEMPLATE = Path(__file__).parent / "data/flydsl"
CORE, HEADER, INIT = "lib/core.cpp", "include/fly/fly.h", "python/flydsl/__init__.py"
PIN = "thirdparty/llvm-hash.txt"


def git(folder: Path, *argv: str) -> str:
    who = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *who, *argv], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@dataclass(frozen=True)
class Project:
    """The clone that a user would have."""

    folder: Path
    dlpack: Path
    """The repository of its submodule."""

    @staticmethod
    def made(below: Path) -> Project:
        """One commit, with its submodule checked out."""
        dlpack = below / "dlpack"
        _dlpack_version(dlpack, "1.0")
        project = Project(below / "flydsl", dlpack)
        shutil.copytree(TEMPLATE, project.folder)
        git(project.folder, "init", "--quiet")
        git(project.folder, "submodule", "--quiet", "add", str(dlpack), "thirdparty/dlpack")
        project.commit("The beginning")
        return project

    def commit(self, subject: str, files: dict[str, str | None] | None = None) -> str:
        """Writes `files` (None deletes one) and commits; the full hash."""
        write_files(self.folder, files or {})
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--allow-empty", "-m", subject)
        return git(self.folder, "rev-parse", "HEAD")

    def aside(self, subject: str, files: dict[str, str | None]) -> str:
        """A commit beside the history: the next one follows on the one before it."""
        commit = self.commit(subject, files)
        git(self.folder, "reset", "--quiet", "--hard", "HEAD~1")
        return commit

    def text(self, name: str) -> str:
        return (self.folder / name).read_text()

    def pin_dlpack(self, version: str) -> None:
        """Makes a new commit of the submodule and checks it out, to be committed by the next `commit`."""
        _dlpack_version(self.dlpack, version)
        git(self.folder / "thirdparty/dlpack", "fetch", "--quiet")
        git(self.folder / "thirdparty/dlpack", "checkout", "--quiet", git(self.dlpack, "rev-parse", "HEAD"))

    def fingerprint(self) -> dict[str, tuple[int, int]]:
        """All files of the clone, `.git` included, with size and time."""
        return {
            str(path.relative_to(self.folder)): (path.lstat().st_size, path.lstat().st_mtime_ns)
            for path in self.folder.rglob("*")
        }


def _dlpack_version(repository: Path, version: str) -> None:
    header = repository / "include/dlpack/dlpack.h"
    header.parent.mkdir(parents=True, exist_ok=True)
    header.write_text(f'#define DLPACK_VERSION "{version}"\n')
    git(repository, "init", "--quiet")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "-m", version)


def described(toolchain: Toolchain) -> str:
    """What the natives of a toolchain say of themselves, asked in a process of its own."""
    return evaluated(toolchain, "flydsl.describe()")


def evaluated(toolchain: Toolchain, expression: str) -> str:
    """`expression` in the toolchain, where `flydsl` is imported."""
    code = f"import sys; sys.path[:0] = {[str(path) for path in toolchain.paths]}\nimport flydsl\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}print({expression})"], capture_output=True, text=True, timeout=30
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def smoke(toolchain: Toolchain) -> str | None:
    """As a kernel would: the natives have to work, not only to be there."""
    said = described(toolchain)
    return None if "llvm:" in said else said
