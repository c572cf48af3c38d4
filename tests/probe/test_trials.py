"""Real trials under the installed FlyDSL: how each kind of end is told, and what is recorded."""

from __future__ import annotations

import os
import signal
import subprocess
import textwrap
from pathlib import Path

import pytest

from flybisect.observation import ExceptionFacts, Observation, Outcome, Stage, Want
from flybisect.oracle.signatures import classify
from flybisect.probe import codeobject
from flybisect.toolchain.model import Toolchain
from tests.probe.conftest import Run
from tests.probe.scripts import ASSERTION, COPY, HEAD, LEGALIZATION, MANY_LIVE, kernel


def _exception(seen: Observation) -> ExceptionFacts:
    assert seen.exception is not None
    return seen.exception


def _text(source: str, line: int | None) -> str:
    assert line is not None
    return source.splitlines()[line - 1].strip()


def test_compiles_and_measures(run: Run) -> None:
    seen = run(COPY)
    assert (seen.outcome, seen.stage, seen.exit_code) == (Outcome.OK, Stage.DONE, 0)
    assert [k.name for k in seen.kernels] == ["k_0"]
    assert seen.metrics()["vgprs"] > 0
    assert seen.metrics()["vgpr_spills"] == 0
    assert seen.metrics()["occupancy"] == 8
    assert len(seen.traced) == 1
    assert seen.kernels[0].instructions == {}
    assert seen.lines == ()


def test_legalization_names_the_scripts_line(run: Run) -> None:
    seen = run(LEGALIZATION)
    assert (seen.outcome, seen.stage, seen.exit_code) == (Outcome.EXCEPTION, Stage.PASSES, 1)
    assert _exception(seen).type == "DSLCompileError"
    assert not _exception(seen).caught
    error = seen.diagnostics[0]
    assert (error.severity, error.source) == ("error", "mlir")
    assert error.text.startswith("failed to legalize operation 'fly.copy_atom_call_ssa'")
    assert "DSL Traceback" not in error.text
    assert _text(LEGALIZATION, error.line).startswith("fx.copy_atom_call")
    # Said once: the traceback on stderr repeats it.
    assert sum("failed to legalize" in d.text for d in seen.diagnostics) == 1


def test_assertion_while_tracing_names_the_line(run: Run) -> None:
    seen = run(ASSERTION)
    assert (seen.outcome, seen.signal, seen.stage) == (Outcome.SIGNAL, signal.SIGABRT, Stage.TRACE)
    assert "zipped_divide" in _text(ASSERTION, seen.crash_line)
    (error,) = seen.diagnostics
    assert "Assertion `t.rank() == 2" in error.text
    assert error.line == seen.crash_line


def test_error_that_the_script_catches_is_kept(run: Run) -> None:
    source = LEGALIZATION.replace(
        "run(torch.zeros(65536), torch.zeros(65536))",
        "try:\n    run(torch.zeros(65536), torch.zeros(65536))\nexcept Exception:\n    pass",
    )
    seen = run(source)
    assert seen.outcome is Outcome.OK
    assert seen.exception is None
    (caught,) = seen.exceptions
    assert caught.caught
    assert caught.type == "DSLCompileError"
    assert any("failed to legalize" in d.text for d in seen.diagnostics)


def test_error_that_the_script_wraps_is_the_compilers_and_told_once(run: Run) -> None:
    source = LEGALIZATION.replace(
        "run(torch.zeros(65536), torch.zeros(65536))",
        "try:\n    run(torch.zeros(65536), torch.zeros(65536))\n"
        "except Exception as error:\n    raise ValueError('it failed') from error",
    )
    seen = run(source)
    assert [(e.type, e.caught) for e in seen.exceptions] == [("DSLCompileError", False)]
    assert any("failed to legalize" in d.text for d in seen.diagnostics)


def test_python_error_while_tracing(run: Run) -> None:
    source = kernel("out[fx.thread_idx.x] = undefined_name")
    seen = run(source)
    assert (seen.outcome, seen.stage) == (Outcome.EXCEPTION, Stage.TRACE)
    assert _exception(seen).type == "NameError"
    assert _exception(seen).innermost == "script"
    assert "undefined_name" in _text(source, _exception(seen).line)


def test_syntax_error(run: Run) -> None:
    seen = run("x = 1\ny = = 2\n")
    assert (seen.outcome, seen.stage, _exception(seen).type) == (
        Outcome.EXCEPTION,
        Stage.START,
        "SyntaxError",
    )
    assert _exception(seen).line == 2


