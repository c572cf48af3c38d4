"""Names that stand nowhere yet."""

from __future__ import annotations


def fresh(wanted: str, taken: set[str]) -> str:
    """`wanted`, else `wanted_2`, `wanted_3`…, whichever is not taken; it is from now on."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name
