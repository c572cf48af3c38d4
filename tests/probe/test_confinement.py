"""What a script does to the machine around it: it runs code that nobody wrote."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from flybisect.observation import Outcome
from flybisect.probe.confinement import confinement, described
from flybisect.probe.inside import landlock
from flybisect.probe.inside.sandbox import Means
from flybisect.probe.runner import Runner
from tests.probe.conftest import Run
from tests.probe.processes import named, running, workers
from tests.probe.scripts import COPY


@pytest.fixture
def outside() -> Iterator[Path]:
    """Not below /tmp, which a trial may have of its own."""
    with TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


needs_landlock = pytest.mark.skipif(landlock.abi() == 0, reason="this kernel has no Landlock")


def test_timeout_ends_grandchildren_that_hide(run: Run) -> None:
    """A double fork with a session of its own, which ignores what it can."""
    seen = run(
        f"""
        import os, signal, sys, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                    signal.signal(number, signal.SIG_IGN)
                {named("fb-hidden")}
                print("there", file=sys.stderr, flush=True)
                time.sleep(600)
            os._exit(0)
        while True:
            time.sleep(1)
        """,
        timeout=2.0,
    )
    assert seen.outcome is Outcome.TIMEOUT
    assert seen.seconds < 10
    assert "there" in seen.stderr
    assert not running("fb-hidden")


def test_a_process_left_behind_is_ended_and_not_waited_for(run: Run) -> None:
    started = time.monotonic()
    seen = run(
        f"""
        import os, sys, time
        if os.fork() == 0:
            os.setsid()
            {named("fb-left")}
            print("there", file=sys.stderr, flush=True)
            time.sleep(600)
        time.sleep(0.3)
        """
    )
    assert seen.outcome is Outcome.OK
    assert time.monotonic() - started < 20
    assert "there" in seen.stderr
    assert not running("fb-left")


def test_busy_loop_times_out(run: Run) -> None:
    seen = run("def f():\n    while True:\n        pass\nf()\n", timeout=1.0)
    assert seen.outcome is Outcome.TIMEOUT
    assert seen.crash_line in (2, 3)


def test_megabytes_of_output_are_cut(run: Run) -> None:
    seen = run(
        """
        import sys
        print("first", file=sys.stderr)
        for _ in range(20000):
            print("x" * 1000)
            print("y" * 1000, file=sys.stderr)
        print("error: last", file=sys.stderr)
        """
    )
    assert seen.outcome is Outcome.OK
    assert len(seen.stderr) <= 64 * 1024
    assert seen.stderr.rstrip().endswith("last")
    assert seen.diagnostics == (), "what a script prints of its own is no diagnostic"


@needs_landlock
def test_writes_outside_are_refused(run: Run, outside: Path) -> None:
    victim = outside / "victim"
    victim.mkdir()
    (victim / "file.txt").write_text("kept")
    seen = run(
        f"""
        import os, shutil
        refused = 0
        for action in (
            lambda: open({str(victim / "new")!r}, "w"),
            lambda: open({str(victim / "file.txt")!r}, "w"),
            lambda: os.truncate({str(victim / "file.txt")!r}, 0),
            lambda: os.remove({str(victim / "file.txt")!r}),
            lambda: shutil.rmtree({str(victim)!r}),
            lambda: os.rename({str(victim)!r}, "here"),
        ):
            try:
                action()
            except OSError:
                refused += 1
        assert refused == 6, refused
        open("mine", "w").write("x")
        os.mkdir(os.path.expanduser("~/mine"))
        import tempfile
        tempfile.NamedTemporaryFile().write(b"x")
        open(os.devnull, "w").write("x")
        """
    )
    assert seen.outcome is Outcome.OK, seen.stderr
    assert [p.name for p in victim.iterdir()] == ["file.txt"]
    assert (victim / "file.txt").read_text() == "kept"


@needs_landlock
def test_a_refusal_is_said(run: Run, outside: Path) -> None:
    seen = run(f"open({str(outside / 'new')!r}, 'w')\n")
    assert seen.outcome is Outcome.EXCEPTION
    assert "refused" in seen.note


@pytest.mark.parametrize(
    "family", ["AF_INET, socket.SOCK_STREAM", "AF_INET6, socket.SOCK_DGRAM", "AF_UNIX", "AF_NETLINK"]
)
def test_no_sockets(run: Run, family: str) -> None:
    seen = run(f"import socket\nsocket.socket(socket.{family})\n")
    assert seen.exception is not None and seen.exception.type == "PermissionError", seen.stderr
    assert "refused" in seen.note


@pytest.mark.parametrize(
    "action",
    ["os.chmod(victim, 0o600)", "os.utime(victim, (1, 1))", "os.setxattr(victim, 'user.x', b'1')"],
)
def test_attributes_of_files_outside_stay(run: Run, outside: Path, action: str) -> None:
    victim = outside / "file"
    victim.write_text("kept")
    victim.chmod(0o644)
    before = victim.stat()
    seen = run(f"import os\nvictim = {str(victim)!r}\n{action}\n")
    assert seen.outcome is Outcome.EXCEPTION
    assert victim.stat() == before
    assert "user.x" not in os.listxattr(victim)


def test_the_worker_is_out_of_reach(run: Run, runner: Runner) -> None:
    """Its signals, its limits, and its memory."""
    for action in (
        "os.kill(worker, 9)",
        "resource.prlimit(worker, resource.RLIMIT_NOFILE, (10, 10))",
        "open(f'/proc/{worker}/mem', 'rb')",
        "open(f'/proc/{worker}/environ', 'rb').read()",
    ):
        for worker in workers():
            seen = run(f"import os, resource\nworker = {worker}\n{action}\n")
            assert seen.outcome is Outcome.EXCEPTION, action
    assert run("import os\nos.kill(-1, 0)\n").outcome is Outcome.EXCEPTION
    assert run("x = 1\n").outcome is Outcome.OK


needs_namespaces = pytest.mark.skipif(
    not any("processes but its own" in said for said in confinement().holds), reason="no namespaces here"
)


@needs_namespaces
def test_a_pool_of_processes_works(run: Run) -> None:
    seen = run(
        """
        import multiprocessing, sys
        with multiprocessing.Pool(2) as pool:
            print(pool.map(abs, [-1, -2]), file=sys.stderr)
        """
    )
    assert seen.stderr.strip() == "[1, 2]"


@needs_namespaces
def test_what_is_written_to_tmp_lands_in_its_own(run: Run, tmp_path: Path) -> None:
    source = """
        import os, sys, tempfile
        from pathlib import Path
        left = Path("/tmp/flybisect-test-left")
        assert not left.exists()
        left.write_text("x")
        assert (Path(tempfile.gettempdir()) / left.name).read_text() == "x"
        """
    for _ in range(2):
        seen = run(source, folder=tmp_path)
        assert seen.outcome is Outcome.OK, seen.stderr
    assert not Path("/tmp/flybisect-test-left").exists()


@needs_namespaces
def test_the_disk_is_bounded(run: Run) -> None:
    seen = run("for at in range(8):\n    open(f'{at}', 'wb').write(bytes(200 << 20))\n")
    assert seen.exception is not None and "No space left" in seen.exception.message


def test_a_fork_bomb_ends(run: Run) -> None:
    seen = run(
        f"""
        import os, sys, time
        {named("fb-bomb")}
        print("there", file=sys.stderr, flush=True)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                os.fork()
            except OSError:
                pass
        """,
        timeout=8.0,
    )
    assert seen.outcome in (Outcome.MEMORY, Outcome.TIMEOUT), seen
    assert "there" in seen.stderr
    assert not running("fb-bomb")
    assert run("x = 1\n").outcome is Outcome.OK


def test_memory_of_all_processes_together_is_bounded(run: Run) -> None:
    seen = run(
        """
        import os, time
        for _ in range(4):
            if os.fork() == 0:
                kept = bytearray(os.urandom(1 << 20)) * 150
                time.sleep(30)
        time.sleep(30)
        """,
        memory=400,
        timeout=20.0,
    )
    assert seen.outcome is Outcome.MEMORY
    assert "together" in seen.note


@pytest.mark.parametrize(
    "after",
    ["", "kept[-1].madvise(mmap.MADV_DONTNEED)", "libc.munmap(kept[-1] + 4096, (50 << 20) - 4096)"],
    ids=["mapped", "out of sight", "hardly mapped"],
)
def test_shared_memory_counts(run: Run, after: str) -> None:
    by_hand = "munmap" in after
    take = "libc.mmap(None, 50 << 20, 3, 0x21, -1, 0)" if by_hand else "mmap.mmap(-1, 50 << 20)"
    fill = "ctypes.memset(kept[-1], 1, 50 << 20)" if by_hand else "kept[-1].write(bytes(50 << 20))"
    seen = run(
        f"""
        import ctypes, mmap, time
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
        kept = []
        for _ in range(8):
            kept.append({take})
            {fill}
            {after}
        time.sleep(30)
        """,
        memory=256,
        timeout=20.0,
    )
    assert seen.outcome is Outcome.MEMORY or (seen.exception is not None and not by_hand), seen
    if by_hand:
        assert "together" in seen.note


def test_memory_that_children_share_counts_once(run: Run) -> None:
    seen = run(
        """
        import mmap, os, time
        own, shared = bytearray(os.urandom(1 << 20)) * 80, mmap.mmap(-1, 80 << 20)
        shared.write(bytes(80 << 20))
        for _ in range(6):
            if os.fork() == 0:
                assert sum(shared[::4096]) == 0 and len(own[::4096])
                time.sleep(1.5)
                os._exit(0)
        time.sleep(1.5)
        """,
        memory=400,
    )
    assert seen.outcome is Outcome.OK, seen


def test_what_waits_in_sockets_counts(run: Run) -> None:
    seen = run(
        """
        import resource, socket, time
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
        kept = []
        for _ in range(1200):
            kept.append(socket.socketpair())
        time.sleep(30)
        """,
        memory=256,
        timeout=20.0,
    )
    assert seen.outcome is Outcome.MEMORY, seen


def test_what_scripts_need_works(run: Run) -> None:
    seen = run(
        """
        import asyncio, fcntl, multiprocessing, os, socket, sqlite3, subprocess, sys, tempfile
        async def main():
            process = await asyncio.create_subprocess_exec("/bin/echo", "hi", stdout=-1)
            assert (await process.communicate())[0] == b"hi\\n"
        asyncio.run(main())
        ours, theirs = socket.socketpair()
        ours.sendall(b"x")
        assert theirs.recv(1) == b"x"
        with tempfile.TemporaryFile() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            fcntl.lockf(file, fcntl.LOCK_EX)
        database = sqlite3.connect("x.db")
        database.execute("create table t (a)")
        database.commit()
        os.makedirs("a/b")
        open("a/b/c", "w").close()
        os.rename("a/b/c", "a/c")
        subprocess.run(["ls"], check=True)
        assert not sys.stdout.isatty()
        """
    )
    assert seen.outcome is Outcome.OK, seen.stderr


def test_its_own_output_cannot_be_taken(run: Run) -> None:
    """The end to read from is the worker's: one that reads along could have the worker wait."""
    seen = run(
        """
        import fcntl, os
        for handle in range(3, 900):
            try:
                kind = os.readlink(f"/proc/self/fd/{handle}")
            except OSError:
                continue
            if kind.startswith("pipe:"):
                assert fcntl.fcntl(handle, fcntl.F_GETFL) & 3 != os.O_RDONLY, handle
        """
    )
    assert seen.outcome is Outcome.OK, seen.stderr


