"""Damaged inputs of every kind: a sentence, or the right result, and never a traceback.

    python -m tests.soak.damaged --count 1000

Each goes through the code that reads it in the commands, in this process: what escapes there is what would
be a traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType

from flybisect.case.case import Case, load_defaults
from flybisect.cli.error_messages import errors_shown, one_sentence
from flybisect.cli.main import main as command_line
from flybisect.errors import UserError
from flybisect.git.range import read_range
from flybisect.git.repository import Repository
from flybisect.observation import Observation, Probe
from flybisect.oracle import registry
from flybisect.oracle.plugin import Evidence, Options
from flybisect.probe import codeobject, reading
from flybisect.session import resume
from flybisect.session.journal import Journal
from flybisect.session.session import open_session
from flybisect.toolchain.model import Toolchain
from flybisect.workflows.prepare import prepare
from tests.git.madeup import LAYOUT, MadeUp
from tests.oracle.recorded import everything
from tests.probe.test_codeobject import KERNEL, code_object
from tests.soak.mutations import damaged

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = sorted((ROOT / "tests" / "data" / "scripts").glob("*.py"))
LONGEST = 60
"""Seconds after which one counts as a hang."""
ONE = Toolchain("0.5.0", "release", "key-1", "0.5.0", Path("python"))
CASE = """\
script: kernel.py
args: gemm --copy buffer64
arch: gfx942
flydsl: installed
oracle: spills
against: {args: raw}
when: vgpr_spills > base.vgpr_spills
same_as: [verifier, "'ub.poison' op"]
timeout: 120
memory: 8192
"""
ORACLE = """\
name: mine
summary: a conversion pass cannot legalize an operation
pattern: failed to legalize operation '(?P<op>[\\w.$-]+)'
streams: [diagnostics]
signature: "{op}"
clean: {op: plain}
"""
DEFAULTS = "arch: gfx942\nflydsl: installed\noracle: spills\ntimeout: 60\nmemory: 4096\njobs: 2\n"


class TookTooLong(BaseException):
    """Not an Exception, so that nothing takes it for an error of the input."""


@dataclass
class Tally:
    """What was seen, for people and for a test."""

    inputs: Counter[str] = field(default_factory=Counter)
    sentences: int = 0
    problems: list[str] = field(default_factory=list)


Reader = Callable[[Path, random.Random], None]


def soak(count: int, seed: int) -> Tally:
    rolls = random.Random(seed)
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="flybisect-soak-") as scratch:
        made = _made(Path(scratch))
        for number in range(count):
            kind, read = list(READERS.items())[number % len(READERS)]
            folder = Path(scratch) / f"{number}"
            shutil.copytree(made, folder, symlinks=True)
            tally.inputs[kind] += 1
            own = random.Random(rolls.random())
            problem = _attempt(partial(read, folder, own), tally)
            if problem is not None:
                tally.problems.append(f"{kind} (input {number}): {problem}")
                print(tally.problems[-1], flush=True)
            else:
                shutil.rmtree(folder)
    return tally


def _attempt(action: Callable[[], None], tally: Tally) -> str | None:
    """What went wrong, if it is no sentence for the user."""
    try:
        with _limited():
            action()
    except errors_shown() as error:
        tally.sentences += 1
        return None if one_sentence(error).strip() else "an empty sentence"
    except TookTooLong:
        return f"took longer than {LONGEST} s"
    except Exception:  # noqa: BLE001 - whatever escapes is what is looked for
        return "\n" + traceback.format_exc(limit=-6)
    return None


@contextmanager
def _limited() -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _made(scratch: Path) -> Path:
    """A folder with one whole input of each kind."""
    made = scratch / "made"
    repository = MadeUp(made / "clone")
    repository.commit("first", {**LAYOUT})
    for number in range(6):
        repository.commit(f"change {number}", {"lib/Fly.cpp": f"int fly{number}();\n"})
    repository.tag("v1")
    repository.git("gc", "--quiet")
    repository.commit("last", {"README.md": "more\n"})
    journal = Journal(made / "journal.sqlite3")
    for name, seen in everything().items():
        journal.record(ONE, Probe(name, "k.py", "gfx942"), seen)
    journal.close()
    (made / "kernel.py").write_bytes(SCRIPTS[0].read_bytes())
    (made / "case.yaml").write_text(CASE)
    (made / "mine.yaml").write_text(ORACLE)
    (made / "defaults").mkdir()
    (made / "defaults" / "flybisect.yaml").write_text(DEFAULTS)
    return made


def _spoil(path: Path, rolls: random.Random) -> None:
    path.write_bytes(damaged(path.read_bytes(), rolls))


def _script(folder: Path, rolls: random.Random) -> None:
    script = folder / "kernel.py"
    script.write_bytes(damaged(rolls.choice(SCRIPTS).read_bytes(), rolls))
    (folder / "case.yaml").unlink()
    bench = prepare(Case(script, arch="gfx942", oracle="spills", workdir=_workdir(folder)), _quiet)
    compile(bench.source, "kernel.py", "exec")
    _run(["flatten", str(script), "-o", str(folder / "flat.py")])


def _case(folder: Path, rolls: random.Random) -> None:
    _spoil(folder / "case.yaml", rolls)
    bench = prepare(Case(folder / "case.yaml", workdir=_workdir(folder)), _quiet)
    bench.case.to_yaml()
    open_session(folder / "sessions", bench.case, bench.source, ["x"]).close()


def _defaults(folder: Path, rolls: random.Random) -> None:
    _spoil(folder / "defaults" / "flybisect.yaml", rolls)
    load_defaults(folder / "defaults")


def _oracle(folder: Path, rolls: random.Random) -> None:
    _spoil(folder / "mine.yaml", rolls)
    oracle = registry.load(str(folder / "mine.yaml")).build(Options())
    for seen in list(everything().values())[::7]:
        oracle.judge(Evidence(seen))


def _journal(folder: Path, rolls: random.Random) -> None:
    path = folder / "journal.sqlite3"
    _spoil(path, rolls)
    journal = Journal(path)
    try:
        for name, whole in everything().items():
            probe = Probe(name, "k.py", "gfx942")
            found = journal.recall(ONE, probe)
            if found is not None and found != whole:
                raise AssertionError("another observation than was recorded")
            journal.record(ONE, probe, whole)
            if journal.recall(ONE, probe) != whole:
                raise AssertionError("not recorded")
    finally:
        journal.close()


def _session(folder: Path, rolls: random.Random) -> None:
    (folder / "case.yaml").write_text(CASE.replace("against", "# "))
    bench = prepare(Case(folder / "case.yaml", workdir=_workdir(folder)), _quiet)
    with open_session(folder, bench.case, bench.source, ["x"]) as session:
        session.save_best(bench.source)
        session.save_result({"script": "x"})
        resume.save_command(session.folder, ["reduce", "kernel.py"])
        files = sorted(path for path in session.folder.iterdir() if path.is_file())
    _spoil(rolls.choice(files), rolls)
    with open_session(folder, bench.case, bench.source, ["x"]) as session:
        session.best()
        session.result()
        len(session.journal)
    resume.find_command(session.folder, folder)


def _clone(folder: Path, rolls: random.Random) -> None:
    files = [path for path in sorted((folder / "clone" / ".git").rglob("*")) if path.is_file()]
    for _ in range(rolls.randint(1, 3)):
        victim = rolls.choice(files)
        victim.chmod(0o644)
        _spoil(victim, rolls)
    repository = Repository(folder / "clone")
    found = read_range(repository, "v1~3..main")
    for commit in found.commits:
        repository.inputs(commit.hash)
    repository.tags()


def _note(folder: Path, rolls: random.Random) -> None:
    data = damaged(code_object([KERNEL, {**KERNEL, ".name": "b"}]), rolls)
    try:
        codeobject.kernels(data, "gfx942")
    except ValueError:
        return


def _reply(folder: Path, rolls: random.Random) -> None:
    """What a worker sends of a trial that wrote into its own record."""
    whole = {
        "ended": "exit",
        "status": 256,
        "seconds": 1.0,
        "cpu": 1.0,
        "peak_kib": 1,
        "oom_kill": False,
        "dropped": 0,
        "crash": "",
        "head": "",
        "tail": "",
        "stdout": "",
    }
    facts = damaged(json.dumps(FACTS).encode(), rolls)
    try:
        found = json.loads(facts)
    except (ValueError, RecursionError):
        return
    probe = Probe("x", "k.py", "gfx942")
    seen = reading.observation(probe, "0.5.0", "/x", {**whole, "facts": found})
    if Observation.from_json(seen.to_json()) != seen:
        raise AssertionError("another observation when read again")


_RAISED = {
    "kind": "raised",
    "number": 0,
    "type": "MLIRError",
    "module": "m",
    "message": 'error: "-":3:4: x',
    "line": 3,
    "innermost": "script",
    "during": "host",
    "script": "/x/k.py",
    "ir_lines": {"3": 4},
    "diagnostics": [{"text": "x", "notes": ["y"], "chain": [{"file": "-", "line": 3}]}],
}
FACTS = [
    {"kind": "confined", "landlock": 7, "inside": True},
    {"kind": "stage", "stage": "trace"},
    {"kind": "traced", "sha256": "a"},
    _RAISED,
    {"kind": "line", "line": 5},
    {"kind": "stages", "names": ["00_origin"]},
    {"kind": "object", "data": "AAAA"},
    {**_RAISED, "kind": "uncaught", "ends": [0]},
]


def _arguments(folder: Path, rolls: random.Random) -> None:
    """Words on the command line; nothing that would run a trial."""
    words = [b"reduce", b"nowhere.py", b"--oracle", b"spills", b"--when", b"vgprs > 8", b"--arch", b"gfx942"]
    at = rolls.randrange(2, len(words))
    words[at] = damaged(words[at], rolls)
    _run([word.decode("utf-8", "surrogateescape").replace("\0", "") for word in words])


def _run(words: list[str]) -> None:
    """Raises AssertionError where the command does not end with a sentence."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            command_line(words)
        except SystemExit as end:
            if end.code == 0:
                return
            if end.code != 2 or not said.getvalue().strip() or "Traceback" in said.getvalue():
                raise AssertionError(f"exit code {end.code}: {said.getvalue()!r}") from end
            raise UserError(said.getvalue()) from end


def _workdir(folder: Path) -> Path:
    """One for all, so that the linker is staged once."""
    return folder.parent / "workdir"


def _quiet(sentence: str) -> None:
    return None


READERS: dict[str, Reader] = {
    "scripts": _script,
    "case files": _case,
    "flybisect.yaml": _defaults,
    "YAML oracles": _oracle,
    "journals": _journal,
    "sessions": _session,
    "clones": _clone,
    "metadata notes": _note,
    "trial records": _reply,
    "command lines": _arguments,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tally = soak(options.count, options.seed)
    kinds = ", ".join(f"{count} {kind}" for kind, count in tally.inputs.items())
    print(f"{sum(tally.inputs.values())} damaged inputs ({kinds}): {tally.sentences} sentences,")
    print(f"{len(tally.problems)} tracebacks or hangs, the others read as what they are")
    sys.exit(bool(tally.problems))


if __name__ == "__main__":
    main()
