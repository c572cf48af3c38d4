"""Large random tensors for a GPU, made in no time: nothing computes with them, but they take a trial's time.

Their numbers repeat after the first `DRAWN`. Which numbers a GPU would have drawn no CPU tells anyway.
"""

from __future__ import annotations

from typing import Any

DRAWN = 1 << 18
"""Elements that are drawn; a smaller tensor is left alone."""
_UNDERSTOOD = frozenset({"device", "dtype", "size"})


def quick(torch: Any, func: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What `torch.randn` and `torch.rand` give; None where they are to be asked themselves."""
    if func not in (torch.randn, torch.rand) or not named.keys() <= _UNDERSTOOD:
        return None
    shape = named["size"] if "size" in named and not args else args
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = shape[0]
    if not all(isinstance(size, int) and size >= 0 for size in shape):
        return None
    count = 1
    for size in shape:
        count *= size
    if count <= DRAWN:
        return None
    drawn = func(DRAWN, dtype=named.get("dtype"))
    return drawn.repeat(-(-count // DRAWN))[:count].view(tuple(shape))
