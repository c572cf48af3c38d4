"""Both sides of a bug that is in the middle only; the search itself is that of every range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from flybisect.bisect.around import Around, search_around
from flybisect.bisect.bisector import NoBoundary
from flybisect.bisect.endpoints import EndpointOracle, Find
from flybisect.bisect.observer import Observer
from flybisect.bisect.release_search import ReleaseSearch
from flybisect.observation import Observation, Signature
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load
from flybisect.search.bisect import Side
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.toolchains import Toolchains
from tests.oracle.recorded import recorded

CLEAN = recorded("mfma_bf16@0.5.0")
BUG = recorded("gemm_buffer64@0.5.0")
OTHER = recorded("gemm_buffer128@0.5.0")
NAMES = ("0.2.0", "0.2.1", "0.2.2", "0.2.3", "0.2.4", "0.3.0")


class Named(Toolchains):
    """Nothing is installed."""

    def __init__(self) -> None:
        super().__init__(Path("/nowhere"), lambda line: None)

    def get(self, spec: str) -> Toolchain:
        return Toolchain(spec, "release", spec, spec, Path("python"))


@dataclass(frozen=True)
class Shows(Observer):
    """One observation for each release."""

    by_name: dict[str, Observation]

    @property
    def mark(self) -> str:
        return "m"

    def ends(self, older: Toolchain, newer: Toolchain) -> tuple[Evidence, Evidence]:
        return self.observe(older), self.observe(newer)

    def observe(self, toolchain: Toolchain) -> Evidence:
        return Evidence(self.by_name[toolchain.version])

    def again(self, toolchain: Toolchain, worth: object) -> Evidence:
        return self.observe(toolchain)


def around(
    shown: Sequence[Observation], on: str | None, find: Find | None = None, oracle: str = "auto"
) -> Around:
    observer = Shows(dict(zip(NAMES, shown, strict=True)))
    measure = EndpointOracle(load(oracle), Options(), Signature("legalization", "fly.copy_atom_call_ssa"))

    def searching(part: Sequence[str]) -> ReleaseSearch:
        return ReleaseSearch(part, Named(), observer, measure)

    return search_around(searching, NAMES, on, find, 1)


MIDDLE = (CLEAN, CLEAN, BUG, BUG, CLEAN, CLEAN)


def test_both_sides_of_the_release_that_shows_it() -> None:
    data = around(MIDDLE, "0.2.2").to_dict()
    keys = ("last_good", "first_bad", "last_bad", "first_good")
    assert [data[key] for key in keys] == ["0.2.1", "0.2.2", "0.2.3", "0.2.4"]
    assert [each["find"] for each in data["boundaries"]] == ["bug", "fix"]
    names = [test["name"] for test in data["tests"]]
    assert names == sorted(set(names))
    assert around(MIDDLE, "v0.2.3").neighbours == ("0.2.1", "0.2.4")
    assert around(MIDDLE, "0.2.3").last_with == "0.2.3"


def test_one_side_where_one_is_asked_for() -> None:
    data = around(MIDDLE, "0.2.2", Find.FIX).to_dict()
    assert (data["last_bad"], data["first_good"]) == ("0.2.3", "0.2.4")
    assert "first_bad" not in data


@pytest.mark.parametrize("on", [None, "0.2.0", "0.3.0", "0.2.1"])
def test_ends_that_are_alike_stay_refused_without_one_that_shows_it(on: str | None) -> None:
    with pytest.raises(NoBoundary, match="alike"):
        around(MIDDLE, on)


def test_an_end_with_another_failure_is_neither() -> None:
    found = around((OTHER, CLEAN, BUG, BUG, CLEAN, OTHER), "0.2.2")
    assert found.neighbours == ("0.2.1", "0.2.4")
    assert found.tried[0].side is Side.SKIP
    with pytest.raises(NoBoundary):
        around((OTHER, OTHER, BUG, BUG, BUG, BUG), "0.3.0")
    with pytest.raises(NoBoundary):
        around((CLEAN, CLEAN, CLEAN, OTHER, OTHER, OTHER), None, oracle="verifier")
