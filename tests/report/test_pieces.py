"""The pure parts of a report: cells of Markdown, tables, and the condition in `reproduce.sh`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from flybisect.observation import Diagnostic, Observation, Outcome, Stage
from flybisect.report import command
from flybisect.report.cells import code, fence, merged, plain, table
from flybisect.report.fingerprints import marks
from flybisect.report.tables import release_rows, variant_rows

SEEN = Observation(Outcome.EXCEPTION, Stage.PASSES, "gfx942", "0.5.0")


@given(st.text())
def test_a_fence_holds_what_is_in_it(text: str) -> None:
    lines = fence(text, "python").split("\n")
    marks = lines[0].removesuffix("python")
    assert lines[-1] == marks
    assert not any(line.startswith(marks) for line in "\n".join(lines[1:-1]).split("\n"))


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])))
def test_code_stays_in_its_cell(text: str) -> None:
    assert not re.search(r"(?<!\\)\|", code(text))
    assert code(text).count("`") in (0, 2)


def test_plain_is_no_markup_and_mentions_nobody() -> None:
    assert plain("a_b *x* <br> @me") == "a_b \\*x\\* \\<br\\> @\u200bme"


def test_neighbours_that_are_alike_are_one_row() -> None:
    rows = [("0.1", ("x",)), ("0.2", ("x",)), ("0.3", ("y",)), ("0.4", ("x",))]
    assert merged(rows) == [("0.1 to 0.2", ("x",)), ("0.3", ("y",)), ("0.4", ("x",))]
    assert table(["a", "b"], [["1", "2"]], right=[1]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"


def _row(version: str, side: str, why: str = "", **metrics: int) -> dict[str, Any]:
    named = {name.replace("base_", "base."): value for name, value in metrics.items()}
    return {"version": version, "side": side, "why": why, "signature": None, "metrics": named}


def test_release_rows_show_both_sides() -> None:
    rows = [
        _row("0.3.0", "bad", vgprs=256, vgpr_spills=38, base_vgprs=243, base_vgpr_spills=0),
        _row("0.3.1", "good", vgprs=240, vgpr_spills=0, base_vgprs=240, base_vgpr_spills=0),
    ]
    head, found = release_rows(rows, "--recast")
    assert head == ["verdict", "VGPRs", "VGPRs, --recast", "VGPR spills", "VGPR spills, --recast"]
    assert found[0] == ("0.3.0", ("shows the bug", "256", "243", "38", "0"))
    head, found = release_rows([_row("0.1.8", "skip", "no API")], "")
    assert (head, found) == (["verdict", "failure"], [("0.1.8", ("cannot be judged", "no API"))])


def test_variants_beside_each_other() -> None:
    one = {
        "args": "--copy 32",
        "releases": [_row("0.3.0", "good", vgprs=24), _row("0.3.1", "good", vgprs=26)],
    }
    failed = {**_row("0.3.1", "bad"), "failure": "failed to legalize operation 'fly.x' that was marked"}
    other = {"args": "", "releases": [failed]}
    assert variant_rows([one, other]) == (
        ["--copy 32", "no arguments"],
        [("0.3.0", ("24 VGPRs", "")), ("0.3.1", ("26 VGPRs", "cannot legalize fly.x"))],
    )


def test_marks_are_what_does_not_drift() -> None:
    def said(text: str) -> Observation:
        return replace(SEEN, diagnostics=(Diagnostic("error", text, "mlir"),))

    assert marks(said("failed to legalize operation 'fly.x' that was explicitly marked illegal: %3 = …")) == [
        "failed to legalize operation 'fly.x'"
    ]
    assert marks(said("'ub.poison' op register operand/result remain after rmem SSA promotion")) == [
        "'ub.poison' op register operand/result remain after rmem SSA promotion"
    ]
    text = 'castIsValid(op, S, Ty) && "Invalid cast!"'
    assertion = f"python: /x/Instructions.cpp:3045: static X* C::Create(int): Assertion `{text}' failed."
    aborted = Observation(Outcome.SIGNAL, Stage.CODEGEN, "gfx942", "0.3.0", signal=6, stderr=assertion)
    assert marks(aborted) == ["castIsValid(op, S, Ty)"]
    assert marks(replace(SEEN, outcome=Outcome.OK)) == []


@given(st.text(st.characters(codec="ascii", exclude_characters="\0\r")))
def test_a_heredoc_ends_behind_its_text(text: str) -> None:
    lines = command.heredoc("x", text + "\nEOF\n").split("\n")
    end = lines[0].split("'")[1]
    assert lines[-1] == end
    assert end not in lines[1:-1]