@pytest.mark.parametrize(
    ("statement", "outcome", "code"),
    [
        ("sys.exit(0)", Outcome.OK, 0),
        ("sys.exit()", Outcome.OK, 0),
        ("sys.exit(3)", Outcome.EXIT, 3),
        ("sys.exit('a text')", Outcome.EXIT, 1),
        ("os._exit(5)", Outcome.EXIT, 5),
        ("os._exit(0)", Outcome.OK, 0),
        ("raise ValueError('x')", Outcome.EXCEPTION, 1),
    ],
)
def test_exits(run: Run, statement: str, outcome: Outcome, code: int) -> None:
    seen = run(f"import os, sys\n{statement}\n")
    assert (seen.outcome, seen.exit_code, seen.signal) == (outcome, code, None)


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGKILL"])
def test_signals(run: Run, name: str) -> None:
    seen = run(f"import os, signal\nos.kill(os.getpid(), signal.{name})\n")
    assert (seen.outcome, seen.signal) == (Outcome.SIGNAL, getattr(signal, name))
    assert seen.crash_line == (None if name == "SIGKILL" else 2)
    assert seen.crashed_in_script == (name != "SIGKILL")


def test_whose_code_crashed(run: Run) -> None:
    seen = run("import ctypes\nctypes.string_at(0)\n")
    assert seen.signal == signal.SIGSEGV and seen.crashed_in_script
    assert not run(ASSERTION).crashed_in_script


@pytest.mark.parametrize(
    "statement",
    [
        "x = bytearray(1 << 40)",
        "import torch\nx = torch.empty(1 << 40)",
        "x = []\nwhile True:\n    x.append([None] * 7)\n",
    ],
    ids=["MemoryError", "torch", "little by little"],
)
def test_memory(run: Run, statement: str) -> None:
    seen = run(statement, memory=512)
    assert seen.outcome is Outcome.MEMORY


def test_memory_of_native_code(run: Run) -> None:
    """`std::bad_alloc` that nobody catches."""
    seen = run(
        """
        import os, signal, sys
        sys.stderr.write("terminate called after throwing an instance of 'std::bad_alloc'\\n")
        os.kill(os.getpid(), signal.SIGABRT)
        """
    )
    assert seen.outcome is Outcome.MEMORY


def test_backend_diagnostic_although_the_exit_code_is_0(run: Run) -> None:
    body = """
        i = fx.thread_idx.x
        lds = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 24576]).peek()
        p = fx.add_offset(lds.ptr, fx.make_int_tuple(fx.Int32(i)))
        fx.ptr_store(fx.Float32(1.0), p)
        fx.gpu.barrier()
        out[i] = fx.ptr_load(p)
    """
    source = kernel(body, options="(known_block_size=[64, 1, 1])")
    seen = run(source)
    assert (seen.outcome, seen.exit_code) == (Outcome.OK, 0)
    (error,) = seen.diagnostics
    assert (error.severity, error.source) == ("error", "stderr")
    assert error.text.startswith("local memory (98304) exceeds limit (65536)")
    assert seen.metrics()["lds_bytes"] == 98304
    assert run(source, arch="gfx950").diagnostics == ()


def test_hints_count_and_assembly_agrees(run: Run) -> None:
    plain = run(kernel(MANY_LIVE), wants=(Want.ASSEMBLY,))
    hinted = run(kernel(MANY_LIVE, hints=', value_attrs={"rocdl.waves_per_eu": 8}'), wants=(Want.ASSEMBLY,))
    assert plain.metrics()["vgpr_spills"] == 0
    assert not any(name.startswith("scratch_") for name in plain.kernels[0].instructions)
    assert hinted.metrics()["vgprs"] == 64
    assert hinted.metrics()["vgpr_spills"] > 0
    assert hinted.metrics()["scratch_bytes"] > 0
    assert any(name.startswith("scratch_store") for name in hinted.kernels[0].instructions)
    assert plain.kernels[0].bases["global_store_dword"] == 1


def test_assembly_does_not_change_the_figures(run: Run) -> None:
    source = kernel(MANY_LIVE)
    assert run(source).metrics() == run(source, wants=(Want.ASSEMBLY,)).metrics()


def test_same_ir_is_compiled_once(run: Run) -> None:
    """FlyDSL knows a function that it compiled again; a factory makes a new one each time."""
    head, _, body = COPY.partition("@flyc.kernel")
    factory = textwrap.indent("@flyc.kernel" + body, "    ")
    seen = run(f"{head}\ndef build():\n{factory}\n\nfor _ in range(4):\n    build()\n")
    assert seen.outcome is Outcome.OK, seen.stderr
    assert len(seen.traced) == 4
    assert len(set(seen.traced)) == 1
    assert len(seen.kernels) == 1


def test_traced_ir_does_not_depend_on_lines_or_names(run: Run) -> None:
    assert run(COPY).traced == run("# a comment\n\n" + COPY).traced
    assert run(COPY).traced != run(COPY.replace("64, 1, 1", "128, 1, 1")).traced


