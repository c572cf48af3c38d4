"""Results of releases as rows of text, for Markdown and HTML. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from flybisect.workflows.figures import number

FIGURES = (
    ("VGPRs", "vgprs"),
    ("AGPRs", "agprs"),
    ("VGPR spills", "vgpr_spills"),
    ("SGPR spills", "sgpr_spills"),
    ("scratch bytes", "scratch_bytes"),
)
VERDICTS = {"bad": "shows the bug", "good": "clean", "skip": "cannot be judged"}
"""In words, by the side of a test."""
Row = tuple[str, tuple[str, ...]]
"""A release, and its cells."""


def release_rows(rows: Sequence[Mapping[str, Any]], base: str) -> tuple[list[str], list[Row]]:
    """Titles of the columns, and a row for each release of a matrix, oldest first."""
    shown = [
        (title, name)
        for title, name in FIGURES
        if any(row["metrics"].get(name) or row["metrics"].get(f"base.{name}") for row in rows)
    ]
    failing = any(failure_of(row) for row in rows)
    head = ["verdict"]
    for title, _ in shown:
        head += [title, f"{title}, {base}"] if base else [title]
    head += ["failure"] if failing else []
    found = []
    for row in rows:
        cells = [_verdict(row)]
        for _, name in shown:
            cells += [_figure(row, name), _figure(row, f"base.{name}")] if base else [_figure(row, name)]
        cells += [failure_of(row)] if failing else []
        found.append((str(row["version"]), tuple(cells)))
    return head, found


def variant_rows(variants: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[Row]]:
    """A column for each set of arguments, a row for each release."""
    versions = dict.fromkeys(str(row["version"]) for variant in variants for row in variant["releases"])
    by_name = [{str(row["version"]): row for row in variant["releases"]} for variant in variants]
    rows = [
        (version, tuple(_variant_cell(found[version]) if version in found else "" for found in by_name))
        for version in versions
    ]
    return [str(variant["args"]) or "no arguments" for variant in variants], rows


def failure_of(row: Mapping[str, Any]) -> str:
    """The line of the failure; for what cannot be judged, the reason."""
    signature = "" if row["metrics"] else row.get("signature")  # of figures it says nothing more
    return str(row.get("failure") or signature or (row["why"] if row["side"] == "skip" else ""))


def _verdict(row: Mapping[str, Any]) -> str:
    if row["side"] == "skip" and str(row["why"]).startswith("another failure"):
        return "another failure"
    return VERDICTS[row["side"]]


def _figure(row: Mapping[str, Any], name: str) -> str:
    value = row["metrics"].get(name)
    return "-" if value is None else number(value)


def _variant_cell(row: Mapping[str, Any]) -> str:
    failure = failure_of(row)
    if failure:
        return _short(failure)
    spills = row["metrics"].get("vgpr_spills")
    figures = f"{_figure(row, 'vgprs')} VGPRs" if row["metrics"].get("vgprs") else "no kernel compiled"
    return f"{figures}, {number(spills)} spills" if spills else figures


_LEGALIZATION = re.compile(r"failed to legalize operation '([\w.$-]+)'")


def _short(failure: str) -> str:
    found = _LEGALIZATION.search(failure)
    return f"cannot legalize {found[1]}" if found else failure
