"""Verdicts of this run, so that a candidate that was judged before costs nothing."""

from __future__ import annotations

import ast
import hashlib
from functools import lru_cache

from flybisect.observation import Verdict


class VerdictCache:
    """By text first, then by syntax tree: comments and layout change no compile."""

    def __init__(self) -> None:
        self._by_text: dict[str, Verdict] = {}
        self._by_tree: dict[str, Verdict] = {}

    def known(self, source: str) -> Verdict | None:
        found = self._by_text.get(source)
        return found if found is not None else self._by_tree.get(tree_key(source))

    def remember(self, source: str, verdict: Verdict) -> None:
        self._by_text[source] = verdict
        self._by_tree.setdefault(tree_key(source), verdict)


@lru_cache(maxsize=512)
def tree_key(source: str) -> str:
    """Equal for texts that differ in comments and layout only; a text that does not parse is its own."""
    try:
        text = ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        text = "\0" + source
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