def test_a_forged_record_is_no_trouble(run: Run) -> None:
    seen = run(
        """
        import os
        forged = [
            b'{"kind": "uncaught"}', b'{"kind": "object", "data": 5}', b'{"kind": ["stage"]}', b'[]', b'{}',
            b'{"kind": "stage", "stage": "x"}', b'{"kind": "line", "line": 1e400}', b'[' * 100000,
            b'{"kind": "stages", "names": null}', b'{"kind": "line", "line": ' + b'9' * 5000 + b'}',
        ]
        for handle in range(3, 800):
            try:
                os.write(handle, b"\\n".join(forged) + b"\\n")
            except OSError:
                pass
        """
    )
    assert seen.outcome is Outcome.OK
    assert "record" in seen.note


def test_a_long_file_ends_the_trial_not_the_disk(run: Run) -> None:
    seen = run(
        """
        with open("big", "wb") as file:
            for _ in range(1024):
                file.write(bytes(1 << 20))
        """
    )
    assert seen.outcome is Outcome.EXCEPTION
    assert seen.exception is not None
    assert seen.exception.type == "OSError"


def test_folders_are_its_own(run: Run, tmp_path: Path) -> None:
    source = """
        import os, sys, tempfile
        print(os.getcwd(), os.path.expanduser("~"), tempfile.gettempdir(), file=sys.stderr)
        print(__file__, __name__, sys.argv[1:], file=sys.stderr)
        """
    seen = run(source, "--flag", "value")
    assert "script.py __main__ ['--flag', 'value']" in seen.stderr
    own = Path(seen.stderr.split()[0])
    assert not own.exists()


