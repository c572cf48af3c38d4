"""What a bisection of commits came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from flybisect.bisect.attribution import Attribution
from flybisect.bisect.bisect_log import Mark, bisect_log
from flybisect.bisect.commit_range import CommitRange
from flybisect.bisect.endpoints import EndpointRule, Find
from flybisect.bisect.repeated_runs import STEADY, FlakyAnswers
from flybisect.bisect.strategies import Strategy
from flybisect.bisect.test_record import TestRecord, in_order, signature_changes
from flybisect.git.commit import Commit
from flybisect.search.bisect import Found, Side
from flybisect.toolchain.model import Exactness, Toolchain

_WEAKER = (
    Exactness.EXACT,
    Exactness.BOTH_NATIVES,
    Exactness.BOTH_PYTHONS,
    Exactness.TWO_NATIVES,
    Exactness.PROXY,
    Exactness.INEXACT,
)


@dataclass(frozen=True)
class Confirmation:
    """Whether a culprit is more than likely."""

    done: bool
    why: str


@dataclass(frozen=True)
class Suspect:
    """A commit that can be the culprit."""

    at: int
    commit: Commit
    touches: tuple[str, ...]
    pins: tuple[str | None, str | None] | None
    """LLVM's, where it changes them."""
    likely: bool
    """It touches the half that owns the change, as far as that is known."""


