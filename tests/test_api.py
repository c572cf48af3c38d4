"""The Python API: `minimize` by any judgement, and the commands as functions."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import flybisect
from flybisect.errors import UserError
from flybisect.reduce.hint import DynamicFacts
from flybisect.reduce.minimize import minimize
from flybisect.reduce.passes import PASSES
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.source.check import syntax_problem
from flybisect.source.cut import carry_out, close
from flybisect.source.edit import Conflict
from flybisect.source.measure import size_of
from flybisect.source.scopes import Statements
from flybisect.source.source import Source, count_statements
from flybisect.source.substitute import Substitutes
from tests.releases import sharing_releases
from tests.source.profile import examples
from tests.source.programs import scripts
from tests.source.running import run

SCRIPT = """\
import os
import sys

LIMIT = 64


def helper(value, gain=2):
    # The interesting line.
    return value // (gain - 2)


def main():
    total = 0
    for number in range(LIMIT):
        total += helper(number)
    print(total, file=sys.stderr)


main()
"""


def reaches_the_needle(text: str) -> bool:
    return bool(run(text).needles)


def ends_well_with_a_needle(text: str) -> bool:
    done = run(text)
    return done.ended_well and bool(done.needles)


class Recorder:
    """Keeps the texts that a judgement is asked about."""

    def __init__(self, judgement: Callable[[str], bool]) -> None:
        self._judgement = judgement
        self.asked: list[str] = []

    def __call__(self, text: str) -> bool:
        self.asked.append(text)
        return self._judgement(text)


def simplifications(text: str, original: str) -> Iterator[tuple[str, str]]:
    """What each single hint makes of a script that nothing is known of, where that is smaller."""
    table, size = Statements(Source(text)), size_of(text)
    facts = DynamicFacts(learned=original, original=original)
    for each in (each for each in PASSES if not each.shortcut):
        for hint in each.hints(table, facts):
            try:
                candidate = carry_out(table, close(table, hint.cut, Substitutes(table, facts.kinds)))
            except Conflict:
                continue
            if syntax_problem(candidate) is None and size_of(candidate) < size:
                yield f"{each.name}: {hint.label}", candidate


@given(scripts(needle=True), st.sampled_from([reaches_the_needle, ends_well_with_a_needle]))
@examples(10)
def test_the_result_is_interesting_and_1_minimal(text: str, judgement: Callable[[str], bool]) -> None:
    if not judgement(text):
        return
    recorder = Recorder(judgement)
    result = minimize(text, recorder)
    assert judgement(result)
    assert result in recorder.asked
    assert len(recorder.asked) == len(set(recorder.asked))
    assert all(syntax_problem(asked) is None for asked in recorder.asked)
    assert count_statements(result) <= 9
    for label, candidate in simplifications(result, text):
        assert not judgement(candidate), label
    assert minimize(result, judgement) == result


def test_a_result_as_a_person_would_write_it() -> None:
    steps = list[ReductionStep]()
    result = minimize(SCRIPT, divides_by_zero, progress=steps.append)
    assert result == "total = 0\ntotal += 0 // 0\n"
    assert steps[-1].text == result


def divides_by_zero(text: str) -> bool:
    try:
        exec(compile(text, "<script>", "exec"), {})
    except ZeroDivisionError:
        return True
    except Exception:  # noqa: BLE001 - whatever a candidate raises
        return False
    return False


def test_a_judgement_may_look_at_comments() -> None:
    result = minimize(SCRIPT, lambda text: "# The interesting line." in text)
    assert "# The interesting line." in result
    assert count_statements(result) < count_statements(SCRIPT) // 2


def test_passes_are_chosen_by_name() -> None:
    kept = minimize(SCRIPT, divides_by_zero, passes=["statements"])
    assert minimize(SCRIPT, divides_by_zero, passes="statements") == kept
    assert "def helper" in kept and "print" not in kept
    with pytest.raises(UserError, match="there is no pass 'statement'"):
        minimize(SCRIPT, divides_by_zero, passes=["statement"])


def test_the_script_itself_has_to_be_interesting() -> None:
    with pytest.raises(ValueError, match="not interesting"):
        minimize("pass\n", lambda text: False)
    with pytest.raises(ValueError, match="does not parse: line 1"):
        minimize("def\n", lambda text: True)


def test_what_the_judgement_raises_comes_through() -> None:
    def refuse(text: str) -> bool:
        if text != SCRIPT:
            raise RuntimeError("the judgement broke")
        return True

    with pytest.raises(RuntimeError, match="the judgement broke"):
        minimize(SCRIPT, refuse)


# -- names --------------------------------------------------------------------------------------


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ran.stdout


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import flybisect, sys; print(*sorted(each for each in sys.modules if each.startswith('flybisect')))"
    )
    assert python(code).split() == ["flybisect", "flybisect.reduce"]
    assert python("import flybisect, sys; flybisect.minimize; print('flydsl' in sys.modules)") == "False\n"


@pytest.mark.parametrize("name", flybisect.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(flybisect, name) is not None
    assert name in dir(flybisect)


def test_another_name_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'reduction'"):
        getattr(flybisect, "reduction")  # noqa: B009


CALL = """
try:
    flybisect.reduce("missing.py")
