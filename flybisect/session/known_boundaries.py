"""What earlier searches over releases say about a case: which have its bug, and which do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flybisect.case.atomic_file import read_text
from flybisect.case.case import Case
from flybisect.case.flattened_script import FlattenedScript
from flybisect.session.listing import SessionEntry, sessions
from flybisect.session.parts import Part, load_part
from flybisect.toolchain.index import parsed


@dataclass(frozen=True)
class KnownBoundaries:
    """The boundaries that a search found, oldest first: the last without and the first with, or the other
    way round."""

    appeared: tuple[str, str] | None
    """Last good, first bad."""
    fixed: tuple[str, str] | None
    """Last bad, first good."""

    @property
    def neighbours(self) -> tuple[str, ...]:
        """Releases beside the bug that do not have it."""
        return (*(() if self.appeared is None else self.appeared[:1]), *(self.fixed or ())[1:])

    def fixed_before(self, version: str) -> bool:
        """Whether it is known that this version does not have the bug any more."""
        one, other = parsed(version), None if self.fixed is None else parsed(self.fixed[1])
        return one is not None and other is not None and one >= other


def known_boundary(workdir: Path, case: Case, script: FlattenedScript) -> KnownBoundaries | None:
    """Of the last search over releases about the same case; None without one."""
    found = None
    for entry in sessions(workdir):
        releases = _releases(entry)
        if releases is not None and _same(entry, case, script):
            found = _known(releases) or found
    return found


def _releases(entry: SessionEntry) -> Mapping[str, Any] | None:
    found = entry.result.get("releases") or load_part(entry.folder, Part.RELEASES)
    return found if isinstance(found, dict) else None


def _same(entry: SessionEntry, case: Case, script: FlattenedScript) -> bool:
    """The same text and question, whatever FlyDSL; `auto` may have become any oracle."""
    other = entry.case
    if _question(other) != _question(case):
        return False
    oracles = {other.oracle, case.oracle}
    if len(oracles) > 1 and "auto" not in oracles:
        return False
    try:
        return read_text(entry.folder / "input.py") in (script.text, script.source)
    except OSError:
        return False


def _question(case: Case) -> tuple[object, ...]:
    patterns = (case.pattern, case.absent, case.stage, case.command, case.same_as)
    return case.script.absolute(), case.arguments, case.arch, case.baseline, case.when, patterns


def _known(releases: Mapping[str, Any]) -> KnownBoundaries | None:
    pairs = []
    for names in (("last_good", "first_bad"), ("last_bad", "first_good")):
        one, other = (releases.get(name) for name in names)
        pairs.append((one, other) if isinstance(one, str) and isinstance(other, str) else None)
    return KnownBoundaries(*pairs) if any(pairs) else None