def test_files_beside_the_script_are_there_and_stay_as_they_are(run: Run, tmp_path: Path) -> None:
    """By way of the working folder and of `__file__`, to be read and to be written over."""
    (tmp_path / "sizes.json").write_text("[4]")
    (tmp_path / "script.py").write_text("not the candidate\n")
    (tmp_path / "left.txt").write_text("by an earlier run")
    for name in ("data", "home", "dump"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "more.json").write_text("[8]")
    (tmp_path / "large.bin").write_bytes(b"1" * (2 << 20))
    seen = run(
        """
        import json, os, sys
        from pathlib import Path
        here = Path(__file__).parent
        assert Path.cwd() == here
        assert json.loads(Path("sizes.json").read_text()) == [4]
        assert json.loads((here / "data" / "more.json").read_text()) == [8]
        assert Path("large.bin").stat().st_size == 2 << 20
        Path("left.txt").write_text("by a trial")
        assert not os.path.exists("dump/more.json") and os.listdir("home") == []
        sys.exit(7)
        """,
        folder=tmp_path,
    )
    assert seen.exit_code == 7, seen.stderr
    assert (tmp_path / "left.txt").read_text() == "by an earlier run"
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["more.json"]


def test_a_folder_that_is_a_heap_is_not_brought_along(run: Run, tmp_path: Path) -> None:
    for number in range(1001):
        (tmp_path / f"{number}.txt").touch()
    assert run("import os, sys\nsys.exit(len(os.listdir('.')))\n", folder=tmp_path).exit_code == 3


