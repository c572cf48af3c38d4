"""A release that cannot be installed is a row of its own, and ends no table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

from flybisect.bisect.matrix import Matrix, changes, row
from flybisect.bisect.observer import Observer
from flybisect.bisect.test_record import TestRecord
from flybisect.errors import UserError
from flybisect.oracle.plugin import Evidence
from flybisect.search.bisect import Side
from flybisect.terminal.matrix import as_markdown
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.toolchains import Toolchains
from flybisect.workflows.matrix import record_of, try_ends
from tests.judge.replay import SUBJECT
from tests.oracle.recorded import recorded

RELEASES = ("0.1.8", "0.2.4", "0.3.1", "0.5.0")


class Installable(Toolchains):
    """Has some releases."""

    def __init__(self, *versions: str) -> None:
        self._versions = versions

    def get(self, spec: str) -> Toolchain:
        if spec not in self._versions:
            raise UserError(f"FlyDSL {spec} cannot be installed")
        return replace(SUBJECT, version=spec)


class Ends(Observer):
    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def ends(self, older: Toolchain, newer: Toolchain) -> tuple[Evidence, Evidence]:
        self.seen.append((older.version, newer.version))
        return cast(tuple[Evidence, Evidence], ())


def of(at: int, version: str, toolchain: Toolchain) -> TestRecord:
    return row(at, version, toolchain, Evidence(recorded(f"gemm_buffer64@{version}")), None)


def test_a_release_that_cannot_be_installed_says_why() -> None:
    there = Installable("0.2.4", "0.5.0")
    rows = [record_of(at, version, there, of) for at, version in enumerate(RELEASES)]
    assert [each.name for each in rows] == list(RELEASES)
    assert [each.side is Side.SKIP for each in rows] == [True, False, True, False]
    assert rows[0].to_dict()["why"] == "FlyDSL 0.1.8 cannot be installed"
    assert "FlyDSL 0.3.1 cannot be installed" in as_markdown(rows)
    assert Matrix(Path("k.py"), tuple(rows)).to_dict()["releases"][2]["version"] == "0.3.1"
    # It is no neighbour of those that were tried.
    alone = [each for each in rows if each.observation is not None]
    assert changes(rows) == changes(alone)


def test_the_ends_are_the_outermost_that_can_be_installed() -> None:
    for there, expected in (
        (RELEASES, [("0.1.8", "0.5.0")]),
        (("0.2.4", "0.3.1"), [("0.2.4", "0.3.1")]),
        (("0.2.4",), [("0.2.4", "0.2.4")]),
        ((), []),
    ):
        observer = Ends()
        try_ends(RELEASES, Installable(*there), observer)
        assert observer.seen == expected
