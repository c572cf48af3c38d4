"""A reduction keeps the bug that it began with, where the script has others as well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import Run

ARCH = ("--arch", "gfx942")
COPIED, CLAMPED, DIVIDED = (
    ("legalization", "legalization: fly.copy_atom_call"),
    ("exception", "exception: RuntimeError: cannot evaluate dynamic 'Boolean' as Python bool"),
    ("assertion", "assertion: t.rank() == 2"),
)


@pytest.mark.parametrize(
    ("arguments", "pinned"),
    [
        (("copied", "clamped", "divided"), COPIED),
        (("clamped", "divided", "copied"), CLAMPED),
        (("divided", "copied", "clamped"), DIVIDED),
        (("caught", "copied"), COPIED),
    ],
)
def test_the_first_bug_stays_the_bug(
    run: Run,
    script: Callable[[str], Path],
    workdir: Path,
    arguments: tuple[str, ...],
    pinned: tuple[str, str],
) -> None:
    path = script("two_bugs.py")
    oracle, signature = pinned
    words = ("reduce", path, "--oracle", "auto", *ARCH, "--workdir", workdir, "-q", "--json")
    ran = run(*words, "--", *arguments)
    assert ran.code == 0, ran.err
    assert ran.data["oracle"] == oracle
    assert ran.data["signature"].startswith(signature)
    assert ran.data["verified_cold"]
    assert ran.data["statements_after"] <= 14
    reduced = Path(ran.data["output"])
    if pinned is CLAMPED:  # without its decorator the kernel raises the same, in the launcher
        assert "(in a kernel)" in ran.data["signature"]
        assert "@flyc.kernel" in reduced.read_text()
    again = run("check", reduced, "--oracle", "auto", *ARCH, "--workdir", workdir, "--json", "--", *arguments)
    assert again.data["signature"] == ran.data["signature"]
