"""What a reduction is expected to ask, for whoever tries it ahead."""

from __future__ import annotations

from typing import NamedTuple


class Guess(NamedTuple):
    """A script that may be asked about."""

    source: str
    trusted: bool = False
    """It would be trusted that what the case compares with is as it was."""
    observing: bool = False
    """What would be asked is not the verdict on it, but which lines ran and what it told."""
