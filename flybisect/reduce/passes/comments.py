"""Comments, and blank lines beyond what style guides ask for."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.scopes import Statements
from flybisect.source.source import Source


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """One hint for all comments, then one for all surplus blank lines."""
    comments, blanks = comment_edits(table.source), blank_edits(table.source)
    found = []
    if comments:
        found.append(Hint(f"comments {len(table.source.text)}", Cut(edits=frozenset(comments)), 0))
    if blanks:
        found.append(Hint(f"blanks {len(table.source.text)}", Cut(edits=frozenset(blanks)), 1))
    return found


def comment_edits(source: Source) -> list[Edit]:
    """Edits that take out every comment, its line too where nothing else stands on it."""
    edits: list[Edit] = []
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type != tokenize.COMMENT:
            continue
        begin = source.line_starts[token.start[0] - 1]
        start, end = begin + token.start[1], begin + token.end[1]
        lead = source.text[begin:start]
        if lead.strip():
            edits.append(Edit(begin + len(lead.rstrip()), end))
        else:
            edits.append(Edit(begin, source.line_end(max(begin, end - 1))))
    return edits


def blank_edits(source: Source) -> list[Edit]:
    """Edits that leave at most two blank lines, one inside an indented block, none at either end."""
    keep = source.string_lines
    lines = [source.text[a:b] for a, b in zip(source.line_starts, source.line_starts[1:], strict=False)]
    edits: list[Edit] = []
    run = 0
    for at, line in enumerate(lines):
        if line.strip() or at + 1 in keep:
            run = 0
            continue
        run += 1
        following = next((text for text in lines[at + 1 :] if text.strip()), "")
        before = "".join(lines[:at]).strip()
        opens = bool(re.search(r":\s*$", before.rsplit("\n", 1)[-1])) if before else True
        allowed = 0 if opens or not following else 1 if following[:1] in " \t" else 2
        if run > allowed:
            edits.append(Edit(source.line_starts[at], source.line_starts[at + 1]))
    return edits


PASS = Pass("comments", "comments and surplus blank lines", hints, phase=PassPhase.COSMETIC)
