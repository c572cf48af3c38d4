"""A range of commits, ready for a search: its different FlyDSLs, and releases that help to obtain them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from flybisect.bisect.strategies import KnownLandmark
from flybisect.errors import UserError
from flybisect.git.build_inputs import Half, Inputs, touched
from flybisect.git.candidates import Candidate, candidates
from flybisect.git.commit import Commit
from flybisect.git.landmarks import landmarks
from flybisect.git.range import Range
from flybisect.git.repository import Repository
from flybisect.toolchain.index import Releases


@dataclass(frozen=True)
class CommitRange:
    """What is searched."""

    range: Range
    candidates: tuple[Candidate, ...]
    before: tuple[Inputs | None, ...]
    """For each candidate, the inputs of the parent of its first commit; None for one without a parent."""
    known: tuple[KnownLandmark, ...]
    """Releases whose commit is known; those nearest to the newer endpoint first."""
    own: tuple[Inputs, ...] = ()
    """For each candidate, the inputs of its first commit, where they need not be the candidate's."""

    def commit(self, at: int) -> Commit:
        """The one that stands for a candidate: the endpoints by their names, others by their first."""
        candidate = self.candidates[at]
        return candidate.last if at == len(self.candidates) - 1 else candidate.first

    def touches(self, at: int) -> tuple[str, ...]:
        """What a candidate's first commit changed itself; commits that paths leave out may come before it."""
        before = self.before[at]
        return () if before is None else touched(before, self._first(at))

    def pins(self, at: int) -> tuple[str | None, str | None] | None:
        """LLVM's pins before and after a candidate's first commit, where it changes them."""
        before = self.before[at]
        if before is None or Half.LLVM not in self.touches(at):
            return None
        return before.llvm_pin, self._first(at).llvm_pin

    def by_natives(self) -> CommitRange:
        """The same, where neighbours whose natives are built of the same are one candidate, whatever their
        Python is. What stands for a candidate is the commit that `commit` names."""
        groups: list[list[int]] = []
        for at, candidate in enumerate(self.candidates):
            if groups and _native_key(self.candidates[groups[-1][0]].inputs) == _native_key(candidate.inputs):
                groups[-1].append(at)
            else:
                groups.append([at])
        first = [self.candidates[group[0]].inputs for group in groups]
        merged = [
            Candidate(tuple(c for at in group for c in self.candidates[at].commits), inputs)
            for group, inputs in zip(groups, first, strict=True)
        ]
        merged[-1] = replace(merged[-1], inputs=self.candidates[-1].inputs)
        before = tuple(self.before[group[0]] for group in groups)
        return replace(self, candidates=tuple(merged), before=before, own=tuple(first))

    def _first(self, at: int) -> Inputs:
        return self.own[at] if self.own else self.candidates[at].inputs


def _native_key(inputs: Inputs) -> tuple[object, ...]:
    """What imports of the script are built of is with the Python half: crossed halves take them along."""
    return inputs.natives, inputs.scripts


def commit_range_of(
    repository: Repository, found: Range, versions: Releases, imported: Sequence[str]
) -> CommitRange:
    """Raises UserError where no commit of the range can make a difference to a compile."""
    history = [(commit, repository.inputs(commit.hash, imported)) for commit in found.commits]
    listed = candidates(history)
    if len(listed) < 2:
        raise UserError(
            f"none of the {len(found.commits) - 1} commits in the range changes anything that a compile "
            "depends on (native sources, python/flydsl, LLVM's pin, build scripts, what the script imports)"
        )
    known = {commit.hash: inputs for commit, inputs in history}
    before = tuple(_before(repository, candidate.first, known, imported) for candidate in listed)
    return CommitRange(found, tuple(listed), before, tuple(_known(repository, found, versions, imported)))


def _before(
    repository: Repository, commit: Commit, known: Mapping[str, Inputs], imported: Sequence[str]
) -> Inputs | None:
    if not commit.parents:
        return None
    return known.get(commit.parents[0]) or repository.inputs(commit.parents[0], imported)


def _newest(repository: Repository, newer: str) -> str:
    """The tip of the main branch, where that leads on from the newer endpoint.

    Dev releases are counted along it.
    """
    tips = [repository.find(name) for name in ("refs/remotes/origin/main", "refs/heads/main")]
    later = [tip for tip in tips if tip is not None and repository.ancestor(newer, tip)]
    return max((newer, *later), key=repository.count)


def _known(
    repository: Repository, found: Range, versions: Releases, imported: Sequence[str]
) -> Iterable[KnownLandmark]:
    marks = landmarks(repository, versions.versions, _newest(repository, found.newer.hash))
    wanted = repository.count(found.newer.hash)
    marks.sort(key=lambda mark: (abs(repository.count(mark.commit) - wanted), mark.version))
    known: dict[str, Inputs] = {}
    for mark in marks:
        if mark.commit not in known:
            known[mark.commit] = repository.inputs(mark.commit, imported)
        yield KnownLandmark(mark, known[mark.commit])
