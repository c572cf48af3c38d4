"""By how much each figure of a case differs from its baseline's, and which of them to follow. Pure.

A figure has the name that a condition gives it: `vgpr_spills`, `count("v_or_b32_e32")`,
`bases("ds_read_b64_tr_b16")`. As in a condition, one kernel is compared: for each figure the one that is the
worst by it (`flybisect.oracle.kernels`).

How much two values differ is their ratio, with one added to both so that 0 has one too: 44 spills to 0 are
45, 256 registers to 242 are 1.06. Bytes count in words of four.

What a bug causes and what it is are told apart by kind. A figure of kind `pressure` depends on how many
registers are left, and its difference goes away with the code around it: registers, spills, scratch memory
and its traffic, occupancy, copies, waits. What stays when the code goes is of kind `structure` (distinct base
registers, LDS) or `instructions` (how often one stands in the assembly). `steadiest` prefers the first of
these to the second, since one operation may be written by several instructions. What differs no more than the
size of the code does is no cause.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any

from flybisect.errors import UserError
from flybisect.observation import METRICS, Observation
from flybisect.oracle.conditions import parse
from flybisect.oracle.margins import is_from_nothing
from flybisect.oracle.plugin import Evidence

MARKED_RATIO = 1.5
"""Of a difference that `steadiest` may choose, at least."""
MARKED_AMOUNT = 4
"""The same for the difference itself, bytes in words of four: fewer can have any cause."""
ALL = 'count("*")'
"""How many instructions there are: the size of the code, and no cause by itself."""
SCRATCH_BY_BUFFER = frozenset({"gfx908", "gfx90a", *(f"gfx103{digit}" for digit in range(7))})
"""Of the known targets, those without flat scratch as LLVM's default ("AMDGPU Usage", `Scratch`)."""

_BYTES = ("scratch_bytes", "lds_bytes")
_ALLOCATION = (
    *("scratch_*", "v_mov_b*", "s_mov_b*", "v_accvgpr_*", "v_writelane*", "v_readlane*", "v_swap*"),
    *("s_nop*", "v_nop*", "s_wait*", "s_delay_alu*", "s_clause*", "s_set_vgpr_msb*"),
)
"""Mnemonics that register allocation and what follows it put in: spills, copies, waits."""


class FigureKind(str, Enum):
    STRUCTURE = "structure"
    INSTRUCTIONS = "instructions"
    PRESSURE = "pressure"


@dataclass(frozen=True)
class Difference:
    """One figure of the case and of its baseline."""

    figure: str
    this: int
    base: int
    kind: FigureKind

    @property
    def ratio(self) -> float:
        """At least 1; exactly 1 for equal values."""
        low, high = sorted((self.this, self.base))
        unit = 4 if self.figure in _BYTES else 1
        return (high / unit + 1) / (low / unit + 1)

    @property
    def rises(self) -> bool:
        """The case's value is the higher one."""
        return self.this > self.base

    @property
    def least(self) -> int:
        """How much of the difference has to stay in a reduced script: half, since a small rest can have
        another cause; 1 for a figure that is 0 without the bug."""
        return 1 if self.rises and is_from_nothing(self.figure) else math.ceil(abs(self.this - self.base) / 2)

    @property
    def condition(self) -> str:
        """What a candidate has to show, as `--when` takes it: enough of the difference in the same direction.
        The baseline must not rise. The first part saves its compile."""
        name, least = self.figure, self.least
        if self.rises:
            return f"{name} >= {least} and {name} - base.{name} >= {least} and base.{name} <= {self.base}"
        return f"base.{name} - {name} >= {least}"

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "figure": self.figure,
            "this": self.this,
            "base": self.base,
            "ratio": round(self.ratio, 3),
            "kind": self.kind.value,
        }


def differences(evidence: Evidence) -> tuple[Difference, ...]:
    """All figures that differ, the largest ratio first. Empty unless both sides have a kernel."""
    subject, baseline = evidence.subject, evidence.baseline
    if baseline is None or not subject.kernels or not baseline.kernels:
        return ()
    found = (difference(figure, evidence) for figure in _figures(subject, baseline))
    return ranked([each for each in found if each is not None and each.this != each.base])


