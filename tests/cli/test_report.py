"""The pure parts of what people are shown."""

from __future__ import annotations

import ast
import io
import tokenize

from hypothesis import given
from hypothesis import strategies as st

from flybisect.oracle.failure_line import LONGEST, clean
from flybisect.source.argv import reads_arguments
from flybisect.terminal.progress import duration
from flybisect.terminal.sparkline import BARS, curve
from flybisect.workflows.figures import table
from flybisect.workflows.heading import Heading, headed, shell

HEADING = Heading(
    command=["flybisect", "reduce", "a.py", "--oracle", "spills", "--", "--encoding=latin-1"],
    run=["python", "a.min.py", "--encoding=latin-1"],
    flydsl="0.5.0",
    arch="gfx942",
    before=20,
    after=5,
    failure=None,
    metrics={"vgprs": 256, "vgpr_spills": 44, "agprs": 0, "base.vgprs": 242, "base.vgpr_spills": 0},
    base="--recast",
)


def test_header() -> None:
    assert headed("x = 1\n", HEADING).splitlines() == [
        "# Reduced by flybisect 0.1.0 from 20 statements to 5.",
        "# FlyDSL 0.5.0, gfx942. Reduced with:",
        "#   flybisect reduce a.py --oracle spills -- --encoding=latin-1",
        "# Run with:",
        "#   python a.min.py --encoding=latin-1",
        "# Shows:",
        "#                this  --recast",
        "#   vgprs         256       242",
        "#   vgpr_spills    44         0",
        "",
        "x = 1",
    ]


def test_header_stays_behind_what_has_to_come_first() -> None:
    text = "#!/usr/bin/env python\n# coding: ascii\nfrom __future__ import annotations\n"
    lines = headed(text, HEADING).splitlines()
    assert lines[:2] == text.splitlines()[:2]
    assert lines[-1] == "from __future__ import annotations"
    assert headed("# comment\n# vim: coding=ascii\nx = 1\n", HEADING).splitlines()[1] == "# vim: coding=ascii"
    assert headed("# comment\nx = 1\n", HEADING).startswith("# Reduced by")


WORD = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCRIPTS = st.sampled_from(
    [
        "x = 1\n",
        "#!x\ny = 2\n",
        "# -*- coding: utf-8 -*-\nz = 'é'\n",
        "'doc'\r\nx = 1\r\n",
        "#!x",
        "\x0cx = 1\n",
        "",
    ]
)


@given(SCRIPTS, st.lists(WORD), WORD, WORD)
def test_header_changes_no_tree(text: str, words: list[str], failure: str, base: str) -> None:
    heading = Heading(
        words, words, "0.5.0", "gfx942", 3, 2, clean(failure) or None, {"vgprs": 3.0}, clean(base)
    )
    found = headed(text, heading)
    assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(text))
    assert found.endswith(text) or text.startswith("#")
    assert tokenize.detect_encoding(io.BytesIO(found.encode()).readline)[0] == "utf-8"


def test_shell_words_stay_on_one_line() -> None:
    assert shell(["a b", "it's", "x\ny"]) == "'a b' 'it'\"'\"'s' $'x\\ny'"


def test_table_leaves_out_what_is_zero_everywhere() -> None:
    assert table({"vgprs": 3, "sgprs": 0, "base.sgprs": 2}, "base") == [
        "       this  base",
        "vgprs     3     -",
        "sgprs     0     2",
    ]
    assert table({}, "base") == []


def test_clean() -> None:
    assert (
        clean("error at /home/me/x/llvm/lib/IR/Type.cpp:12: bad\n  thing")
        == "error at Type.cpp:12: bad thing"
    )
    said = (
        "failed to legalize operation 'fly.copy' that was explicitly marked illegal: %81 = \"fly.copy\"(%1)"
    )
    assert clean(said) == "failed to legalize operation 'fly.copy' that was explicitly marked illegal"
    assert len(clean("a b " * 1000)) <= LONGEST


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 1e6))), st.floats(0, 100), st.integers(0, 40))
def test_curve_has_its_width(points: list[tuple[float, float]], until: float, width: int) -> None:
    shown = curve(sorted(points), until, width)
    assert len(shown) == (width if points else 0)
    assert set(shown) <= set(BARS)


def test_curve_falls() -> None:
    assert curve([(0, 8), (5, 4), (7.5, 1)], 10, 4) == "█▅▂▂"


def test_duration() -> None:
    assert [duration(s) for s in (0.4, 59.4, 60, 3700)] == ["0 s", "59 s", "1 min 0 s", "1 h 1 min"]


def test_who_reads_arguments() -> None:
    for text in (
        "import sys\nsys.argv",
        "import argparse",
        "from .mine import x",
        "import helper",
        "__import__('sys')",
    ):
        assert reads_arguments(text), text
    assert not reads_arguments("import torch\nimport flydsl.expr as fx\nfrom flydsl import compiler\n")
