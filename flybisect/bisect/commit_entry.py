"""A commit as an entry of the bisection: the ways to obtain it, and which of them are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flybisect.bisect.entry import Attempt
from flybisect.bisect.strategies import Strategies, Strategy
from flybisect.bisect.toolchain_provider import ToolchainProvider
from flybisect.git.build_inputs import Inputs
from flybisect.git.commit import Commit


@dataclass(frozen=True)
class CommitEntry:
    """A commit, which stands for its neighbours with the same build inputs."""

    commit: Commit
    inputs: Inputs
    strategies: Strategies
    supply: ToolchainProvider
    merge_base: bool = False

    @property
    def name(self) -> str:
        return self.commit.hash

    @property
    def label(self) -> str:
        return f"{self.commit.short} (the merge base)" if self.merge_base else self.commit.short

    @property
    def costly(self) -> bool:
        return self.strategies.build_needed(self.inputs, self.commit.hash)

    def attempts(self) -> Sequence[Attempt]:
        return self._attempts(self.strategies.all(self.inputs, self.commit.hash))

    def exact(self, *, build: bool = True) -> Sequence[Attempt]:
        """Those that are the commit itself; without `build`, only those that need none."""
        attempts = self._attempts(self.strategies.exact(self.inputs, self.commit.hash))
        return [attempt for attempt in attempts if build or not attempt.builds]

    def why_none(self) -> str:
        return self.strategies.why_none(self.commit.hash)

    def _attempts(self, ways: Sequence[Strategy]) -> list[Attempt]:
        return [self.supply.attempt(self.commit.hash, self.inputs, way) for way in ways]
