"""What a shell is offered, by the protocol that it speaks with the console script."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flybisect.toolchain.release import release_folder

HEAVY = {"flydsl", "torch", "numpy", "joblib", "rich.live", "flybisect.probe.runner"}
ASKED = f"""
import sys
from flybisect.cli.main import main
try:
    main([])
except SystemExit:
    print("loaded:", *sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)
"""


def offered(line: str, *, shell: str = "bash", folder: Path | None = None) -> tuple[list[str], list[str]]:
    """What is offered behind `line`, and which heavy modules that took."""
    words = line.split(" ")
    environment = {
        **os.environ,
        "_FLYBISECT_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = subprocess.run(
        [sys.executable, "-c", ASKED], env=environment, cwd=folder, capture_output=True, text=True
    )
    loaded = done.stderr.rpartition("loaded:")[2].split()
    return done.stdout.splitlines(), loaded


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands(shell: str) -> None:
    found, loaded = offered("flybisect re", shell=shell)
    for name in ("reduce", "releases", "resume", "report"):
        assert name in "\n".join(found)
    assert "commits" not in "\n".join(found)
    assert not loaded


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("flybisect oracles --h", ["--help"]),
        ("flybisect sessions --j", ["--json"]),
        ("flybisect show --j", ["--json"]),
        ("flybisect reduce --skip", ["--skip-passes"]),
        ("flybisect releases 0.3.0..0.3.1 --find b", ["bug"]),
        ("flybisect reduce k.py --oracle leg", ["legalization"]),
        ("flybisect check k.py --arch gfx95", ["gfx950"]),
    ],
)
def test_options_and_values(line: str, expected: list[str]) -> None:
    found, loaded = offered(line)
    assert found == expected
    assert not set(loaded) - {"rich.live", "flybisect.probe.runner"}


def test_passes_behind_a_comma() -> None:
    found, _ = offered("flybisect reduce k.py --passes comments,stat")
    assert found == ["comments,statements"]


def test_releases_and_sessions_of_the_working_folder(tmp_path: Path) -> None:
    for version in ("0.2.4", "0.3.0", "0.3.1"):
        release_folder(version, tmp_path).mkdir(parents=True)
    found, _ = offered(f"flybisect releases --workdir {tmp_path} 0.2")
    assert found == ["0.2.4.."]
    found, _ = offered(f"flybisect releases --workdir {tmp_path} 0.2.4..0.3")
    assert found == ["0.2.4..0.3.0", "0.2.4..0.3.1"]
    found, _ = offered(f"flybisect check k.py --workdir {tmp_path} --flydsl 0.3")
    assert found == ["0.3.0", "0.3.1"]


def test_bash_is_set_up(tmp_path: Path) -> None:
    """By what `--install-completion` writes, in a bash that reads it."""
    beside = Path(sys.executable).with_name("flybisect")
    if not beside.exists():
        pytest.skip("the console script is not installed")
    environment = {**os.environ, "HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    path = f"{beside.parent}:{os.environ['PATH']}"
    install = [str(beside), "--install-completion", "bash"]
    subprocess.run(install, env=environment, check=True, capture_output=True)
    asked = (
        "source ~/.bashrc; COMP_WORDS=(flybisect doc); COMP_CWORD=1; "
        "_flybisect_completion flybisect; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(
        ["bash", "-c", asked], env={**environment, "PATH": path}, capture_output=True, text=True
    )
    assert done.stdout.split() == ["doctor"], done.stderr
