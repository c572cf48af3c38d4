"""What is known of a commit."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = re.compile(r"\(#(\d+)\)")


@dataclass(frozen=True)
class Commit:
    """A commit's facts."""

    hash: str
    """40 hex digits."""
    parents: tuple[str, ...]
    date: str
    """When it was committed, ISO 8601 with offset."""
    author: str
    subject: str

    @property
    def short(self) -> str:
        return self.hash[:8]

    @property
    def pull_request(self) -> int | None:
        """Of the last `(#N)` in the subject: one that is picked or reverted names another before."""
        found = _NUMBER.findall(self.subject)
        return int(found[-1]) if found else None

    @property
    def merge(self) -> bool:
        return len(self.parents) > 1