@dataclass(frozen=True)
class CommitAnswer:
    """`to_dict` is the object that `--json` prints."""

    line: CommitRange
    rule: EndpointRule
    found: Found
    tried: tuple[TestRecord, ...]
    """The last word on each candidate, in the order in which they were found out; those that there was no
    way to among them."""
    attribution: Attribution
    confirmation: Confirmation
    made: Mapping[str, tuple[Strategy, Toolchain]]
    notes: tuple[str, ...] = ()
    logs: Mapping[str, str] = field(default_factory=dict)
    """Of builds from source, by the toolchain's key."""
    more: tuple[TestRecord, ...] = ()
    """Tests beside those: a candidate tried by another way before, and what lies beside the range."""
    steadiness: FlakyAnswers = STEADY

    @property
    def find(self) -> Find:
        return self.rule.find

    @property
    def before(self) -> Commit:
        """The last commit that is like the older end."""
        return self.line.candidates[self.found.before].last

    @property
    def after(self) -> Commit:
        """The first commit that was seen to be like the newer end."""
        return self.line.candidates[self.found.after].first

    @property
    def suspects(self) -> tuple[Suspect, ...]:
        """One where the answer is exact. Of commits with equal build inputs only the first can be it."""
        return tuple(self._suspect(at) for at in self.found.suspects)

    @property
    def exact(self) -> bool:
        """One commit, and it and its parent were had exactly."""
        return self.found.exact and self.confirmation.done and self.exactness is Exactness.EXACT

    @property
    def exactness(self) -> Exactness:
        """What the last good and the first bad rest on: the weaker of the two."""
        pair = (self.test_at(at).exactness for at in (self.found.before, self.found.after))
        return max((each or Exactness.INEXACT for each in pair), key=_WEAKER.index)

    @property
    def between(self) -> str:
        """A range in words; one commit is none."""
        return f"between {self.before.short} and {self.after.short}; {len(self.suspects)} commits"

    @property
    def runs(self) -> list[TestRecord]:
        """Those that were really tried."""
        return [tried for tried in self.tried if tried.observation is not None]

    @property
    def crossed(self) -> int:
        """Tests of one end's Python over the other's natives."""
        return sum(cell.tried.observation is not None for cell in self.attribution.cells)

    @property
    def test_count(self) -> int:
        """How often the case was tried under some FlyDSL: ends, confirmation and crossed halves included."""
        return len(self.runs) + len(self.more) + self.crossed

    @property
    def looks(self) -> int:
        """How often the case was run in all, since a test can take several runs."""
        cells = [cell.tried for cell in self.attribution.cells]
        return sum(tried.looks for tried in (*self.runs, *self.more, *cells))

    @property
    def skipped(self) -> list[TestRecord]:
        return [tried for tried in in_order(self.tried) if tried.side is Side.SKIP]

    @property
    def strategy(self) -> str:
        """By which ways the tried ones were had."""
        kinds: dict[str, None] = {}
        for tried in self.runs:
            exactness = tried.exactness or Exactness.EXACT
            kind = "release" if tried.toolchain is None else tried.toolchain.kind
            kind = "release" if kind == "installed" else kind
            kinds[kind if exactness is Exactness.EXACT else f"{exactness.value} {kind}"] = None
        return ", ".join(kinds)

    def bisect_log(self) -> str:
        """For `git bisect replay`: what was tried, then what follows for commits of equal build inputs."""
        ends = (0, len(self.line.candidates) - 1)
        marks = [Mark(self.line.commit(t.at), t.side) for t in self.tried if t.at not in ends]
        given = {mark.commit.hash for mark in marks} | {self.line.commit(at).hash for at in ends}
        older = Side.GOOD if self.find is Find.BUG else Side.BAD
        newer = Side.BAD if self.find is Find.BUG else Side.GOOD
        more = [Mark(self.before, older), *self._between(), Mark(self.after, newer)]
        marks += [mark for mark in more if mark.commit.hash not in given]
        return bisect_log(
            self.line.commit(0),
            self.line.commit(ends[1]),
            marks,
            find=self.find,
            first_parent=self.line.range.merges,
            paths=self.line.range.paths,
        )

    def _suspect(self, at: int) -> Suspect:
        touches = self.line.touches(at)
        likely = self.attribution.owner.may_touch(touches)
        return Suspect(at, self.line.candidates[at].first, touches, self.line.pins(at), likely)

    def _between(self) -> list[Mark]:
        """All commits that can't be told apart."""
        listed = self.line.candidates[self.found.before + 1 : self.found.after]
        return [Mark(commit, Side.SKIP) for candidate in listed for commit in candidate.commits]

    def to_dict(self, log: str) -> dict[str, Any]:
        """Keys are kept stable; more may come. `log`: where the log of `git bisect` was written.

        first_bad, last_good   (`first_good`, `last_bad` where the fix was looked for) as known from tests;
                               there are commits between them where `culprits` has more than one
        culprits               the commits of which one made the change
        exact                  one culprit, it and its parent tried by exact ways
        exactness              what first_bad and last_good rest on, the weaker of the two: `exact`,
                               `both natives` (over the natives of either end, with the same verdict),
                               `two natives` (of one end and of another release), `both Pythons`, `proxy`
                               or `inexact`
        range                  words for `culprits` where there is more than one, else None
        candidates, commits    different FlyDSLs, and commits, in the range
        tests                  one for each time that a commit was tried; `candidate` is None for one that
                               lies beside the range
        test_count             those, and the crossed halves in `attribution`
        run_count              how often the case was run for them: each test has its `runs`, and in how many
                               of them the bug was `shown`
        repeats                whether answers flipped, and what was made of that
        """
        bug = self.find is Find.BUG
        after, before = ("first_bad", "last_good") if bug else ("first_good", "last_bad")
        signature = self.rule.signature
        return {
            "find": self.find.value,
            after: self._side(self.after, self.found.after),
            before: self._side(self.before, self.found.before),
            "culprits": [
                {
                    **_facts(suspect.commit),
                    "touches": list(suspect.touches),
                    "llvm_pins": None if suspect.pins is None else list(suspect.pins),
                    "likely": suspect.likely,
                }
                for suspect in self.suspects
            ],
            "exact": self.exact,
            "exactness": self.exactness.value,
            "range": None if self.found.exact else self.between,
            "confirmed": self.confirmation.done,
            "confirmation": self.confirmation.why,
            "strategy": self.strategy,
            "signature": None if signature is None else str(signature),
            "bound": self.rule.bound,
            "candidates": len(self.line.candidates),
            "commits": len(self.line.range.commits) - 1,
            "tests": [self._test(tried) for tried in in_order((*self.more, *self.runs))],
            "test_count": self.test_count,
            "run_count": self.looks,
            "repeats": self.steadiness.to_dict(),
            "builds": [
                {
                    "key": key,
                    "spec": made.spec,
                    "kind": made.kind,
                    "way": str(way),
                    "exactness": made.exactness.value,
                    "flydsl": made.version,
                    "log": self.logs.get(key),
                }
                for key, (way, made) in self.made.items()
            ],
            "skipped": [
                {**_facts(self.line.commit(tried.at)), "why": tried.verdict.why} for tried in self.skipped
            ],
            "attribution": self.attribution.to_dict(),
            "monotone": self.found.monotone,
            "signature_changes": [
                {"after": one.name, "at": other.name, "from": one.signature, "to": other.signature}
                for one, other in signature_changes(self.runs)
            ],
            "notes": list(self.notes),
            "log": log,
        }

    def test_at(self, at: int) -> TestRecord:
        """What was found out about a candidate."""
        return next(tried for tried in self.tried if tried.at == at)

    def _side(self, commit: Commit, at: int) -> dict[str, Any]:
        return {
            **_facts(commit),
            "touches": list(self.line.touches(at)),
            "test": self._test(self.test_at(at)),
        }

    def _test(self, tried: TestRecord) -> dict[str, Any]:
        candidate = None if tried.at < 0 else tried.at
        return {"commit": tried.name, "candidate": candidate, **tried.to_dict()}


def _facts(commit: Commit) -> dict[str, Any]:
    facts = asdict(commit)
    del facts["parents"]
    return {**facts, "pull_request": commit.pull_request}
