"""The releases around a bug: where it appeared, where it was fixed, or both where only some in the middle
have it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flybisect.bisect.answer import Answer, changes_to_dict
from flybisect.bisect.bisector import NoBoundary
from flybisect.bisect.endpoints import Find
from flybisect.bisect.release_search import ReleaseSearch
from flybisect.bisect.test_record import TestRecord, in_order
from flybisect.search.bisect import Side
from flybisect.toolchain.index import parsed

Searching = Callable[[Sequence[str]], ReleaseSearch]
"""From releases, oldest first, to a search over them."""


@dataclass(frozen=True)
class Around:
    """One boundary, or two with the bug between them."""

    answers: tuple[Answer, ...]
    """Oldest first."""

    @property
    def first(self) -> Answer:
        return self.answers[0]

    @property
    def tried(self) -> list[TestRecord]:
        """Every release that was tried once, in order."""
        tests: dict[str, TestRecord] = {}
        for answer in self.answers:
            for test in in_order(answer.tried):
                tests.setdefault(test.name, test)
        return [replace(test, at=at) for at, test in enumerate(tests.values())]

    @property
    def neighbours(self) -> tuple[str, ...]:
        """The releases beside the bug that do not have it."""
        return tuple(answer.before if answer.find is Find.BUG else answer.after for answer in self.answers)

    @property
    def last_with(self) -> str:
        """The newest release that is known to have it."""
        return [test.name for test in self.tried if test.side is Side.BAD][-1]

    def of(self, find: Find | None) -> Answer:
        """The boundary of that kind; the older one where there is none, or none was named."""
        return next((each for each in self.answers if each.find is find), self.first)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`: the older boundary's keys, those of the newer one beside, and a list of both."""
        listed = [answer.to_dict() for answer in self.answers]
        names = ("find", "last_good", "first_bad", "last_bad", "first_good", "between", "exact")
        data: dict[str, Any] = {}
        for each in reversed(listed):
            data |= each
        data["boundaries"] = [{name: each[name] for name in names if name in each} for each in listed]
        if len(listed) > 1:
            ran = [test for test in self.tried if test.observation is not None]
            for key in ("between", "skipped"):
                data[key] = [name for each in listed for name in each[key]]
            for key in ("exact", "monotone"):
                data[key] = all(each[key] for each in listed)
            data["range"] = "; ".join(each["range"] for each in listed if each["range"]) or None
            data["tests"] = [test.to_dict() for test in ran]
            data["test_count"] = len(ran)
            data["run_count"] = sum(test.runs for test in ran)
            data["signature_changes"] = changes_to_dict(ran)
        return data


def search_around(
    searching: Searching, versions: Sequence[str], shown_on: str | None, find: Find | None, jobs: int
) -> Around:
    """The boundary of the range; where its endpoints are alike, those on both sides of `shown_on`, a release
    that shows the bug. Raises UserError where there is none."""
    try:
        return Around((searching(versions).run(find, jobs),))
    except NoBoundary:
        at = _place(shown_on, versions)
        if at is None:
            raise
        sides = {Find.BUG: versions[: at + 1], Find.FIX: versions[at:]}
        answers = []
        for kind, part in sides.items():
            if find in (None, kind):
                try:
                    answers.append(searching(part).run(kind, jobs))
                except NoBoundary:
                    continue
        if not answers:
            raise
        return Around(tuple(answers))


def _place(version: str | None, versions: Sequence[str]) -> int | None:
    """Where it is among them; None for an endpoint, and for what is none of them."""
    wanted = None if version is None else parsed(version)
    found = [at for at, each in enumerate(versions) if wanted is not None and parsed(each) == wanted]
    return found[0] if found and 0 < found[0] < len(versions) - 1 else None
