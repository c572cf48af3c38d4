"""Letting the limit of registers come down with the code.

A register bug shows as spills only near the limit that the hardware sets, so it is lost with nearly every
cut: less code needs fewer registers. What stays is the difference: the case needs more registers than the
baseline. A limit of what the baseline needs turns that difference into spills again, at any size: 152
registers against 140, and no spills, become 14 spills against none under a limit of 144 (FlyDSL 0.3.0).

A limit adds text, so it is not judged by size but by the difference (`widens`). Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from flybisect.observation import Kernel
from flybisect.reduce.hint import Hint
from flybisect.source.cut import Cut
from flybisect.source.register_limit import kernel_calls, limit_of, limiting
from flybisect.source.scopes import Statements

GRANULE = 8
"""Registers by which a limit comes down at least; the hardware gives them out in such steps."""
LEAST = 16
"""Registers that a kernel is left with: under a lower limit LLVM spills whatever the code is."""
_NUMBER = re.compile(r"_\d+$")
_UNIFIED = re.compile(r"gfx9(0a|4.|5.)")


@dataclass(frozen=True)
class Sides:
    """One kernel of a script, as the case has it and as the baseline has it."""

    case: Kernel
    base: Kernel

    @property
    def difference(self) -> int:
        """Registers spilled by the case alone."""
        return self.case.vgpr_spills - self.base.vgpr_spills


def hint(table: Statements, sides: Sides, arch: str) -> Hint | None:
    """The limit that the baseline just meets, for all calls of the kernel. None where the case needs no more
    than the baseline, where the limit is that low already, and where the script gives it in another way.

    `sides`: what was seen of the script as it stands, or of a candidate that lost the bug by a cut, where
    both sides compile: then the candidate with the limit may have it.
    """
    calls = [call for name, call in kernel_calls(table) if name == _NUMBER.sub("", sides.case.name)]
    unit = 2 if _UNIFIED.match(arch) else 1
    now = [None if (number := limit_of(call)) is None else number * unit for call in calls]
    limit = _limit(sides, min((each for each in now if each is not None), default=None))
    if limit is None:
        return None
    edits = [limiting(table, call, limit // unit) for call in calls]
    found = frozenset(edit for edit in edits if edit is not None)
    if not found or len(found) < len(edits):
        return None
    return Hint(f"registers {sides.case.name}: {limit}", Cut(edits=found))


def _limit(sides: Sides, now: int | None) -> int | None:
    """Registers that the baseline does with; where it uses all that it may, a few less."""
    case, base = sides.case, sides.base
    if base.vgpr_spills or (case.vgprs <= base.vgprs and case.vgpr_spills == 0):
        return None
    needed = -(-base.vgprs // GRANULE) * GRANULE  # With less to spare, LLVM was seen to spill one.
    limit = needed if now is None or needed < now else now - GRANULE
    return limit if limit >= LEAST else None


def widens(before: Sides, after: Sides) -> bool:
    """True where a limit is worth its text: the case spills more than before, and the baseline does not."""
    return after.difference > before.difference and after.base.vgpr_spills <= before.base.vgpr_spills
