"""What still holds where namespaces, or Landlock, are not to be had."""

from __future__ import annotations

import fcntl
import shlex
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from flybisect.observation import Observation, Outcome, Probe
from flybisect.probe.inside import landlock, syscalls
from flybisect.probe.runner import Runner
from flybisect.toolchain.model import Toolchain
from tests.probe import lesser_kernel
from tests.probe.processes import named, running
from tests.probe.scripts import COPY

ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.skipif(not syscalls.available(), reason="needs seccomp")
Lesser = Callable[[str], Observation]


def lesser_toolchain(toolchain: Toolchain, folder: Path, *without: str) -> Toolchain:
    """The same, whose interpreter runs as on a kernel without some means."""
    words = [sys.executable, lesser_kernel.__file__, *without, "--", str(toolchain.python)]
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.join(words)} "$@"\n')
    python.chmod(0o755)
    return replace(toolchain, python=python, key="lesser " + " ".join(without))


@pytest.fixture(scope="module", params=["namespaces", "namespaces landlock", "landlock"])
def without(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def lesser(toolchain: Toolchain, without: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lesser]:
    chain = lesser_toolchain(toolchain, tmp_path_factory.mktemp("lesser"), *without.split())
    with Runner(tmp_path_factory.mktemp("scratch"), jobs=1) as runner:

        def run(source: str) -> Observation:
            probe = Probe(textwrap.dedent(source), "script.py", "gfx942", timeout=20.0, memory=2048)
            return runner.run(probe, chain)

        yield run


def test_it_compiles(lesser: Lesser) -> None:
    seen = lesser(COPY)
    assert seen.outcome is Outcome.OK, seen
    assert len(seen.kernels) == 1


def test_what_is_closed_stays_closed(lesser: Lesser, without: str) -> None:
    with TemporaryDirectory(dir="/var/tmp") as folder:
        victim = Path(folder) / "file"
        victim.write_text("kept")
        before = victim.stat()
        for action in (
            f"os.chmod({str(victim)!r}, 0o600)",
            f"os.utime({str(victim)!r}, (1, 1))",
            "socket.socket()",
            "socket.socket(socket.AF_UNIX)",
            "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
            "os.setpriority(os.PRIO_USER, 0, 19)",
            f"open({str(victim)!r}, 'w')" if "namespaces landlock" not in without else "socket.socket()",
        ):
            seen = lesser(f"import os, socket\n{action}\n")
            assert seen.outcome is Outcome.EXCEPTION, action
        assert victim.stat() == before


def test_sessions_are_out_of_sight(toolchain: Toolchain, without: str, tmp_path: Path) -> None:
    """With all means, they are not there; without namespaces, they cannot be read. Locks never hold."""
    with TemporaryDirectory(dir="/var/tmp") as folder:
        kept = Path(folder) / "sessions" / "kept"
        kept.parent.mkdir()
        kept.write_text("a secret")
        for chain in (toolchain, lesser_toolchain(toolchain, tmp_path, *without.split())):
            source = (
                f"import fcntl, sys, time\nfile = open({str(kept)!r})\nprint(file.read(), file=sys.stderr)\n"
                "fcntl.flock(file, fcntl.LOCK_SH)\nfcntl.lockf(file, fcntl.LOCK_SH)\n"
                "print('locked', file=sys.stderr)\ntime.sleep(1)\n"
            )
            with Runner(tmp_path / "scratch", jobs=1, hidden=[kept.parent]) as runner:
                runner.run(Probe("", "script.py", "gfx942"), chain)
                with ThreadPoolExecutor() as pool:
                    trial = pool.submit(runner.run, Probe(source, "script.py", "gfx942"), chain)
                    while not trial.done():
                        with kept.open("r+") as file:
                            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        time.sleep(0.05)
            readable = chain is not toolchain and without == "namespaces landlock"
            assert ("a secret" in trial.result().stderr) == readable


def test_processes_end(lesser: Lesser) -> None:
    seen = lesser(
        f"""
        import os, signal, sys, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                {named("fb-lesser")}
                print("there", file=sys.stderr, flush=True)
                time.sleep(600)
            os._exit(0)
        time.sleep(0.5)
        """
    )
    assert "there" in seen.stderr
    assert not running("fb-lesser")


@pytest.mark.skipif(landlock.abi() < 6, reason="needs Landlock ABI 6")
def test_the_worker_lives(lesser: Lesser, without: str) -> None:
    if "namespaces landlock" in without:
        pytest.skip("nothing is left to stop it")
    seen = lesser("import os\nos.kill(os.getppid(), 9) if os.getppid() else os.kill(2 ** 20, 9)\n")
    assert seen.outcome is Outcome.EXCEPTION
