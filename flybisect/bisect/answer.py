"""What a bisection came to; the same for releases and commits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flybisect.bisect.endpoints import EndpointRule, Find
from flybisect.bisect.repeated_runs import STEADY, FlakyAnswers
from flybisect.bisect.test_record import TestRecord, in_order, signature_changes
from flybisect.search.bisect import Found, Side


@dataclass(frozen=True)
class Answer:
    """`to_dict` is what `--json` prints of it."""

    rule: EndpointRule
    found: Found
    names: tuple[str, ...]
    """Of all entries between the endpoints, both among them, oldest first."""
    tried: tuple[TestRecord, ...]
    """The last test of each entry, untestable ones and those beyond the endpoints among them."""
    more: tuple[TestRecord, ...] = ()
    """Tests beside those: an entry that was tested another way before, and what lies beside the range."""
    flakiness: FlakyAnswers = STEADY

    @property
    def find(self) -> Find:
        return self.rule.find

    @property
    def before(self) -> str:
        """The last one that is like the older endpoint."""
        return self.names[self.found.before]

    @property
    def after(self) -> str:
        """The first one that is like the newer endpoint."""
        return self.names[self.found.after]

    @property
    def untested(self) -> tuple[str, ...]:
        """Between those two; the change may be in any of them, or in `after`."""
        return self.names[self.found.before + 1 : self.found.after]

    @property
    def exact(self) -> bool:
        return self.found.exact

    @property
    def between(self) -> str:
        """The range in words."""
        return f"between {self.before} and {self.after}; {len(self.found.suspects)} releases"

    @property
    def ran(self) -> list[TestRecord]:
        """Entries that were really run, in order."""
        return [record for record in in_order(self.tried) if record.observation is not None]

    @property
    def skipped(self) -> list[TestRecord]:
        """Entries that are untestable, in order."""
        return [record for record in in_order(self.tried) if record.side is Side.SKIP]

    @property
    def tests(self) -> list[TestRecord]:
        """All that were run, in order."""
        return in_order((*self.more, *self.ran))

    @property
    def test_count(self) -> int:
        """How often the case was tested under some FlyDSL."""
        return len(self.tests)

    @property
    def run_count(self) -> int:
        """How often the case was run, since a test can take several runs."""
        return sum(record.runs for record in self.tests)

    def test_at(self, at: int) -> TestRecord:
        """What was found out about an entry, by its place."""
        return next(record for record in self.tried if record.at == at)

    def side(self, name: str) -> Side:
        """Of one that was tested."""
        return next(record.side for record in self.tried if record.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Keys are kept stable; more may come.

        first_bad, last_good   (`first_good`, `last_bad` where the fix was looked for) as known from tests
        between                untestable entries between those two
        range                  the same in words where there are some, else None
        tests                  one for each time that an entry was tested
        run_count              how often the case was run for them: each test has its `runs`, and in how many
                               of them the bug was `shown`
        repeats                whether one is flaky, and what was made of that
        skipped                untestable entries, with the reason
        """
        after, before = self.sides
        signature = self.rule.signature
        return {
            "find": self.find.value,
            after: self.after,
            before: self.before,
            "between": list(self.untested),
            "exact": self.exact,
            "range": None if self.found.exact else self.between,
            "signature": None if signature is None else str(signature),
            "bound": self.rule.bound,
            "tests": [record.to_dict() for record in self.tests],
            "test_count": self.test_count,
            "run_count": self.run_count,
            "repeats": self.flakiness.to_dict(),
            "skipped": [{"name": record.name, "why": record.verdict.why} for record in self.skipped],
            "monotone": self.found.monotone,
            "signature_changes": changes_to_dict(self.ran),
        }

    @property
    def sides(self) -> tuple[str, str]:
        """The keys of `after` and `before`."""
        return ("first_bad", "last_good") if self.find is Find.BUG else ("first_good", "last_bad")


def changes_to_dict(records: list[TestRecord]) -> list[dict[str, Any]]:
    """Where the failure changes from one to the next."""
    return [
        {"after": one.name, "at": other.name, "from": one.signature, "to": other.signature}
        for one, other in signature_changes(records)
    ]
