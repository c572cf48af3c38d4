"""Which half owns a change: the two endpoints' natives and Python, crossed.

Where releases have the natives of both endpoints, each one's Python can be tested over the other's natives.
Such a pair is no build of any commit, so it shows which half owns the change and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from flybisect.bisect.test_record import TestRecord
from flybisect.git.build_inputs import Half, Inputs, touched
from flybisect.git.landmarks import Landmark
from flybisect.search.bisect import Side


class Owner(str, Enum):
    """The half that made the change."""

    PYTHON = "python"
    NATIVE = "native"
    EITHER = "either half alone"
    BOTH = "both halves together"
    OTHER = "neither half"
    """Both endpoints are built of the same: build scripts, or what the script imports, made it."""
    UNKNOWN = "unknown"

    def may_touch(self, touches: Sequence[str]) -> bool:
        """Whether a commit that touches this can have made the change, if halves do not act together."""
        if self is Owner.PYTHON:
            return Half.PYTHON in touches
        if self is Owner.NATIVE:
            return Half.NATIVE in touches or Half.LLVM in touches
        return True


@dataclass(frozen=True)
class Cell:
    """One endpoint's Python over the other's natives."""

    natives: Landmark
    python: str
    """Full hash of the commit whose Python it is."""
    tried: TestRecord

    def to_dict(self) -> dict[str, Any]:
        return {"natives": self.natives.version, "python": self.python, **self.tried.to_dict()}


@dataclass(frozen=True)
class Attribution:
    """What the crossed pairs say."""

    owner: Owner
    why: str
    llvm_pins: tuple[str | None, str | None]
    """Of the older and the newer endpoint."""
    cells: tuple[Cell, ...] = ()
    lenders: tuple[Landmark, ...] = ()
    """Releases under whose natives the endpoints' Python alone shows the one side and the other."""
    natives: tuple[Landmark, ...] = ()
    """Releases by whose natives a commit's Python can be judged, if both give the same verdict: those of the
    older and of the newer endpoint, where there are both; see `with_second`."""
    sure: bool = True
    """Nothing that was asked is unknown: both crossed pairs could be judged, or were not needed."""

    @property
    def llvm_changes(self) -> bool:
        return self.llvm_pins[0] != self.llvm_pins[1]

    def to_dict(self) -> dict[str, Any]:
        return {
            "owner": self.owner.value,
            "why": self.why,
            "llvm_pins": list(self.llvm_pins),
            "cells": [cell.to_dict() for cell in self.cells],
        }


@dataclass(frozen=True)
class Endpoint:
    """One endpoint of the range."""

    commit: str
    inputs: Inputs
    side: Side
    natives: Landmark | None
    """A release with the same natives."""


TRIES = 3
"""Releases that are tried for a second opinion; each may have to be installed."""

Cross = Callable[[Endpoint, Landmark], TestRecord]
"""Tests an endpoint's Python over a release's natives."""


def attribute(older: Endpoint, newer: Endpoint, cross: Cross) -> Attribution:
    """At most two tests."""
    pins = older.inputs.llvm_pin, newer.inputs.llvm_pin
    differ = touched(older.inputs, newer.inputs)
    native = Half.NATIVE in differ or Half.LLVM in differ
    if not native and Half.PYTHON not in differ:
        return Attribution(Owner.OTHER, f"the endpoints differ in {', '.join(differ)} alone", pins)
    if not native:
        lenders = tuple(each for each in (older.natives,) if each is not None)
        why = "both endpoints have the same natives"
        return Attribution(Owner.PYTHON, why, pins, lenders=lenders, natives=lenders)
    if Half.PYTHON not in differ:
        return Attribution(Owner.NATIVE, "both endpoints have the same Python", pins)
    if older.natives is None or newer.natives is None:
        which = "older" if older.natives is None else "newer"
        return Attribution(Owner.UNKNOWN, f"no release has the natives of the {which} endpoint", pins)
    cells = (
        Cell(older.natives, newer.commit, cross(newer, older.natives)),
        Cell(newer.natives, older.commit, cross(older, newer.natives)),
    )
    over_older, over_newer = (cell.tried.side for cell in cells)
    owner, why = _owner(over_older, over_newer, older.side, newer.side)
    works = ((newer.natives, over_newer is older.side), (older.natives, over_older is newer.side))
    lenders = tuple(mark for mark, yes in works if yes)
    natives = older.natives, newer.natives
    return Attribution(owner, why, pins, cells, lenders, natives, Side.SKIP not in (over_older, over_newer))


def with_second(
    found: Attribution, older: Endpoint, newer: Endpoint, others: Sequence[Landmark], cross: Cross
) -> Attribution:
    """Where the natives of one endpoint do not work under the other's Python, those of another release take
    their place, if they do. They have to show both sides with the Python of the endpoints."""
    cells = list(found.cells)
    for mark in others[:TRIES]:
        for end in (older, newer):
            cells.append(Cell(mark, end.commit, cross(end, mark)))
            if cells[-1].tried.side is not end.side:
                break
        else:
            return replace(found, cells=tuple(cells), natives=(*found.lenders[:1], mark))
    return replace(found, cells=tuple(cells), natives=())


def _owner(over_older: Side, over_newer: Side, old: Side, new: Side) -> tuple[Owner, str]:
    """`over_older`: the newer Python over the older natives; `over_newer`: the other way round."""
    known = {
        (new, old): Owner.PYTHON,
        (old, new): Owner.NATIVE,
        (new, new): Owner.EITHER,
        (old, old): Owner.BOTH,
    }
    owner = known.get((over_older, over_newer))
    if owner is not None:
        return owner, _WHY[owner]
    if over_older is new or over_newer is old:
        return Owner.PYTHON, "the one pair that could be judged follows its Python"
    if over_older is old or over_newer is new:
        return Owner.NATIVE, "the one pair that could be judged follows its natives"
    return Owner.UNKNOWN, "neither endpoint's Python works over the other's natives"


_WHY = {
    Owner.PYTHON: "each endpoint's Python shows its own side, over the other's natives too",
    Owner.NATIVE: "each endpoint's natives show their own side, under the other's Python too",
    Owner.EITHER: "the newer half shows the newer side, whichever half it is",
    Owner.BOTH: "only both newer halves together show the newer side",
}
