"""Compiles that are answered by what an earlier trial showed: the same as compiling, and only where it is."""

from __future__ import annotations

import dataclasses
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from flybisect.observation import Observation, Outcome, Probe, Stage, Want
from flybisect.probe.inside.known import BEGIN, END, mark
from flybisect.probe.remembering import CompileCache, PackedEntry, entries, of_compiles, without_marks
from flybisect.probe.runner import Runner
from flybisect.session.journal import Journal
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.resolve import resolve
from flybisect.toolchain.rocm import find_rocm
from tests.probe.scripts import COPY, HEAD, LEGALIZATION
from tests.releases import KEPT

SCRIPTS = Path(__file__).parents[1] / "oracle" / "scripts"

Both = Callable[..., tuple[Observation, Observation]]


class Kept:
    """A keeper in memory."""

    def __init__(self) -> None:
        self.entries: dict[str, list[PackedEntry]] = {}

    def kept(self, toolchain_key: str) -> list[PackedEntry]:
        return self.entries.get(toolchain_key, [])

    def keep(self, toolchain_key: str, entry: PackedEntry) -> None:
        self.entries.setdefault(toolchain_key, []).append(entry)


@pytest.fixture(scope="module")
def remembering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    with Runner(tmp_path_factory.mktemp("scratch"), 1, Kept()) as runner:
        yield runner


@pytest.fixture(scope="module")
def both(runner: Runner, remembering: Runner, toolchain: Toolchain) -> Both:
    """Runs `first`, then `then` with what was remembered and without."""

    def both(
        first: str, then: str, under: Toolchain = toolchain, **options: Any
    ) -> tuple[Observation, Observation]:
        remembering.run(_probe(first, **options), under)
        return remembering.run(_probe(then, **options), under), runner.run(_probe(then, **options), under)

    return both


def _probe(source: str, **options: Any) -> Probe:
    return Probe(source=source, name="script.py", arch="gfx942", timeout=60.0, **options)


def _seen(observation: Observation) -> dict[str, Any]:
    """All that is read of it."""
    facts = dataclasses.asdict(observation)
    for name in ("seconds", "cpu_seconds", "under_way", "peak_mib", "replayed"):
        del facts[name]
    return facts


def _lower(source: str) -> str:
    """The same script, each line further down."""
    return "# one\n# two\n# three\n" + source


@pytest.mark.parametrize("name", ["copy", "legalization", "cannot_select", "vecadd_256b", "lds_over_limit"])
def test_told_again_is_as_compiled_again(both: Both, name: str) -> None:
    texts = {"copy": COPY, "legalization": LEGALIZATION}
    source = texts[name] if name in texts else (SCRIPTS / f"{name}.py").read_text()
    told, compiled = both(source, _lower(source))
    assert told.replayed == told.traced == compiled.traced != ()
    assert (compiled.replayed, compiled.compiled) == ((), compiled.traced)
    assert _seen(told) == _seen(compiled)
    assert told.only_replayed and not compiled.only_replayed


@pytest.mark.release
@pytest.mark.parametrize("release", ["0.2.4", "0.3.0"])
@pytest.mark.parametrize("name", ["copy", "legalization", "cannot_select", "lds_over_limit"])
def test_the_same_under_older_releases(both: Both, release: str, name: str) -> None:
    texts = {"copy": COPY, "legalization": LEGALIZATION}
    source = texts[name] if name in texts else (SCRIPTS / f"{name}.py").read_text()
    told, compiled = both(source, _lower(source), resolve(release, KEPT, find_rocm(KEPT)))
    assert told.replayed == told.traced == compiled.traced != ()
    assert _seen(told) == _seen(compiled)


def test_a_failure_is_told_at_its_own_line(both: Both) -> None:
    told, compiled = both(LEGALIZATION, _lower(LEGALIZATION))
    error = told.diagnostics[0]
    assert told.only_replayed and error.line == compiled.diagnostics[0].line
    assert error.line is not None
    assert _lower(LEGALIZATION).splitlines()[error.line - 1].strip().startswith("fx.copy_atom_call")


def test_where_one_line_became_two_it_is_compiled(both: Both) -> None:
    """The message names one of them, and which is not known."""
    joined = LEGALIZATION.replace(
        "r = fx.make_rmem_tensor(2, fx.Float32)\n    t = ", "r = fx.make_rmem_tensor(2, fx.Float32); t = "
    ).replace(
        "    fx.copy_atom_call(atom, fx.slice(t, (None, fx.thread_idx.x)), r)",
        "    s = fx.slice(t, (None, fx.thread_idx.x)); fx.copy_atom_call(atom, s, r)",
    )
    split = joined.replace("; fx.copy_atom_call", "\n    fx.copy_atom_call")
    assert split != joined != LEGALIZATION
    told, compiled = both(joined, split)
    assert _seen(told) == _seen(compiled)
    assert told.traced == compiled.traced