def test_coverage_has_kernels_and_helpers(run: Run) -> None:
    source = f"""{HEAD}

def helper(x):
    y = x * x
    return y


def unused(x):
    return x


@flyc.kernel
def k(A: fx.Tensor, out: fx.Tensor):
    i = fx.thread_idx.x
    if fx.const_expr(False):
        i = i + 1
    for _ in range(0, 4):
        out[i] = helper(fx.Float32(A[i]))


@flyc.jit
def run(A: fx.Tensor, out: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    k(A, out).launch(grid=(1, 1, 1), block=(64, 1, 1), stream=stream)


run(torch.zeros(64), torch.zeros(64))
"""
    seen = run(source, wants=(Want.COVERAGE,))
    assert seen.outcome is Outcome.OK, seen.stderr
    text = source.splitlines()
    ran = {text[line - 1].strip() for line in seen.lines}
    assert {"y = x * x", "return y", "i = fx.thread_idx.x", "out[i] = helper(fx.Float32(A[i]))"} <= ran
    assert "return x" not in ran
    assert "i = i + 1" not in ran


def test_coverage_before_a_crash(run: Run) -> None:
    seen = run(ASSERTION, wants=(Want.COVERAGE,))
    assert seen.signal == signal.SIGABRT
    assert seen.crash_line in seen.lines


def test_stderr_names_no_folder_of_the_tool(run: Run) -> None:
    seen = run(LEGALIZATION)
    assert 'File "script.py"' in seen.stderr
    assert "trial-" not in seen.stderr
    assert "probe/inside" not in seen.stderr


def test_figures_are_those_of_a_run_without_the_tool(run: Run, toolchain: Toolchain, tmp_path: Path) -> None:
    """The bare FlyDSL, in a process of its own, makes the same code object."""
    source = kernel(MANY_LIVE, hints=', value_attrs={"rocdl.waves_per_eu": 4}')
    bare = """
import flydsl.compiler.jit_function as unit
original = unit.MlirCompiler.compile.__func__
def compile(cls, *arguments, **named):
    module = original(cls, *arguments, **named)
    from flydsl._mlir._mlir_libs._mlirDialectsGPU import ObjectAttr
    for op in module.body.operations:
        if op.operation.name == "gpu.binary":
            open("object", "wb").write(ObjectAttr(list(op.operation.attributes["objects"])[0]).object)
    return module
unit.MlirCompiler.compile = classmethod(compile)
"""
    (tmp_path / "bare.py").write_text(bare + source)
    settings = {"COMPILE_ONLY": "1", "ARCH": "gfx942", "FLYDSL_GPU_ARCH": "gfx942"}
    settings |= {"FLYDSL_RUNTIME_ENABLE_CACHE": "0", "ROCM_PATH": str(toolchain.rocm)}
    subprocess.run(
        [toolchain.python, "bare.py"],
        cwd=tmp_path,
        env={**os.environ, **settings, "HOME": str(tmp_path)},
        check=True,
        capture_output=True,
    )
    expected = codeobject.kernels((tmp_path / "object").read_bytes(), "gfx942")
    assert run(source).kernels == expected


@pytest.mark.parametrize(
    "printed",
    [
        "print('LLVM ERROR: of the script', file=sys.stderr)",
        "print('x: y.cpp:1: int f(): Assertion `a` failed.', file=sys.stderr)",
        "print('error: failed to legalize operation \\'fly.x\\'', file=sys.stderr)",
        "print('error: of the script\\n' * 20000, file=sys.stderr)",
    ],
)
def test_what_the_script_prints_behind_its_compiles_is_its_own(run: Run, printed: str) -> None:
    before = "import sys\nprint('.' * 300_000, file=sys.stderr)\n" if "20000" in printed else "import sys\n"
    seen = run(before + COPY + printed + "\n")
    assert seen.kernels and classify(seen) is None


def test_what_a_compile_prints_counts_beside_much_else(run: Run) -> None:
    much = "print('.' * 300_000, file=sys.stderr)"
    caught = LEGALIZATION.replace("\nrun(", "\ntry: run(").rstrip() + f"\nexcept Exception: {much}\n"
    seen = run(f"import sys\n{much}\n{caught}")
    assert str(classify(seen)).startswith("legalization")


def test_kernels_that_threads_compile_at_once_are_seen(run: Run) -> None:
    at_once = """
    import threading
    threads = [threading.Thread(target=run, args=(torch.zeros(64), torch.zeros(64))) for _ in range(3)]
    for each in threads: each.start()
    for each in threads: each.join()
    """
    source = COPY.replace("run(torch.zeros(65536), torch.zeros(65536))\n", textwrap.dedent(at_once))
    assert {each.name for each in run(source).kernels} == {"k_0"}
