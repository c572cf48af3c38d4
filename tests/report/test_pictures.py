"""The pictures and the HTML report, of findings made by hand: whole, well-formed, nothing from elsewhere."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from flybisect.report.html import as_html
from flybisect.report.plots import commits, pictures, reduction, releases
from flybisect.report.side_by_side import beside
from flybisect.report.svg import ticks
from tests.report.test_markdown import FOUND, NOBODY, row

ROWS = [
    row("0.2.4", "skip"),
    row("0.3.0", "bad", vgprs=256, vgpr_spills=38),
    row("0.3.1", "good", vgprs=240, vgpr_spills=0),
]
REDUCTION = {
    "statements_before": 300,
    "statements_after": 76,
    "bytes_before": 9000,
    "bytes_after": 900,
    "compiles": 40,
    "seconds": 61.0,
    "minimal": False,
    "verified_cold": True,
}
VOID = frozenset({"meta", "col", "br", "img"})


def searched() -> dict[str, Any]:
    """A bisection of six candidates."""
    names = {0: "bad", 2: "bad", 5: "good"}
    tests = [
        {"candidate": at, "commit": f"{at}" * 40, "side": side, "way": "a release", "metrics": {}}
        | {"signature": None, "why": ""}
        for at, side in names.items()
    ]
    commit: dict[str, Any] = {
        "date": "2026-08-01",
        "subject": "x <b>",
        "pull_request": None,
        "touches": [],
        "llvm_pins": None,
    }
    listed = [{**commit, "hash": f"{at}" * 40, "likely": True} for at in (3, 4, 5)]
    return {
        "find": "fix",
        "candidates": 6,
        "commits": 9,
        "tests": tests,
        "culprits": listed,
        "first_good": {"test": {"candidate": 5}},
        "confirmed": False,
        "confirmation": "a range",
        "attribution": {"owner": "unknown", "why": "no pair works"},
        "notes": [],
        "monotone": True,
    }


class Nesting(HTMLParser):
    """Raises where an element is closed that is not open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_one_file_with_all_pictures() -> None:
    found = replace(
        FOUND,
        matrix={"releases": ROWS, "whole": True, "unreduced": ["0.2.4"]},
        commits=searched(),
        reduction=REDUCTION,
        curve=((0, 300), (10, 80), (40, 76)),
    )
    text = as_html(found, NOBODY)
    assert text.count("<svg") == 3
    assert "x &lt;b&gt;" in text
    assert "jane" not in text
    assert "/somewhere/x.txt" in text
    assert not re.search(r"""(?:src|href)=["'](?!https://github\.com/)|@import|<script|url\(""", text)
    page = Nesting()
    page.feed(text)
    assert page.open == []
    assert set(pictures(found)) == {"reduction", "releases", "commits"}


def test_a_page_without_pictures() -> None:
    """As of a script that was reduced elsewhere: there is a reduction, and no curve of it."""
    found = replace(FOUND, commits=searched(), reduction=REDUCTION, curve=())
    text = as_html(found, NOBODY)
    assert text.count("<svg") == len(pictures(found)) == 1
    assert "<svg" not in as_html(FOUND, NOBODY)


def test_pictures_are_xml_and_show_every_entry() -> None:
    drawn = ElementTree.fromstring(releases(ROWS, "--recast") or "")
    said = [each.text for each in drawn.iter() if each.text]
    assert {"0.2.4", "0.3.0", "0.3.1", "38"} <= set(said)
    strip = ElementTree.fromstring(commits(searched()) or "")
    tips = [each.text for each in strip.iter("{http://www.w3.org/2000/svg}title")]
    assert sum("not tested" in (tip or "") for tip in tips) == 3
    assert len(tips) == 6
    assert "one of these 3" in [each.text for each in strip.iter()]
    assert reduction([(0, 3)]) is None
    assert releases([], "") is None
    assert commits(None) is None


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**5)), min_size=2))
def test_any_curve_is_drawn(points: list[tuple[int, int]]) -> None:
    ElementTree.fromstring(reduction(sorted(points)) or "")


@settings(deadline=None)
@given(st.floats(0.001, 1e9))
def test_ticks_hold_the_top(top: float) -> None:
    marks = ticks(top)
    assert marks[0] == 0
    assert marks[-1] >= top
    assert len(marks) <= 8


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", ")", "", "c"])), st.lists(st.sampled_from(["a", "b", ")", "", "c"]))
)
def test_both_texts_stand_whole_beside_each_other(before: list[str], after: list[str]) -> None:
    one, other = "\n".join(before), "\n".join(after)
    pairs = beside(one, other)
    assert [pair.before for pair in pairs if pair.before is not None] == one.splitlines()
    assert [pair.after for pair in pairs if pair.after is not None] == other.splitlines()
    assert all(pair.before == pair.after for pair in pairs if pair.kind == "same")
