"""Choosing passes by their names."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from flybisect.errors import UserError
from flybisect.reduce.hint import Pass


def select(passes: Sequence[Pass], only: str | None, without: str | None) -> tuple[Pass, ...]:
    """In their own order. `only` and `without` are names with commas between them.

    Raises UserError for a name that no pass has, and when none is left.
    """
    wanted = {each.name for each in passes} if only is None else _names(only, passes)
    wanted -= set() if without is None else _names(without, passes)
    if not wanted:
        raise UserError("no pass is left; see `flybisect passes` for those that there are")
    return tuple(each for each in passes if each.name in wanted)


def _names(text: str, passes: Sequence[Pass]) -> set[str]:
    known = list(dict.fromkeys(each.name for each in passes))
    names = [name for part in text.split(",") if (name := part.strip())]
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise UserError(f"there is no pass {name!r}{hint}; there are {', '.join(known)}")
    return set(names)
