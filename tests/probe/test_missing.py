"""What a trial sees although the script catches it, and what it leaves out."""

from __future__ import annotations

import textwrap

import pytest

from flybisect.observation import Outcome, Stage
from flybisect.oracle.signatures import classify
from tests.probe.conftest import Run
from tests.probe.scripts import COPY, HEAD, LEGALIZATION, kernel

IN_VAIN = {
    "the package einops_of_tomorrow is not installed": """
        try:
            import einops_of_tomorrow.layers
        except ImportError as error:
            sys.exit(f"please install it: {error}")
        """,
    "the package jax_of_tomorrow is not installed": """
        import importlib.util
        if importlib.util.find_spec("jax_of_tomorrow") is None:
            sys.exit(1)
        """,
    "the file weights.pt does not exist": """
        try:
            torch.load("weights.pt")
        except Exception:
            sys.exit(1)
        """,
    "the program rocminfo is not installed": """
        import subprocess
        try:
            subprocess.run(["rocminfo"], capture_output=True)
        except OSError:
            sys.exit(1)
        """,
    "the program rocm-smi is not installed": """
        import subprocess
        if not subprocess.run("rocm-smi | grep gfx", shell=True, capture_output=True).stdout:
            sys.exit(1)
        """,
    "libamdhip64.so needs a GPU's driver": """
        import ctypes
        try:
            ctypes.CDLL("libamdhip64.so")
        except OSError:
            sys.exit(1)
        """,
}


@pytest.mark.parametrize("said", IN_VAIN)
def test_what_the_script_asks_for_in_vain(run: Run, said: str) -> None:
    seen = run(HEAD + "import sys\n" + textwrap.dedent(IN_VAIN[said]))
    assert (seen.outcome, seen.missing) == (Outcome.EXIT, (said,))
    found = classify(seen)
    assert found is not None
    assert found.kind == "setup"


def test_an_optional_package_is_none_of_it(run: Run) -> None:
    seen = run("try:\n    import einops_of_tomorrow\nexcept ImportError:\n    pass\n" + COPY)
    assert seen.missing == ("the package einops_of_tomorrow is not installed",)
    assert classify(seen) is None


def test_what_libraries_look_for_is_not_the_scripts(run: Run) -> None:
    seen = run(COPY + "import logging, json, torch.utils.data, unittest\nopen('made', 'w').close()\n")
    assert (seen.outcome, seen.missing) == (Outcome.OK, ()), seen.stderr


@pytest.mark.parametrize("asks", ["pytest.raises(Exception)", "unittest.TestCase().assertRaises(Exception)"])
def test_an_error_that_a_test_asks_for_is_no_failure(run: Run, asks: str) -> None:
    call = "run(torch.zeros(65536), torch.zeros(65536))"
    source = "import pytest, unittest\n" + LEGALIZATION.replace(call, f"with {asks}:\n    {call}")
    seen = run(source)
    assert (seen.outcome, seen.exceptions, classify(seen)) == (Outcome.OK, (), None)
    caught = f"try:\n    {call}\nexcept Exception:\n    pass"
    assert str(classify(run(LEGALIZATION.replace(call, caught)))).startswith("legalization: ")


def test_what_the_script_prints_is_no_diagnostic(run: Run) -> None:
    seen = run(COPY + "import sys\nprint('error: 3 of 4 shapes differ', file=sys.stderr)\nsys.exit(1)\n")
    assert (seen.diagnostics, seen.stage) == ((), Stage.DONE)
    found = classify(seen)
    assert found is not None
    assert found.kind == "exit"
    again = run(LEGALIZATION + "\nprint('error: not reached')\n")
    assert str(classify(again)).startswith("legalization: ")


def test_a_hang_behind_a_failed_compile_is_not_in_it(run: Run) -> None:
    call = "run(torch.zeros(65536), torch.zeros(65536))"
    caught = f"try:\n    {call}\nexcept Exception:\n    pass\nwhile True:\n    pass"
    seen = run(kernel("out[0] = undefined_name").replace(call, caught), timeout=4.0)
    assert (seen.outcome, seen.stage) == (Outcome.TIMEOUT, Stage.START)


def test_flydsl_knows_the_stream_that_stands_in(run: Run) -> None:
    """It registers torch's class when it is imported."""
    source = HEAD + (
        "from flydsl.compiler import jit_argument\n"
        "assert torch.cuda.Stream in jit_argument.JitArgumentRegistry.registry\n"
        "assert type(torch.cuda.current_stream()) in jit_argument.JitArgumentRegistry.registry\n"
    )
    seen = run(source)
    assert seen.outcome is Outcome.OK, seen.stderr


def test_arguments_that_do_not_fit_are_the_callers(run: Run) -> None:
    """FlyDSL wraps its operations, so the innermost frame is its own."""
    seen = run(kernel("fx.make_rmem_tensor(1, 2, 3, 4, 5, 6, 7)"))
    found = classify(seen)
    assert found is not None
    assert found.kind == "api", found


def test_what_the_last_compile_took(run: Run) -> None:
    call = "run(torch.zeros(65536), torch.zeros(65536))"
    seen = run(COPY.replace(call, f"import time\ntime.sleep(1)\n{call}"))
    assert seen.under_way is not None
    assert 0 < seen.under_way < seen.seconds - 0.9