def test_one_of_two_kernels_is_known(both: Both) -> None:
    second = COPY.replace(HEAD, "").replace("def k(", "def k2(").replace("    k(A", "    k2(A")
    second = second.replace("Float32(A[fx.thread_idx.x])", "Float32(A[fx.thread_idx.x]) * fx.Float32(2.0)")
    told, compiled = both(COPY, COPY + second)
    assert (len(told.traced), len(told.replayed), len(told.compiled)) == (2, 1, 1)
    assert [k.name for k in told.kernels] == ["k_0", "k2_0"]
    assert _seen(told) == _seen(compiled)


def test_what_a_script_reads_of_a_compile_is_there(both: Both) -> None:
    reads = "print(len(run._last_compiled[1].ir) > 1000, 'gpu.binary' in run._last_compiled[1].ir)\n"
    complains = reads.replace("print(", "assert (").replace(", 'gpu", ") and ('gpu")
    told, compiled = both(COPY, COPY + complains)
    assert told.only_replayed
    assert (told.outcome, compiled.outcome) == (Outcome.OK, Outcome.OK), told.stderr


@pytest.mark.parametrize(
    "changed",
    [
        "import os\nos.environ['FLYDSL_DEBUG_ENABLE_VERIFIER'] = '0'\n",
        "import flydsl.compiler.llvm_options as o\n"
        "scope = o.llvm_options({'enable-misched': False})\nscope.__enter__()\n",
    ],
    ids=["environment", "llvm option"],
)
def test_what_decides_beside_the_ir_is_part_of_the_key(both: Both, changed: str) -> None:
    told, _ = both(COPY, changed + COPY)
    assert told.outcome is Outcome.OK, told.stderr
    assert told.replayed == ()


def test_hints_and_what_is_wanted_are_part_of_the_key(remembering: Runner, toolchain: Toolchain) -> None:
    remembering.run(_probe(COPY), toolchain)
    wanted = remembering.run(_probe(COPY, wants=frozenset({Want.ASSEMBLY})), toolchain)
    again = remembering.run(_probe(_lower(COPY), wants=frozenset({Want.ASSEMBLY})), toolchain)
    assert (wanted.replayed, again.only_replayed) == ((), True)
    assert again.kernels == wanted.kernels
    assert wanted.kernels[0].instructions
    hinted = COPY.replace("run(torch.zeros", "flyc.compile[{'waves_per_eu': 2}](run, torch.zeros")
    assert remembering.run(_probe(hinted), toolchain).replayed == ()


def test_what_is_to_be_compiled_anew_is(remembering: Runner, toolchain: Toolchain) -> None:
    remembering.run(_probe(COPY), toolchain)
    assert remembering.run(_probe(COPY), toolchain).only_replayed
    assert remembering.run(_probe(COPY, anew=True), toolchain).replayed == ()
    assert remembering.run_cold(_probe(COPY), toolchain).replayed == ()
    assert remembering.run(_probe(COPY, wants=frozenset({Want.OUTPUT})), toolchain).replayed == ()


def test_the_next_session_knows_it(tmp_path: Path, toolchain: Toolchain) -> None:
    for turn in range(2):
        journal = Journal(tmp_path / "journal.sqlite")
        with Runner(tmp_path / "scratch", 1, journal) as runner:
            seen = runner.run(_probe(COPY), toolchain)
        journal.close()
        assert (len(seen.replayed), len(seen.kernels)) == (turn, 1)


def _facts(*kinds: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"kind": "compile", "number": 1, "sha256": "k"}, *kinds]


OVER = {"kind": "compiled", "number": 1, "end": "ok", "module": "bQ==", "error": None}
ERROR = {"message": "it failed", "diagnostics": []}
BEGAN, ENDED = b"\x1et begin 1\x1e", b"\x1et end 1\x1e"


def _ended(outcome: Outcome, **more: Any) -> Observation:
    return Observation(outcome, Stage.CODEGEN, "gfx942", "0.5.0", **more)


def _kept(seen: Observation, printed: bytes, *kinds: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for _, entry in entries(_probe(""), "/t", _facts(*kinds), printed, seen)]


