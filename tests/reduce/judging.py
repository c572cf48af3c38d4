"""A judge over generated scripts: what is looked for is a call of `toy.needle`, and FlyDSL has no part."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from flybisect.judge.question import Question, Reply
from flybisect.observation import Observation, Outcome, Stage, Want
from tests.source.running import Run, run

Wanted = Callable[[Run], bool]
Result = TypeVar("Result")


class Needle:
    """Finds a script interesting when what it does is wanted. Every question is kept.

    `rough` is what a trusted candidate is held to, in place of the comparison with a base, which runs all
    but the needle's line.
    """

    def __init__(self, wanted: Wanted, located: bool = False, rough: Wanted | None = None) -> None:
        self._wanted = wanted
        self._rough = rough
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

    def ask(self, question: Question, ahead: Iterable[Question] = ()) -> Reply:
        source = question.source
        if question.wants is not None:
            return Reply(shown=self.observe(source, question.wants))
        self.asked.append(source)
        trial = source not in self._known
        if self._rough is not None and question.trusted:
            found = self._rough(run(source)) or self.interesting(source)
        else:
            found = self.interesting(source)
        return Reply(found, trial, self.failing_line(source) if found else None)

    def known(self, source: str) -> bool | None:
        return self._known.get(source)

    def answer(self, steps: Generator[Question, Reply, Result]) -> Result:
        """What a part of a reduction comes to."""
        reply: Reply | None = None
        while True:
            try:
                reply = self.ask(next(steps) if reply is None else steps.send(reply))
            except StopIteration as ended:
                result: Result = ended.value
                return result

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
