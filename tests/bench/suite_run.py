"""One kernel of the suite reduced, within a limit of time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.judge.judge import Judge
from flybisect.observation import Verdict
from flybisect.reduce.passes import PASSES
from flybisect.reduce.reducer import Reduction
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.session.session import open_session
from flybisect.source.source import count_statements
from flybisect.workflows import reduce as reducing
from flybisect.workflows.reduction_result import Result
from tests.bench.milestones import Point, Successes, successes
from tests.bench.recording import Recording, UsedUp
from tests.bench.reduction import bench_of, recorded_judge


@dataclass
class Course:
    """Listens to a reducer, and takes down as little as it can: what it does counts as the reducer's time."""

    judge: Judge
    recording: Recording
    texts: list[str]
    """The best script at each step; the unreduced one first."""
    judged: list[tuple[int, str]] = field(default_factory=list)
    """Compiles until then, and a script that was judged in full."""

    def note(self, step: ReductionStep) -> None:
        self.recording.activity = step.activity
        if step.text is not self.texts[-1]:
            self.texts.append(step.text)
        if step.confirmed and step.text is not self.judged[-1][1]:
            self.judged.append((self.judge.statistics.compiles, step.text))


@dataclass(frozen=True)
class SuiteRun:
    """What a reduction of the suite came to."""

    result: Result
    """Of what was left when it ended or was stopped. Its `seconds` and `compiles` include the cold run."""
    seconds: float
    """Wall time of the search."""
    in_trials: float
    """Of these, within trials."""
    own: float
    """CPU seconds of this process for the search, without those of trials."""
    compiles: int
    """Until the search ended."""
    course: tuple[Point, ...]
    successes: Successes
    first: Mapping[str, float]
    """Figures of the unreduced script."""
    stopped: bool
    """It had used up its time or its compiles."""

    @property
    def python(self) -> float:
        """The share of the search's time outside of trials."""
        return 1 - self.in_trials / self.seconds

    def difference(self, figure: str) -> tuple[float, float]:
        """Of a figure from the baseline's, or the figure itself: at first, and what is left."""
        return _difference(self.first, figure), _difference(self.result.verdict.metrics, figure)


def run(case: Path, output: Path, seconds: float, most_compiles: int | None) -> SuiteRun:
    """Reduce the case, for at most so many seconds and compiles, and write what is left.

    Raises UserError where the script does not show its bug.
    """
    bench = bench_of(case)
    with (
        TemporaryDirectory(prefix="flybisect-bench-") as folder,
        open_session(Path(folder), bench.case, bench.source, bench.toolchain_keys) as session,
        recorded_judge(bench, session.journal) as (judge, recording),
    ):
        first = reducing.pin(judge, bench.source, bench.case.script.name, ())
        source = reducing.flattened(judge, bench.script).source
        course = Course(judge, recording, [source], [(judge.statistics.compiles, source)])
        began, before = time.monotonic(), recording.seconds
        recording.deadline, recording.most_compiles = began + seconds, most_compiles
        own = time.process_time()
        try:
            found = reducing.search(judge, session, source, PASSES, course.note)
        except UsedUp:
            found = Reduction(course.judged[-1][1], minimal=False)
        spent, in_trials = time.monotonic() - began, recording.seconds - before
        own = time.process_time() - own
        compiles, stopped = judge.statistics.compiles, not found.minimal
        recording.activity = ""
        result = reducing.finish(judge, session, source, found, output, _unheaded)
    return SuiteRun(
        result,
        spent,
        in_trials,
        own,
        compiles,
        tuple(Point(at, count_statements(text)) for at, text in course.judged),
        successes(course.texts),
        first.metrics,
        stopped,
    )


def _unheaded(text: str, verdict: Verdict, seen: object) -> str:
    return text


def _difference(figures: Mapping[str, float], figure: str) -> float:
    return figures.get(figure, 0) - figures.get(f"base.{figure}", 0)
