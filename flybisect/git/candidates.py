"""A range of commits as a list of different FlyDSLs. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flybisect.git.build_inputs import Inputs
from flybisect.git.commit import Commit


@dataclass(frozen=True)
class Candidate:
    """Neighbouring commits with the same build inputs; testing one of them tests all."""

    commits: tuple[Commit, ...]
    """Oldest first. Only the first of them can have changed anything."""
    inputs: Inputs

    @property
    def first(self) -> Commit:
        return self.commits[0]

    @property
    def last(self) -> Commit:
        return self.commits[-1]


def candidates(history: Sequence[tuple[Commit, Inputs]]) -> list[Candidate]:
    """Of a line of commits, oldest first."""
    found: list[Candidate] = []
    for commit, inputs in history:
        if found and found[-1].inputs == inputs:
            found[-1] = Candidate((*found[-1].commits, commit), inputs)
        else:
            found.append(Candidate((commit,), inputs))
    return found
