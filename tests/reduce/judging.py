"""A judge over generated scripts: what is looked for is a call of `toy.needle`, and FlyDSL has no part."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from flybisect.observation import Answer, Observation, Outcome, Stage, Verdict, Want
from tests.script.running import Run, run

Wanted = Callable[[Run], bool]


class Needle:
    """Finds a script interesting when what it does is wanted. Every question is kept.

    `rough` is what a trusted candidate is held to, in place of the comparison with a base, which runs all
    but the needle's line.
    """

    def __init__(
        self, wanted: Wanted, ahead: int = 0, located: bool = False, rough: Wanted | None = None
    ) -> None:
        self._wanted = wanted
        self._rough = rough
        self._ahead = ahead
        self._located = located
        self.asked: list[str] = []
        self._known: dict[str, bool] = {}

    @property
    def compares(self) -> bool:
        return self._rough is not None

    def interesting(self, source: str) -> bool:
        if source not in self._known:
            self._known[source] = self._wanted(run(source))
        return self._known[source]

    def judge(self, source: str) -> Verdict:
        found = self.interesting(source)
        return Verdict(Answer.INTERESTING if found else Answer.UNINTERESTING)

    def verdicts(
        self, sources: Iterable[str], trusted: Callable[[str], bool] = lambda source: False
    ) -> Iterator[tuple[str, Verdict]]:
        stream, waiting = iter(sources), deque[str]()
        while True:
            while len(waiting) <= self._ahead and (drawn := next(stream, None)) is not None:
                waiting.append(drawn)
            if not waiting:
                return
            source = waiting.popleft()
            self.asked.append(source)
            if self._rough is not None and trusted(source) and self._rough(run(source)):
                yield source, Verdict(Answer.INTERESTING)
            else:
                yield source, self.judge(source)

    def observe(self, source: str, wants: frozenset[Want] = frozenset()) -> Sequence[Observation]:
        ran = run(source)
        outcome = Outcome.OK if ran.ended_well else Outcome.EXCEPTION
        lines = tuple(sorted(ran.lines)) if Want.COVERAGE in wants else ()
        seen = Observation(outcome, Stage.DONE, "gfx942", "0", stderr=ran.errors, lines=lines)
        if not self.compares:
            return [seen]
        found = {at for at, line in enumerate(source.split("\n"), 1) if "needle(" in line}
        return [seen, replace(seen, lines=tuple(line for line in lines if line not in found))]

    def failing_line(self, source: str) -> int | None:
        """The needle's, as a compiler names the line of an operation."""
        lines = [at for at, line in enumerate(source.split("\n"), 1) if "needle(" in line]
        return lines[0] if self._located and lines else None