def test_what_came_out_is_kept_whatever_came_later() -> None:
    seen = _ended(Outcome.TIMEOUT)
    stage = {"kind": "stage", "stage": "passes"}
    (entry,) = _kept(seen, b"a" + BEGAN + b"warning" + ENDED + b"b", stage, OVER)
    assert entry == {
        "end": "ok",
        "module": "bQ==",
        "said": "warning",
        "facts": [stage],
    }


def test_how_the_process_died_is_kept() -> None:
    (entry,) = _kept(_ended(Outcome.SIGNAL, signal=signal.SIGABRT), BEGAN + b"Assertion\n")
    assert (entry["end"], entry["signal"], entry["said"]) == ("died", signal.SIGABRT, "Assertion\n")
    (entry,) = _kept(_ended(Outcome.EXIT, exit_code=1), BEGAN + b"error\n")
    assert (entry["end"], entry["signal"], entry["code"]) == ("died", None, 1)


@pytest.mark.parametrize(
    ("seen", "printed"),
    [
        (_ended(Outcome.TIMEOUT), BEGAN),
        (_ended(Outcome.MEMORY, signal=signal.SIGABRT), BEGAN),
        (_ended(Outcome.SIGNAL, signal=signal.SIGKILL), BEGAN),
        (_ended(Outcome.SIGNAL, signal=signal.SIGABRT), BEGAN + b"std::bad_alloc"),
        (_ended(Outcome.SIGNAL, signal=signal.SIGABRT), BEGAN + b"/t/script.py:3: error"),
        (_ended(Outcome.SIGNAL, signal=signal.SIGABRT), BEGAN + ENDED),
        (_ended(Outcome.SIGNAL, signal=signal.SIGABRT), b""),
        (_ended(Outcome.OK, exit_code=0), BEGAN),
    ],
    ids=["hang", "memory", "killed", "no room", "a line", "later", "unmarked", "left"],
)
def test_what_may_end_otherwise_is_not_kept(seen: Observation, printed: bytes) -> None:
    assert _kept(seen, printed) == []


def test_an_error_of_a_trial_that_ran_out_of_something_is_not_kept() -> None:
    raised = {**OVER, "end": "raised", "module": "", "error": ERROR}
    assert len(_kept(_ended(Outcome.EXCEPTION), BEGAN + ENDED, raised)) == 1
    assert _kept(_ended(Outcome.MEMORY), BEGAN + ENDED, raised) == []
    assert _kept(_ended(Outcome.BROKEN), BEGAN + ENDED, raised) == []
    starved = {**raised, "error": {**ERROR, "message": "lld invocation failed"}}
    assert _kept(_ended(Outcome.EXCEPTION), BEGAN + ENDED, starved) == []


def test_marks_are_taken_out() -> None:
    assert without_marks("/x/t", b"a" + BEGAN + b"b" + ENDED + b"c") == b"abc"


def test_what_did_not_end_the_same_twice_is_compiled_every_time() -> None:
    kept = Kept()
    book = CompileCache(kept)
    book.learn("t", [("k", {"end": "ok", "module": "a", "said": "", "facts": []})])
    told, upto = book.news("t", 0)
    assert [key for key, _ in told] == ["k"]
    book.learn("t", [("k", {"end": "ok", "module": "a", "said": "another", "facts": []})])
    assert book.news("t", upto) == ([], upto)
    book.learn("t", [("k", {"end": "died", "signal": 6, "code": None, "said": "", "facts": []})])
    ((key, entry),) = book.news("t", upto)[0]
    book.learn("t", [("k", {"end": "ok", "module": "a", "said": "", "facts": []})])
    assert [each for each in CompileCache(kept).news("t", 0)[0] if each[0] == "k"] == [(key, entry)]
    assert book.news("other", 0) == ([], 0)


BEGUN, LEFT = mark("/trial", BEGIN, 1), mark("/trial", END, 1)


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ((b"a" + BEGUN + b"b" + LEFT + b"c",), b"b"),
        ((b"a" + BEGUN + b"b",), b"b"),
        ((b"a",), None),
        ((b"a" + BEGUN + b"b", b"c" + LEFT + b"d"), b"bc"),
        ((b"a" + BEGUN + b"b" + LEFT, b"c" + BEGUN + b"d" + LEFT + b"e"), b"bd"),
        ((b"a", b"b"), b""),
    ],
)
def test_what_was_printed_within_compiles(pieces: tuple[bytes, ...], said: bytes | None) -> None:
    assert of_compiles("/trial", *pieces) == said
