"""What a bisection of commits came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from flybisect.bisect.answer import Answer
from flybisect.bisect.attribution import Attribution
from flybisect.bisect.bisect_log import Mark, bisect_log
from flybisect.bisect.commit_range import CommitRange
from flybisect.bisect.endpoints import Find
from flybisect.bisect.strategies import Strategy
from flybisect.bisect.test_record import TestRecord
from flybisect.git.commit import Commit
from flybisect.search.bisect import Side
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

    def to_dict(self) -> dict[str, Any]:
        return {
            **_facts(self.commit),
            "touches": list(self.touches),
            "llvm_pins": None if self.pins is None else list(self.pins),
            "likely": self.likely,
        }


@dataclass(frozen=True, kw_only=True)
class CommitAnswer(Answer):
    """What an answer about commits has beside."""

    line: CommitRange
    attribution: Attribution
    confirmation: Confirmation
    made: Mapping[str, tuple[Strategy, Toolchain]]
    notes: tuple[str, ...] = ()
    logs: Mapping[str, str] = field(default_factory=dict)
    """Of builds from source, by the toolchain's key."""

    @property
    def last_before(self) -> Commit:
        """The last commit that is like the older endpoint."""
        return self.line.candidates[self.found.before].last

    @property
    def first_after(self) -> Commit:
        """The first commit that was seen to be like the newer endpoint."""
        return self.line.candidates[self.found.after].first

    @property
    def suspects(self) -> tuple[Suspect, ...]:
        """One where the answer is exact. Of commits with equal build inputs only the first can be it."""
        return tuple(self._suspect(at) for at in self.found.suspects)

    @property
    def exact(self) -> bool:
        """One commit, and it and its parent were obtained exactly."""
        return self.found.exact and self.confirmation.done and self.exactness is Exactness.EXACT

    @property
    def exactness(self) -> Exactness:
        """What the last good and the first bad rest on: the weaker of the two."""
        pair = (self.test_at(at).exactness for at in (self.found.before, self.found.after))
        return max((each or Exactness.INEXACT for each in pair), key=_WEAKER.index)

    @property
    def between(self) -> str:
        """A range in words; one commit is none."""
        pair = f"{self.last_before.short} and {self.first_after.short}"
        return f"between {pair}; {len(self.suspects)} commits"

    @property
    def crossed(self) -> list[TestRecord]:
        """Tests of one endpoint's Python over the other's natives."""
        cells = [cell.tried for cell in self.attribution.cells]
        return [record for record in cells if record.observation is not None]

    @property
    def test_count(self) -> int:
        """Endpoints, confirmation and crossed halves included."""
        return super().test_count + len(self.crossed)

    @property
    def run_count(self) -> int:
        return super().run_count + sum(record.runs for record in self.crossed)

    @property
    def strategy(self) -> str:
        """How the tested ones were obtained."""
        kinds: dict[str, None] = {}
        for tried in (record for record in self.tried if record.observation is not None):
            exactness = tried.exactness or Exactness.EXACT
            kind = "release" if tried.toolchain is None else tried.toolchain.kind
            kind = "release" if kind == "installed" else kind
            kinds[kind if exactness is Exactness.EXACT else f"{exactness.value} {kind}"] = None
        return ", ".join(kinds)

    def bisect_log(self) -> str:
        """For `git bisect replay`: what was tried, then what follows for commits of equal build inputs."""
        ends = (0, len(self.line.candidates) - 1)
        marks = [Mark(self.line.commit(test.at), test.side) for test in self.tried if test.at not in ends]
        given = {mark.commit.hash for mark in marks} | {self.line.commit(at).hash for at in ends}
        older = Side.GOOD if self.find is Find.BUG else Side.BAD
        newer = Side.BAD if self.find is Find.BUG else Side.GOOD
        more = [
            Mark(self.last_before, older),
            *self._between(),
            Mark(self.first_after, newer),
        ]
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
        """All commits that the answer leaves open between its two."""
        listed = self.line.candidates[self.found.before + 1 : self.found.after]
        return [Mark(commit, Side.SKIP) for candidate in listed for commit in candidate.commits]

    def to_dict(self, log: str = "") -> dict[str, Any]:
        """The keys of every answer, where a commit is an object; and these. `log`: where the log of
        `git bisect` was written.

        culprits               the commits of which one made the change
        exact                  one culprit, it and its parent tested by exact ways
        exactness              what first_bad and last_good rest on, the weaker of the two: `exact`,
                               `both natives` (over the natives of either endpoint, with the same verdict),
                               `two natives` (of one endpoint and of another release), `both Pythons`, `proxy`
                               or `inexact`
        candidates, commits    different FlyDSLs, and commits, in the range
        tests                  `candidate` is None for one that lies beside the range
        test_count, run_count  those, and the crossed halves in `attribution`
        """
        after, before = self.sides
        return {
            **super().to_dict(),
            after: self._side(self.first_after, self.found.after),
            before: self._side(self.last_before, self.found.before),
            "culprits": [suspect.to_dict() for suspect in self.suspects],
            "exactness": self.exactness.value,
            "confirmed": self.confirmation.done,
            "confirmation": self.confirmation.why,
            "strategy": self.strategy,
            "candidates": len(self.line.candidates),
            "commits": len(self.line.range.commits) - 1,
            "tests": [self._test(record) for record in self.tests],
            "builds": [self._build(key, way, made) for key, (way, made) in self.made.items()],
            "skipped": [
                {**_facts(self.line.commit(record.at)), "name": record.name, "why": record.verdict.why}
                for record in self.skipped
            ],
            "attribution": self.attribution.to_dict(),
            "notes": list(self.notes),
            "log": log,
        }

    def _build(self, key: str, way: Strategy, made: Toolchain) -> dict[str, Any]:
        return {
            "key": key,
            "spec": made.spec,
            "kind": made.kind,
            "way": str(way),
            "exactness": made.exactness.value,
            "flydsl": made.version,
            "log": self.logs.get(key),
        }

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
