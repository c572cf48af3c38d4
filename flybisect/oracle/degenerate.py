"""Conditions over figures that hold although nothing differs, or nothing is measured. Pure.

A reduction follows its condition to the smallest script. A condition with a baseline that also holds where
the case and its baseline are the same (`vgpr_spills >= 4 * base.vgpr_spills`, with 0 on both sides) ends at
an empty kernel. So does one without a baseline that holds for an empty kernel (`vgprs <= 128`).
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from flybisect.observation import METRICS, Kernel, Observation, Outcome, Stage
from flybisect.oracle.conditions import Condition, MissingFigure
from flybisect.oracle.plugin import Evidence

MOST_TRIED = 1000
"""Assignments of values to the figures of one condition."""
_NAMESPACE = re.compile(r"^(first\.)?(base\.)?")
_COUNTER = re.compile(r"^(count|bases)\((.*)\)$")
_EMPTY_KERNELS = tuple(
    Kernel(
        "k",
        vgprs=vgprs,
        sgprs=sgprs,
        occupancy=occupancy,
        instructions={"s_endpgm": 1},
    )
    for vgprs, sgprs, occupancy in ((0, 0, 8), (1, 6, 10), (2, 16, 16), (4, 104, 20))
)
"""What kernels without a body come to on one target or another."""


@lru_cache(maxsize=64)
def held_by_the_same(condition: Condition) -> str | None:
    """Figures with which the condition holds although the case and its baseline are the same, as
    `vgprs 101, vgpr_spills 0`. None if none were found."""
    figures = sorted({_NAMESPACE.sub("", term) for term in condition.terms})
    for values in _assignments(len(figures), _values(condition)):
        assigned = dict(zip(figures, values, strict=True))
        seen = _observation(_kernel(assigned))
        if holds(condition, Evidence(seen, seen)):
            return ", ".join(f"{figure} {value}" for figure, value in assigned.items())
    return None


def held_when_empty(condition: Condition) -> bool:
    """True if a condition without a baseline holds for a kernel without a body."""
    return any(holds(condition, Evidence(_observation(kernel))) for kernel in _EMPTY_KERNELS)


def without_a_difference(condition: Condition, evidence: Evidence) -> str | None:
    """Why a condition with a baseline that holds shows no difference here; None if it shows one."""
    subject, baseline, first = evidence.subject, evidence.baseline, evidence.first or evidence
    if baseline is None:
        return None
    for seen, name in ((subject, "the script"), (baseline, "the baseline")):
        if holds(condition, Evidence(seen, seen, first)):
            return f"{condition.text} also holds for {name} compared with itself, so it shows no difference"
    now = condition.figures(evidence)
    start = condition.figures(first)
    for figure in sorted(name for name in now if name.startswith("bases(")):
        base = f"base.{figure}"
        if now[figure] and not now.get(base, 1) and start.get(base):
            return f"{base} measures nothing any more: the baseline has no such instruction"
    return None


def holds(condition: Condition, evidence: Evidence) -> bool:
    """False also where a figure is missing."""
    with suppress(MissingFigure):
        return condition.holds(evidence)
    return False


def _values(condition: Condition) -> Sequence[int]:
    """Those at which something may change come first."""
    tree = ast.parse(condition.text, mode="eval")
    numbers = [
        abs(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
    ]
    near = [int(number) + step for number in numbers for step in (-1, 0, 1, 2) if number + step >= 0]
    return list(dict.fromkeys([0, 1, *near, 600, 8, 64, *(2**power for power in range(1, 18))]))


def _assignments(count: int, values: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Equal ones, then as many combinations as are affordable, then some more, by a fixed seed."""
    for value in values:
        yield (value,) * count
    chosen = list(values)
    while chosen and prod([len(chosen)] * count) > MOST_TRIED:
        chosen.pop()
    yield from product(chosen, repeat=count)
    random_ = random.Random(0)
    for _ in range(MOST_TRIED if len(chosen) < len(values) else 0):
        yield tuple(random_.choice(values) for _ in range(count))


def _kernel(assigned: Mapping[str, int]) -> Kernel:
    metrics: dict[str, Any] = {name: assigned[name] for name in METRICS if name in assigned}
    counted: dict[str, dict[str, int]] = {"count": {}, "bases": {}}
    for figure, value in assigned.items():
        if found := _COUNTER.match(figure):
            counted[found[1]][ast.literal_eval(found[2])] = value
    return Kernel("k", **metrics, instructions={"": 0, **counted["count"]}, bases=counted["bases"])


def _observation(kernel: Kernel) -> Observation:
    return Observation(Outcome.OK, Stage.DONE, "", "", kernels=(kernel,))