def test_settings_hold(run: Run) -> None:
    seen = run(
        """
        import os
        import unittest.mock
        held = {"COMPILE_ONLY", "ARCH", "FLYDSL_GPU_ARCH", "FLYDSL_DUMP_DIR", "FLYDSL_DUMP_IR", "ROCM_PATH",
                "FLYDSL_RUNTIME_ENABLE_CACHE", "FLYDSL_DEBUG_DUMP_ASM"}
        before = {name: os.environ[name] for name in held}
        assert before["ARCH"] == before["FLYDSL_GPU_ARCH"] == "gfx942"
        for name in held:
            os.environ[name] = "other"
            os.putenv(name, "other")
            os.environb[name.encode()] = b"other"
            os.environ._data[name.encode()] = b"other"
            assert os.environ.setdefault(name, "other") == before[name]
            os.environ.update({name: "other"})
            os.environ |= {name: "other"}
            os.unsetenv(name)
            os.environ.pop(name)
            del os.environ[name]
        os.environ["MINE"] = "1"
        assert os.environ["MINE"] == "1"
        with unittest.mock.patch.dict(os.environ, {"ARCH": "x"}, clear=True):
            assert {name: os.environ[name] for name in held} == before
        os.environ.clear()
        assert "MINE" not in os.environ
        assert {name: os.environ[name] for name in held} == before
        assert {name: os.getenv(name) for name in held} == before
        import ctypes
        libc = ctypes.CDLL(None)
        libc.getenv.restype = ctypes.c_char_p
        assert {name: libc.getenv(name.encode()).decode() for name in held} == before
        import subprocess
        said = subprocess.run(["/bin/sh", "-c", "echo $ARCH"], capture_output=True, text=True).stdout
        assert said.strip() == "gfx942", said
        """
    )
    assert seen.outcome is Outcome.OK, seen.stderr


def test_settings_hold_in_the_compiler(run: Run, tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    before = f"""
import os
os.environ["FLYDSL_DUMP_IR"] = "1"
os.environ["FLYDSL_DUMP_DIR"] = {str(dump)!r}
os.environ["ARCH"] = "gfx950"
os.environ["COMPILE_ONLY"] = "0"
"""
    seen = run(before + COPY)
    assert seen.outcome is Outcome.OK, seen.stderr
    assert not dump.exists()
    assert len(seen.kernels) == 1


def test_secrets_stay_outside(run: Run) -> None:
    seen = run("import os\nassert 'PYTEST_CURRENT_TEST' not in os.environ, 'seen'\n")
    assert "PYTEST_CURRENT_TEST" in os.environ
    assert seen.outcome is Outcome.OK


def test_confinement_is_said() -> None:
    said = confinement()
    assert said.holds and all(said.holds)
    assert said.whole == (not said.lacks)


@pytest.mark.parametrize("namespaces", [False, True])
@pytest.mark.parametrize("abi", range(8))
@pytest.mark.parametrize("seccomp", [False, True])
def test_what_is_lacking_is_said(namespaces: bool, abi: int, seccomp: bool) -> None:
    said = described(Means(namespaces, namespaces, abi, seccomp))
    assert said.whole == (seccomp and abi > 0 and (namespaces or abi >= 6))
    assert len(set(said.holds)) + len(set(said.lacks)) >= 4
