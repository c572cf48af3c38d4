"""Bisecting the releases: between which two the bug came, or went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from flybisect.bisect.endpoints import (
    EndpointOracle,
    EndpointRule,
    EndpointsAlike,
    Find,
    shows,
)
from flybisect.bisect.observer import Observer
from flybisect.bisect.repeated_runs import (
    STEADY,
    FlakyAnswers,
    RepeatedRuns,
    rule_of_ends,
)
from flybisect.bisect.test_record import TestRecord, in_order, signature_changes
from flybisect.errors import UserError
from flybisect.judge.flaky import FlakinessNotes
from flybisect.observation import Answer, Verdict
from flybisect.oracle.plugin import Evidence
from flybisect.search.bisect import Found, Side, bisect
from flybisect.search.flaky_bisection import bisect_flaky
from flybisect.search.parallel_map import each
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.store import Notify, silent
from flybisect.toolchain.toolchains import Toolchains


@dataclass(frozen=True)
class ReleaseAnswer:
    """Between which releases it changes."""

    rule: EndpointRule
    tried: tuple[TestRecord, ...]
    before: str
    """The last release that is like the older end."""
    after: str
    """The first one that is like the newer end."""
    between: tuple[str, ...]
    """Releases in between that could not be judged; any of them, or `after`, may have brought it."""
    monotone: bool
    steadiness: FlakyAnswers = STEADY

    @property
    def looks(self) -> int:
        """How often the case was run, under whatever release."""
        return sum(test.looks for test in self.tried)

    def side(self, name: str) -> Side:
        """Of a release that was tried."""
        return next(test.side for test in self.tried if test.name == name)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        bug = self.rule.find is Find.BUG
        keys = ("last_good", "first_bad") if bug else ("last_bad", "first_good")
        signature = self.rule.signature
        return {
            "find": self.rule.find.value,
            keys[0]: self.before,
            keys[1]: self.after,
            "between": list(self.between),
            "exact": not self.between,
            "signature": None if signature is None else str(signature),
            "bound": self.rule.bound,
            "monotone": self.monotone,
            "tests": [test.to_dict() for test in in_order(self.tried)],
            "run_count": self.looks,
            "repeats": self.steadiness.to_dict(),
            "signature_changes": [
                {"after": one.name, "at": other.name, "from": one.signature, "to": other.signature}
                for one, other in signature_changes(self.tried)
            ],
        }


class NoBoundary(UserError):
    """The ends of a range do not tell the bug from its absence."""


class ReleaseSearch:
    """One search over `versions`, oldest first."""

    def __init__(
        self,
        versions: Sequence[str],
        toolchains: Toolchains,
        observer: Observer,
        measure: EndpointOracle,
        notify: Notify = silent,
        notes: FlakinessNotes | None = None,
    ) -> None:
        """`notes`: where it is kept how often each release was run."""
        self._versions = versions
        self._toolchains = toolchains
        self._observer = observer
        self._measure = measure
        self._notify = notify
        self._notes = notes
        self._tried: dict[int, TestRecord] = {}

    def run(self, find: Find | None, jobs: int) -> ReleaseAnswer:
        """Raises UserError where the ends do not tell, or tell the other way than `find`."""
        first, last, older, newer = self._ends()
        ends = self.toolchain(first), self.toolchain(last)
        try:
            rule, made = rule_of_ends(self._measure, self._observer, ends, (older, newer))
        except EndpointsAlike as error:
            raise NoBoundary(self._no_boundary(str(error), first, last)) from error
        if find is not None and rule.find is not find:
            raise UserError(wrong_way(find, self._versions[first], self._versions[last]))
        looks = RepeatedRuns(self._observer, rule, self._notify, self._notes)
        looks.begin(made)
        found = bisect_flaky(
            last - first + 1,
            lambda ask, known: bisect(last - first + 1, ask, known=known, jobs=jobs),
            _Releases(self, looks, first, jobs),
        )
        looks.check_ends()
        if not isinstance(found, Found):
            raise NoBoundary(self._no_boundary(found.why.value, first, last))
        before, after = first + found.before, first + found.after
        return ReleaseAnswer(
            rule=rule,
            tried=tuple(looks.updated(tried) for tried in self._tried.values()),
            before=self._versions[before],
            after=self._versions[after],
            between=tuple(self._versions[before + 1 : after]),
            monotone=found.monotone,
            steadiness=looks.steadiness,
        )

    def _ends(self) -> tuple[int, int, Evidence, Evidence]:
        """The outermost releases that can be judged: an old one may lack what the script calls."""
        first, last = 0, len(self._versions) - 1
        older, newer = self._observer.ends(self.toolchain(first), self.toolchain(last))
        while first < last and not self._measure.usable(older):
            self._skip(first, older)
            first += 1
            older = self._observer.observe(self.toolchain(first)) if first < last else newer
        while first < last and not self._measure.usable(newer):
            self._skip(last, newer)
            last -= 1
            newer = self._observer.observe(self.toolchain(last)) if first < last else older
        return first, last, older, newer

    def _skip(self, at: int, evidence: Evidence) -> None:
        why = f"an end that can't be judged: it {shows(self._measure, evidence)}"
        self.note(at, Side.SKIP, Verdict(Answer.UNRESOLVED, why=why), evidence)

    def note(self, at: int, side: Side, verdict: Verdict, evidence: Evidence) -> None:
        version = self._versions[at]
        way = f"the release {version}"
        self._tried[at] = TestRecord(at, version, side, verdict, evidence.subject, self.toolchain(at), way)

    def toolchain(self, at: int) -> Toolchain:
        return self._toolchains.get(self._versions[at])

    def _no_boundary(self, reason: str, first: int, last: int) -> str:
        text = f"no boundary between {self._versions[first]} and {self._versions[last]}: {reason}"
        left_out = [tried for tried in in_order(self._tried.values()) if tried.side is Side.SKIP]
        told = [
            f"{run[0].name}..{run[-1].name} ({why})" if len(run) > 1 else f"{run[0].name} ({why})"
            for why, run in ((why, list(run)) for why, run in groupby(left_out, _why))
        ]
        return f"{text}; left out, since they can't be judged: {', '.join(told)}" if told else text


class _Releases:
    """Those between the ends, as a list that is settled."""

    def __init__(self, search: ReleaseSearch, looks: RepeatedRuns, first: int, jobs: int) -> None:
        self._search = search
        self._looks = looks
        self._first = first
        self._jobs = jobs
        self._asked: set[int] = set()

    def ask(self, places: Sequence[int]) -> Sequence[Side]:
        return each(self._side, places, self._jobs)

    def again(self, at: int) -> None:
        self._looks.again(self._search.toolchain(self._first + at))
        self._side(at)

    def known(self) -> Mapping[int, Side]:
        sides = {at: self._looks.side(self._search.toolchain(self._first + at)) for at in self._asked}
        return {at: side for at, side in sides.items() if side is not None}

    def _side(self, at: int) -> Side:
        place = self._first + at
        side, verdict, evidence, _ = self._looks.judged(self._search.toolchain(place))
        self._search.note(place, side, verdict, evidence)
        self._asked.add(at)
        return side


def _why(tried: TestRecord) -> str:
    return tried.signature or tried.verdict.why


def wrong_way(find: Find, older: str, newer: str) -> str:
    """The sentence for ends that show the opposite of what is looked for."""
    if find is Find.BUG:
        return f"the bug is in {older} and not in {newer}, so it was repaired: look for that with --find fix"
    return f"the bug is in {newer} and not in {older}, so it came in: look for that with --find bug"
