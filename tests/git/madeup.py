"""A git repository that is laid out as FlyDSL's, made by a test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.files import write_files

LAYOUT = {
    "README.md": "made up\n",
    "CMakeLists.txt": "project(fly)\n",
    "lib/Fly.cpp": "int fly();\n",
    "include/Fly.h": "int fly();\n",
    "thirdparty/llvm-hash.txt": f"{'1' * 40}\n",
    "scripts/build.sh": "cmake\n",
    "scripts/build_llvm.sh": "git clone\n",
    "python/flydsl/__init__.py": '__version__ = "1.0.0"\n',
    "kernels/gemm.py": "x = 1\n",
}


class MadeUp:
    """Commits get dates a minute apart, so that their hashes do not depend on when a test runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made = 0
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def commit(self, subject: str, files: dict[str, str | None] | None = None) -> str:
        """Writes files (None: removes one) and commits; without files, an empty commit. Its full hash."""
        write_files(self.folder, files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", subject)
        # Read, and not asked for: tests make hundreds of commits.
        head = (self.folder / ".git/HEAD").read_text().removeprefix("ref: ").strip()
        return (self.folder / ".git" / head).read_text().strip()

    def tag(self, name: str) -> None:
        self.git("tag", "-m", name, name)

    def git(self, *words: str) -> str:
        self._made += 1
        date = f"2026-01-01T{self._made // 60:02d}:{self._made % 60:02d}:00+00:00"
        env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        env |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_CONFIG_GLOBAL": os.devnull}
        env |= {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=env, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()


def laid_out(folder: Path) -> MadeUp:
    """With a first commit that has one file of everything, tagged v1.0.0."""
    made = MadeUp(folder)
    made.commit("Begin (#1)", dict(LAYOUT))
    made.tag("v1.0.0")
    return made
