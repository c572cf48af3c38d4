"""Environment variables in a trial: those that a case hands on, and those that a script misses."""

from __future__ import annotations

import textwrap
from pathlib import Path

from flybisect.observation import Observation, Outcome, Probe
from flybisect.probe.runner import Runner
from flybisect.toolchain.model import Toolchain


def _run(
    runner: Runner, toolchain: Toolchain, source: str, env: dict[str, str], *, folder: Path | None = None
) -> Observation:
    probe = Probe(textwrap.dedent(source), "s.py", "gfx942", env=tuple(sorted(env.items())), folder=folder)
    return runner.run(probe, toolchain)


def test_the_script_has_them_and_the_tool_its_own(runner: Runner, toolchain: Toolchain) -> None:
    source = """
        import ctypes, os, subprocess
        assert os.environ["V"] == "a\\nb" and os.environb[b"V"] == b"a\\nb"
        libc = ctypes.CDLL(None)
        libc.getenv.restype = ctypes.c_char_p
        assert libc.getenv(b"V") == b"a\\nb"
        assert os.environ["ARCH"] == "gfx942"
        os.environ["V"] = "mine"
        assert os.environ["V"] == "mine"
    """
    seen = _run(runner, toolchain, source, {"V": "a\nb", "ARCH": "other"})
    assert seen.outcome is Outcome.OK, seen.stderr
    assert _run(runner, toolchain, "import os\nassert 'V' not in os.environ\n", {}).outcome is Outcome.OK


def test_what_is_read_in_vain(runner: Runner, toolchain: Toolchain, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("import os\nFLAG = os.getenv('BY_A_MODULE')\n")
    source = """
        import os, tempfile, shutil, logging
        import torch, flydsl.compiler, beside
        os.environ.get("BY_GET")
        os.getenv("BY_GETENV", "x")
        "BY_IN" in os.environ
        os.environb.get(b"BY_BYTES")
        os.environ.setdefault("BY_SETDEFAULT", "1")
        try:
            os.environ["BY_ITEM"]
        except KeyError:
            pass
        os.environ.get("GIVEN")
        os.environ["SET"] = "1"
        os.environ.get("SET")
        tempfile.gettempdir()
        os.path.expanduser("~")
        shutil.which("ls")
    """
    seen = _run(runner, toolchain, source, {"GIVEN": "1"}, folder=tmp_path)
    assert seen.outcome is Outcome.OK, seen.stderr
    names = ["MODULE", "BYTES", "GET", "GETENV", "IN", "ITEM", "SETDEFAULT"]
    assert set(seen.unset) == {"BY_A_MODULE", *(f"BY_{name}" for name in names[1:])}
