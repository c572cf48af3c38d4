"""From `v1..main` to a line of commits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flybisect.errors import UserError
from flybisect.git.commit import Commit
from flybisect.git.repository import Repository


@dataclass(frozen=True)
class Range:
    """A line of commits to search, the older end first."""

    commits: tuple[Commit, ...]
    """The first is the older end, or its merge base with the newer one; the last is the newer end."""
    older: Commit
    """What was given as the older end."""
    paths: tuple[str, ...]
    unlisted_end: bool
    """The newer end itself touches none of `paths`, and is there as an end alone."""
    merges: bool
    """There are merges in it: the line is the one of first parents."""

    @property
    def base(self) -> Commit | None:
        """The merge base, where the older end is not an ancestor of the newer one."""
        return None if self.commits[0].hash == self.older.hash else self.commits[0]

    @property
    def newer(self) -> Commit:
        return self.commits[-1]


def read_range(
    repository: Repository, text: str, *, first_parent: bool = False, paths: Sequence[str] = ()
) -> Range:
    """Raises UserError where it is no range, an end is unknown, or nothing lies between the two."""
    left, right = _ends(text)
    older, newer = repository.commit(left), repository.commit(right)
    if older == newer:
        raise UserError(f"{text}: both ends are the commit {older[:12]}; there is nothing between them")
    base = repository.merge_base(older, newer)
    if base is None:
        more = "; the clone is shallow, `git fetch --unshallow` brings the rest" if repository.shallow else ""
        raise UserError(f"{text}: the two have no commit in common{more}")
    if base == newer:
        raise UserError(f"{text} is empty: {right} is older than {left}; write {right}..{left}")
    listed = repository.between(base, newer, first_parent=first_parent, paths=paths)
    merges = any(commit.merge for commit in listed)
    if merges and not first_parent:
        listed = repository.between(base, newer, first_parent=True, paths=paths)
    unlisted = not listed or listed[-1].hash != newer
    if not listed:
        raise UserError(f"{text}: no commit in it touches {' '.join(paths)}")
    end = [repository.facts(newer)] if unlisted else []
    return Range(
        commits=(repository.facts(base), *listed, *end),
        older=repository.facts(older),
        paths=tuple(paths),
        unlisted_end=unlisted,
        merges=merges,
    )


def _ends(text: str) -> tuple[str, str]:
    if "..." in text:
        raise UserError(f"{text}: three dots are no range to search; write GOOD..BAD with two")
    left, dots, right = text.partition("..")
    if not dots or not left:
        raise UserError(f"{text!r} is no range of commits; write it as v0.2.4..main")
    return left, right or "HEAD"
