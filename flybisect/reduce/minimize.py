"""Reducing any Python script by any judgement: no FlyDSL, no files, no processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from flybisect.judge.question import Question, Reply
from flybisect.reduce.passes import PASSES
from flybisect.reduce.reducer import Reducer
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.reduce.select import select
from flybisect.source.check import syntax_problem


def minimize(
    source: str,
    is_interesting: Callable[[str], bool],
    *,
    passes: str | Sequence[str] | None = None,
    progress: Callable[[ReductionStep], None] | None = None,
) -> str:
    """The smallest script that the passes reach and that `is_interesting` still accepts.

    `is_interesting` is the interestingness test. It is called with texts that parse, with each text once at
    most, and the text that is returned is one that it accepted. It should give the same answer for the same
    text; then the result is the same each time. `passes` are names as `flybisect passes` lists them;
    None: all. `progress` is called with every step.

    Raises ValueError where `source` does not parse or is not interesting, and UserError for a name that no
    pass has.
    """
    names = passes if passes is None or isinstance(passes, str) else ",".join(passes)
    chosen = select(PASSES, names, None)
    problem = syntax_problem(source)
    if problem is not None:
        raise ValueError(f"the script does not parse: {problem}")
    judge = _CallableJudge(is_interesting)
    if not judge.interesting(source):
        raise ValueError("the unreduced script is not interesting, so there is nothing to keep")
    return Reducer(judge, chosen, progress or _silent, predict=False).run(source).text


class _CallableJudge:
    """A function in place of oracle and trials. Nothing is observed, so nothing is learned of a run."""

    compares = False

    def __init__(self, is_interesting: Callable[[str], bool]) -> None:
        self._is_interesting = is_interesting
        self._verdicts: dict[str, bool] = {}
        """By text, and not by syntax tree: the function may look at comments and layout."""

    def interesting(self, source: str) -> bool:
        if source not in self._verdicts:
            self._verdicts[source] = syntax_problem(source) is None and bool(self._is_interesting(source))
        return self._verdicts[source]

    def ask(self, question: Question, ahead: Iterable[Question] = ()) -> Reply:
        if question.wants is not None:
            return Reply()
        return Reply(self.interesting(question.source))

    def known(self, source: str) -> bool | None:
        return self._verdicts.get(source)


def _silent(step: ReductionStep) -> None:
    return None