def ranked(found: Sequence[Difference]) -> tuple[Difference, ...]:
    """The largest ratio first; of equal ones what is no matter of pressure, then metrics before counts."""
    kinds = list(FigureKind)
    return tuple(
        sorted(found, key=lambda d: (-d.ratio, kinds.index(d.kind), d.figure not in METRICS, d.figure))
    )


def difference(figure: str, evidence: Evidence) -> Difference | None:
    """Of one figure (see `checked_figure`); None where one side has no such value."""
    found = parse(f"{figure} > base.{figure}").figures(evidence)
    name = ast.unparse(ast.parse(figure, mode="eval"))
    if not {name, f"base.{name}"} <= found.keys():
        return None
    return Difference(figure, int(found[name]), int(found[f"base.{name}"]), _kind(figure, evidence.subject))


def steadiest(found: Sequence[Difference]) -> Difference | None:
    """The figure that a reduction follows best: the case has more of it, by a clear difference, also beside
    that of all instructions, and it needs no register pressure. None where there is none. See the module's
    text."""
    size = max((each.ratio for each in found if each.figure == ALL and each.rises), default=1.0)
    clear = [
        each
        for each in found
        if each.rises
        and each.kind is not FigureKind.PRESSURE
        and each.figure != ALL
        and each.ratio >= MARKED_RATIO * size
        and each.this - each.base >= MARKED_AMOUNT * (4 if each.figure in _BYTES else 1)
    ]
    kinds = list(FigureKind)
    return min(clear, key=lambda each: (kinds.index(each.kind), -each.ratio, each.figure), default=None)


def in_words(figure: str) -> str:
    """For a sentence, after a number."""
    counter, mnemonic = _parts(figure)
    if not counter:
        return figure.replace("_", " ")
    return f"distinct base registers of {mnemonic}" if counter == "bases" else f"{mnemonic} instructions"


def checked_figure(text: str) -> str:
    """The name of a figure, in the way that a condition writes it. Raises UserError for anything else."""
    figure = text.strip()
    try:
        named = parse(f"({figure}) >= 0").terms
        own = {ast.unparse(ast.parse(figure, mode="eval"))}
    except (UserError, SyntaxError):
        named, own = frozenset(), set()
    if named != own or not own or any("." in name.partition("(")[0] for name in own):
        raise UserError(
            f"{text!r} is no figure; a figure is one of {', '.join(METRICS)}, "
            'count("MNEMONIC") or bases("MNEMONIC")'
        )
    return figure


def _figures(*observations: Observation) -> Iterator[str]:
    kernels = [kernel for each in observations for kernel in each.kernels]
    yield from METRICS
    if any(not any(kernel.instructions for kernel in each.kernels) for each in observations):
        return
    yield ALL
    for name in sorted({name for kernel in kernels for name in kernel.instructions}):
        yield f'count("{name}")'
    for name in sorted({name for kernel in kernels for name in kernel.bases}):
        yield f'bases("{name}")'


def _kind(figure: str, seen: Observation) -> FigureKind:
    counter, mnemonic = _parts(figure)
    if not counter:
        return FigureKind.STRUCTURE if figure == "lds_bytes" else FigureKind.PRESSURE
    allocation = (*_ALLOCATION, *(("buffer_*",) if seen.arch in SCRATCH_BY_BUFFER else ()))
    if any(fnmatchcase(mnemonic, pattern) for pattern in allocation):
        return FigureKind.PRESSURE
    return FigureKind.STRUCTURE if counter == "bases" else FigureKind.INSTRUCTIONS


def _parts(figure: str) -> tuple[str, str]:
    """`("bases", "ds_read*")`; two empty texts for a metric."""
    tree = ast.parse(figure, mode="eval").body
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return "", ""
    argument = tree.args[0]
    return tree.func.id, str(argument.value) if isinstance(argument, ast.Constant) else ""
