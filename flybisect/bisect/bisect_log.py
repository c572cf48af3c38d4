"""A bisection as `git bisect log` writes it and `git bisect replay` takes it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flybisect.bisect.endpoints import Find
from flybisect.git.commit import Commit
from flybisect.search.bisect import Side


@dataclass(frozen=True)
class Mark:
    """One answer."""

    commit: Commit
    side: Side


def bisect_log(
    older: Commit,
    newer: Commit,
    marks: Iterable[Mark],
    *,
    find: Find,
    first_parent: bool = False,
    paths: Sequence[str] = (),
) -> str:
    """`marks` in the order in which they were found, without those of the endpoints.

    Where the fix is looked for, git's words are `broken` and `fixed`, as it allows them to be chosen.
    """
    words = _words(find)
    old, new = words[_side(find, newer=False)], words[_side(find, newer=True)]
    terms = [f"--term-old={old}", f"--term-new={new}"] if find is Find.FIX else []
    first = ["--first-parent"] if first_parent else []
    below = ["--", *paths] if paths else []
    words_of_start = [*terms, *first, newer.hash, older.hash, *below]
    start = " ".join(["git bisect start", *(_quoted(word) for word in words_of_start)])
    lines = [_comment(new, newer), _comment(old, older), start]
    for mark in marks:
        word = words[mark.side]
        lines += [_comment(word, mark.commit), f"git bisect {word} {mark.commit.hash}"]
    return "\n".join(lines) + "\n"


def _words(find: Find) -> dict[Side, str]:
    if find is Find.BUG:
        return {Side.GOOD: "good", Side.BAD: "bad", Side.SKIP: "skip"}
    return {Side.GOOD: "fixed", Side.BAD: "broken", Side.SKIP: "skip"}


def _side(find: Find, *, newer: bool) -> Side:
    return Side.BAD if newer is (find is Find.BUG) else Side.GOOD


def _comment(word: str, commit: Commit) -> str:
    return f"# {word}: [{commit.hash}] {commit.subject}"


def _quoted(word: str) -> str:
    """As git quotes for itself; it reads nothing else in a log's first line."""
    return "'" + word.replace("'", r"'\''") + "'"
