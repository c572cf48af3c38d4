"""Bisecting the releases: between which two the bug came, or went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from flybisect.bisecting.observer import Observer
from flybisect.bisecting.parallel import each
from flybisect.bisecting.sides import Find, Measure, NotApart, Rule, rule_for, shows
from flybisect.bisecting.tried import Tried, in_order, signature_changes
from flybisect.errors import UserError
from flybisect.observation import Answer, Verdict
from flybisect.oracle import Evidence
from flybisect.search.bisect import Found, Side, bisect
from flybisect.toolchain.model import Toolchain
from flybisect.toolchains import Toolchains


@dataclass(frozen=True)
class ReleaseAnswer:
    """Between which releases it changes."""

    rule: Rule
    tried: tuple[Tried, ...]
    before: str
    """The last release that is like the older end."""
    after: str
    """The first one that is like the newer end."""
    between: tuple[str, ...]
    """Releases in between that could not be judged; any of them, or `after`, may have brought it."""
    monotone: bool

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
            "signature_changes": [
                {"after": one.name, "at": other.name, "from": one.signature, "to": other.signature}
                for one, other in signature_changes(self.tried)
            ],
        }


class ReleaseSearch:
    """One search over `versions`, oldest first."""

    def __init__(
        self, versions: Sequence[str], toolchains: Toolchains, observer: Observer, measure: Measure
    ) -> None:
        self._versions = versions
        self._toolchains = toolchains
        self._observer = observer
        self._measure = measure
        self._tried: dict[int, Tried] = {}

    def run(self, find: Find | None, jobs: int) -> ReleaseAnswer:
        """Raises UserError where the ends do not tell, or tell the other way than `find`."""
        first, last, older, newer = self._ends()
        try:
            rule = rule_for(self._measure, older, newer)
        except NotApart as error:
            raise UserError(self._no_boundary(str(error), first, last)) from error
        if find is not None and rule.find is not find:
            raise UserError(wrong_way(find, self._versions[first], self._versions[last]))
        for at, evidence in ((first, older), (last, newer)):
            self._note(at, rule, evidence)

        def ask(places: Sequence[int]) -> list[Side]:
            return each(lambda place: self._test(first + place, rule), places, jobs)

        found = bisect(last - first + 1, ask, jobs=jobs)
        if not isinstance(found, Found):
            raise UserError(self._no_boundary(found.why.value, first, last))
        before, after = first + found.before, first + found.after
        return ReleaseAnswer(
            rule=rule,
            tried=tuple(self._tried.values()),
            before=self._versions[before],
            after=self._versions[after],
            between=tuple(self._versions[before + 1 : after]),
            monotone=found.monotone,
        )

    def _ends(self) -> tuple[int, int, Evidence, Evidence]:
        """The outermost releases that can be judged: an old one may lack what the script calls."""
        first, last = 0, len(self._versions) - 1
        older, newer = self._observer.ends(self._toolchain(first), self._toolchain(last))
        while first < last and not self._measure.usable(older):
            self._skip(first, older)
            first += 1
            older = self._observer.observe(self._toolchain(first)) if first < last else newer
        while first < last and not self._measure.usable(newer):
            self._skip(last, newer)
            last -= 1
            newer = self._observer.observe(self._toolchain(last)) if first < last else older
        return first, last, older, newer

    def _test(self, at: int, rule: Rule) -> Side:
        if at not in self._tried:
            self._note(at, rule, self._observer.observe(self._toolchain(at)))
        return self._tried[at].side

    def _note(self, at: int, rule: Rule, evidence: Evidence) -> None:
        side, verdict = rule.judge(evidence)
        self._tried[at] = self._entry(at, side, verdict, evidence)

    def _skip(self, at: int, evidence: Evidence) -> None:
        why = f"an end that can't be judged: it {shows(self._measure, evidence)}"
        self._tried[at] = self._entry(at, Side.SKIP, Verdict(Answer.UNRESOLVED, why=why), evidence)

    def _entry(self, at: int, side: Side, verdict: Verdict, evidence: Evidence) -> Tried:
        version = self._versions[at]
        toolchain = self._toolchain(at)
        return Tried(at, version, side, verdict, evidence.subject, toolchain, f"the release {version}")

    def _toolchain(self, at: int) -> Toolchain:
        return self._toolchains.get(self._versions[at])

    def _no_boundary(self, reason: str, first: int, last: int) -> str:
        text = f"no boundary between {self._versions[first]} and {self._versions[last]}: {reason}"
        left_out = [tried for tried in in_order(self._tried.values()) if tried.side is Side.SKIP]
        told = [
            f"{run[0].name}..{run[-1].name} ({why})" if len(run) > 1 else f"{run[0].name} ({why})"
            for why, run in ((why, list(run)) for why, run in groupby(left_out, _why))
        ]
        return f"{text}; left out, since they can't be judged: {', '.join(told)}" if told else text


def _why(tried: Tried) -> str:
    return tried.signature or tried.verdict.why


def wrong_way(find: Find, older: str, newer: str) -> str:
    """The sentence for ends that show the opposite of what is looked for."""
    if find is Find.BUG:
        return f"the bug is in {older} and not in {newer}, so it was repaired: look for that with --find fix"
    return f"the bug is in {newer} and not in {older}, so it came in: look for that with --find bug"
