"""The whole report, of findings made by hand: its length, what it leaves out, what it says of releases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flybisect.case.case import Baseline, Case
from flybisect.errors import UserError
from flybisect.observation import Kernel, Observation, Outcome, Stage
from flybisect.report.bundle import contents
from flybisect.report.markdown import LONGEST, as_markdown
from flybisect.report.redaction import Redaction
from flybisect.workflows.environment import Environment
from flybisect.workflows.findings import Findings, Script, ScriptFigures

NOBODY = Redaction(("/home/jane/x",), ("jane",))


def compiled(vgprs: int, spills: int) -> Observation:
    kernels = (Kernel("k", vgprs=vgprs, vgpr_spills=spills),)
    return Observation(Outcome.OK, Stage.DONE, "gfx950", "0.3.0", exit_code=0, kernels=kernels)


def script(text: str) -> Script:
    sides = {"as it stands": compiled(256, 38), "--recast": compiled(243, 0)}
    columns = (
        ScriptFigures(
            title, {"VGPRs": seen.metrics()["vgprs"], "VGPR spills": seen.metrics()["vgpr_spills"]}, seen
        )
        for title, seen in sides.items()
    )
    return Script(text, 3, tuple(columns))


def row(version: str, side: str, **metrics: int) -> dict[str, Any]:
    return {
        "version": version,
        "side": side,
        "why": "",
        "signature": None,
        "metrics": metrics,
        "failure": None,
    }


FOUND = Findings(
    folder=Path("/home/jane/x/sessions/1"),
    case=Case(
        Path("/home/jane/x/k.py"),
        arch="gfx950",
        flydsl="0.3.0",
        oracle="spills",
        baseline=Baseline(("--recast",)),
    ),
    oracle="spills",
    signature="spills",
    condition="vgpr_spills > base.vgpr_spills and base.vgpr_spills <= first.base.vgpr_spills",
    base="--recast",
    flydsl="0.3.0",
    arch="gfx950",
    original=script("a = 1\nb = 2\n"),
    reduced=script("import sys\n# by jane\nprint('/home/jane/x/x.txt')\n"),
    environment=Environment(
        "0.3.0", "ab" * 20, None, None, "3.11.7", "2.13", None, "LLD 19", "Debian", "x86_64"
    ),
)


def test_both_sides_and_the_condition_with_its_numbers() -> None:
    text = as_markdown(FOUND, NOBODY)
    assert text.startswith(
        "# 38 VGPR spills and 256 VGPRs, against 0 and 243 with --recast (gfx950, FlyDSL 0.3.0)\n"
    )
    assert "vgpr_spills > base.vgpr_spills and base.vgpr_spills <= 0" in text
    assert "| VGPR spills | 38 | 0 |" in text
    assert "jane" not in text
    assert "/somewhere/x.txt" in text
    assert "The script was not reduced." in text


CONDITION = 'bases("ds_read_b64") >= 16 and base.bases("ds_read_b64") <= 2'


def with_bases(seen: Script, here: int, there: int) -> Script:
    columns = []
    for column, bases in zip(seen.columns, (here, there), strict=True):
        kernel = replace(
            column.observation.kernels[0], instructions={"ds_read_b64": 40}, bases={"ds_read_b64": bases}
        )
        columns.append(replace(column, observation=replace(column.observation, kernels=(kernel,))))
    return replace(seen, columns=tuple(columns))


def test_the_cause_and_the_script_with_the_symptom() -> None:
    reduction = {
        **dict.fromkeys(("statements_before", "statements_after", "bytes_before", "bytes_after"), 1),
        "compiles": 1,
        "seconds": 1.0,
        "figure": {"figure": 'bases("ds_read_b64")'},
    }
    found = replace(
        FOUND,
        condition=CONDITION,
        original=with_bases(FOUND.original, 34, 2),
        reduced=with_bases(script("cause = 1\n"), 18, 2),
        symptom=with_bases(script("symptom = '/home/jane/x/y.txt'\n"), 30, 2),
        reduction=reduction,
    )
    text = as_markdown(found, NOBODY)
    words = "18 distinct base registers of ds_read_b64, against 2 with --recast"
    assert text.startswith(f"# {words} (gfx950, FlyDSL 0.3.0)\n")
    head, _, tail = text.partition("## The symptom")
    assert "cause = 1" in head
    assert "symptom = " not in head
    assert words in tail
    assert "symptom = '/somewhere/y.txt'" in tail
    assert "jane" not in text
    assert "\0" not in text
    assert found.judged.oracle == "isa"
    assert found.judged.when == CONDITION
    packed = contents(found, text, NOBODY)
    assert packed["symptom.py"].startswith("symptom = ")
    assert "--oracle isa" in packed["reproduce.sh"]
    assert "--figure" not in packed["reproduce.sh"]


def test_only_neighbours_that_were_all_tried_are_one_row() -> None:
    rows = [row("0.2.3", "bad", vgprs=9), row("0.3.0", "bad", vgprs=9), row("0.3.1", "good", vgprs=9)]
    found = replace(FOUND, matrix={"releases": rows, "whole": True, "unreduced": []})
    assert "| 0.2.3 to 0.3.0 | shows the bug |" in as_markdown(found, NOBODY)
    found = replace(found, unreduced=("0.2.3",))
    assert "| 0.2.3 † | shows the bug |" in as_markdown(found, NOBODY)
    found = replace(FOUND, matrix={"releases": rows, "whole": False, "unreduced": []})
    assert "| 0.3.0 | shows the bug |" in as_markdown(found, NOBODY)


def test_both_boundaries_and_where_it_compiles() -> None:
    releases = {"find": "bug", "last_good": "0.2.1", "first_bad": "0.2.2"}
    text = as_markdown(replace(FOUND, releases=releases), NOBODY)
    assert "It first appears in 0.2.2; 0.2.1 is the last good release." in text
    assert "It is fixed" not in text
    middle = {**releases, "last_bad": "0.2.3", "first_good": "0.2.4"}
    text = as_markdown(replace(FOUND, releases=middle), NOBODY)
    assert "It first appears in 0.2.2" in text
    assert "It is fixed in 0.2.4; 0.2.3 is the last affected release." in text


def test_every_release_shows_it_is_said_of_this_bug_only() -> None:
    rows = [row("0.2.3", "bad", vgprs=9), row("0.3.0", "bad", vgprs=9)]
    found = replace(FOUND, matrix={"releases": rows, "whole": True, "unreduced": []})
    assert "Every tested release shows it (0.2.3 to 0.3.0)." in as_markdown(found, NOBODY)
    other = {**row("0.3.1", "skip"), "why": "another failure: verifier: x"}
    found = replace(FOUND, matrix={"releases": [*rows, other], "whole": True, "unreduced": []})
    text = as_markdown(found, NOBODY)
    assert "Every release" not in text
    assert "It shows on 0.2.3, 0.3.0;" in text
    assert "| 0.3.1 | another failure |" in text


def test_a_commit_links_to_its_pull_request() -> None:
    commit = {
        "hash": "6f268ea8" + "0" * 32,
        "date": "2026-08-01T10:00:00+08:00",
        "author": "A",
        "subject": "Keep nested add_offset apart (#933)",
        "pull_request": 933,
        "touches": ["native"],
        "llvm_pins": None,
        "likely": True,
    }
    attribution = {"owner": "native", "why": "so it is", "llvm_pins": [None, None], "cells": []}
    commits = {
        "find": "fix",
        "culprits": [commit],
        "confirmed": True,
        "confirmation": "both tried exactly",
        "attribution": attribution,
        "notes": [],
        "tests": [],
        "monotone": True,
        "bound": None,
    }
    text = as_markdown(replace(FOUND, commits=commits), NOBODY)
    assert "## First good commit" in text
    assert "https://github.com/ROCm/FlyDSL/pull/933" in text
    assert "Keep nested add_offset apart" in text


def test_it_fits_or_says_so() -> None:
    long = script("x = 1  # some comment\n" * 2500)
    assert len(long.text) > 50_000
    text = as_markdown(replace(FOUND, reduced=long), NOBODY)
    assert len(text) <= LONGEST
    assert "cut here" not in text
    longer = script("x = 1  # some comment\n" * 4000)
    text = as_markdown(replace(FOUND, reduced=longer), NOBODY)
    assert len(text) <= LONGEST
    assert "cut here" in text
    with pytest.raises(UserError, match="GitHub"):
        as_markdown(FOUND, NOBODY, longest=200)
