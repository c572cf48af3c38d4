"""Values by fresh ones of their types: texts of hints, and the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from flybisect.case.case import Case
from flybisect.judge.trials import NoMemory
from flybisect.reduce.hint import DynamicFacts
from flybisect.reduce.passes import PASSES, fresh
from flybisect.reduce.reducer import Reducer
from flybisect.source.instrument import ObservedTypes
from flybisect.source.scopes import Statements
from flybisect.source.source import Source
from flybisect.workflows.prepare import prepare
from tests.reduce.hints import texts, whole

HEAD = "import flydsl.expr as fx\n\n\ndef f(A, n):\n"
REGISTERS = "Tensor|!fly.memref<f32, register, ((4,1),2):((1,0),4)>"
MEMORY = "Tensor|!fly.memref<f32, global, ((4,1),2):((1,0),4)>"
SEED = Path(__file__).parents[2] / "seeds" / "buffer_copy" / "case.yaml"


def named(line: int | None, kinds: dict[str, str]) -> DynamicFacts:
    return DynamicFacts(failing_line=line, kinds=ObservedTypes({("f", k): v for k, v in kinds.items()}))


def test_what_the_failing_operation_is_given() -> None:
    text = f"{HEAD}    t = mma(n)\n    s = copy(t).part(A)\n    fx.copy(s, t.fragment(A), n)\n"
    known = named(7, {"s": MEMORY, "t.fragment(A)": REGISTERS, "A": MEMORY, "n": "int"})
    assert texts(fresh.LOCATED, text, known) == [
        text.replace("fx.copy(s", "fx.copy(fx.make_view(fx.get_iter(A), fx.make_layout(4, 1))"),
        text.replace("t.fragment(A)", "fx.make_rmem_tensor(4, fx.Float32)"),
    ]
    assert texts(fresh.LOCATED, text, named(5, {"n": MEMORY})) == []
    assert texts(fresh.LOCATED, text, named(None, {"s": MEMORY})) == []


def test_nothing_without_the_dsl() -> None:
    text = "def f(A):\n    g(A.part(1))\n"
    assert texts(fresh.LOCATED, text, named(2, {"A.part(1)": REGISTERS})) == []
    assert texts(fresh.PASS, text, named(2, {"A.part(1)": REGISTERS})) == []


def test_a_call_that_alone_reads_a_variable() -> None:
    text = f"{HEAD}    t = mma(n)\n    g(t.fragment(A))\n"
    assert whole(fresh.PASS, text, named(None, {"t.fragment(A)": REGISTERS})) == [
        f"{HEAD}    g(fx.make_rmem_tensor((4, 2), fx.Float32))\n"
    ]


@pytest.mark.parametrize(
    ("statement", "kinds"),
    [
        ("g(h(A))", {"h(A)": REGISTERS}),
        ("h(A)", {"h(A)": REGISTERS}),
        ("g(fx.make_rmem_tensor(4, fx.Float32))", {"fx.make_rmem_tensor(4, fx.Float32)": REGISTERS}),
        ("g(h(k(l(A))))", {"h(k(l(A)))": "TiledMma|123"}),
    ],
)
def test_what_brings_nothing_is_left(statement: str, kinds: dict[str, str]) -> None:
    assert texts(fresh.PASS, f"{HEAD}    {statement}\n", named(None, kinds)) == []


def test_the_outermost_that_did_not_fail() -> None:
    text = f"{HEAD}    g(h(k(l(m(A)))))\n"
    kinds = {"h(k(l(m(A))))": REGISTERS, "k(l(m(A)))": "Vector|vector<4xf32>"}
    known = named(None, kinds)
    (outer,) = texts(fresh.PASS, text, known)
    assert outer == f"{HEAD}    g(fx.make_rmem_tensor((4, 2), fx.Float32))\n"
    (label,) = {hint.label for hint in fresh.PASS.hints(_table(text), known)}
    assert texts(fresh.PASS, text, DynamicFacts(kinds=known.kinds, failed=frozenset([label]))) == [
        outer,
        f"{HEAD}    g(h(fx.Vector.filled(4, 0.0, fx.Float32)))\n",
    ]


def test_a_tensor_that_is_bound_later_is_no_base() -> None:
    text = f"{HEAD}    g(h(k(l(n))))\n    late = A.part(n)\n    g(late)\n"
    known = named(None, {"h(k(l(n)))": MEMORY, "late": MEMORY})
    assert texts(fresh.PASS, text, known) == []


def test_a_copy_without_the_mma_it_was_for(tmp_path: Path) -> None:
    """The seed ends without its MMA and its tiled copy, as it does by hand."""
    bench = prepare(Case(SEED, workdir=tmp_path / "workdirs", jobs=1), print)
    with bench.judge(NoMemory()) as judge:
        first = judge.pin(bench.source)
        assert first.interesting
        reduced = Reducer(judge, PASSES).run(bench.source, judge.failing_line(bench.source))
    assert "mma" not in reduced.text and "tiled" not in reduced.text, reduced.text
    assert "make_rmem_tensor(" in reduced.text


def _table(text: str) -> Statements:
    return Statements(Source(text))