except flybisect.UserError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "before",
    [
        "import flybisect",
        "import flybisect.reduce.reducer",
        "import flybisect; flybisect.check; import flybisect.reduce.reducer",
        "import flybisect; from flybisect.reduce.hint import Hint; flybisect.reduce.hint.Hint",
    ],
)
def test_the_room_that_is_named_as_a_function_can_be_called(before: str) -> None:
    assert python(before + CALL) == "there is no file missing.py\n"
    assert python(f"{before}; from flybisect import reduce; print(callable(reduce))") == "True\n"


def test_its_parameters_can_be_looked_up() -> None:
    assert "progress" in inspect.signature(flybisect.reduce).parameters


# -- on the real FlyDSL -------------------------------------------------------------------------

KERNEL = """\
import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

WIDTH = 64


@flyc.kernel
def kernel(A: fx.Tensor, out: fx.Tensor):
    tid = fx.thread_idx.x
    value = fx.Float32(A[tid])
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.Float32)
    register = fx.make_rmem_tensor(2, fx.Float32)
    tiles = fx.logical_divide(A, fx.make_layout(2, 1))
    fx.copy_atom_call(atom, fx.slice(tiles, (None, tid)), register)
    out[tid] = value


@flyc.jit
def launch(A: fx.Tensor, out: fx.Tensor):
    kernel(A, out).launch(grid=(1, 1, 1), block=(WIDTH, 1, 1))


launch(torch.ones(WIDTH), torch.zeros(WIDTH))
"""
HANGING = Path(__file__).parent / "oracle/scripts/vector_list.py"


@pytest.fixture
def case(tmp_path: Path) -> flybisect.Case:
    """Beside a `case.yaml` that says something else of the script; the case goes before it."""
    script = tmp_path / "kernel.py"
    script.write_text(KERNEL)
    (tmp_path / "case.yaml").write_text("script: kernel.py\noracle: spills\narch: gfx950\nargs: --raw\n")
    return flybisect.Case(script, arch="gfx942", oracle="legalization")


def test_check_and_compare(case: flybisect.Case, tmp_path: Path) -> None:
    found = flybisect.check(case, workdir=tmp_path / "w")
    assert found.verdict.interesting and found.exit_code == 0
    assert found.observation.arch == "gfx942"
    assert str(found.verdict.signature) in str(found.to_dict()["signature"])
    by_path = flybisect.load_case(tmp_path)
    assert (by_path.oracle, by_path.arch, by_path.argv) == ("spills", "gfx950", ("--raw",))
    compared = flybisect.compare(case, args=["", "--fast"], workdir=tmp_path / "w")
    assert [column["args"] for column in compared.to_dict()["columns"]] == [[], ["--fast"]]


def test_reduce(case: flybisect.Case, tmp_path: Path) -> None:
    steps = list[ReductionStep]()
    workdir = tmp_path / "w"
    result = flybisect.reduce(
        case, progress=steps.append, output=tmp_path / "small.py", workdir=workdir, jobs=1
    )
    assert result.minimal and result.verified_cold
    assert count_statements(result.reduced) <= 8
    assert result.output.read_text().endswith(result.reduced)
    assert "# Reduced by flybisect" in result.output.read_text()
    assert steps[-1].text == result.reduced
    data = result.to_dict()
    assert data["statements_after"] == count_statements(result.reduced)


def test_what_is_wrong_is_said_in_a_sentence(case: flybisect.Case, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean legalization"):
        flybisect.check(replace(case, oracle="legalizaton"), workdir=tmp_path / "w")
    with pytest.raises(UserError, match="there is no pass 'x'"):
        flybisect.reduce(case, passes=["x"], workdir=tmp_path / "w")
    with pytest.raises(UserError, match="no range of releases"):
        flybisect.matrix(case, "0.3.0", workdir=tmp_path / "w")


@pytest.mark.release
def test_releases(case: flybisect.Case, tmp_path: Path) -> None:
    workdir = sharing_releases(tmp_path / "w")
    shown = flybisect.matrix(case, "0.2.4..0.3.0", workdir=workdir)
    assert [(row.name, row.verdict.interesting) for row in shown.rows] == [("0.2.4", True), ("0.3.0", True)]
    assert [row["side"] for row in shown.to_dict()["releases"]] == ["bad", "bad"]
    hanging = replace(case, script=HANGING, oracle="hang")
    found = flybisect.bisect_releases(hanging, "0.2.4..0.3.0", workdir=workdir)
    assert (found.answer.first.before, found.answer.first.after) == ("0.2.4", "0.3.0")
    data = found.to_dict()
    assert (data["find"], data["last_bad"], data["first_good"]) == ("fix", "0.2.4", "0.3.0")
