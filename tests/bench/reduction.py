"""One reduction as `flybisect reduce` does it, in this process and with every trial taken down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.case.case import Case
from flybisect.judge.judge import Judge
from flybisect.probe.runner import Runner
from flybisect.reduce.passes import PASSES
from flybisect.session.journal import Journal
from flybisect.session.session import open_session
from flybisect.toolchain.store import silent
from flybisect.workflows import reduce as reducing
from flybisect.workflows.prepare import PreparedCase, prepare
from flybisect.workflows.reduction_result import Result
from tests.bench.recording import Recording
from tests.bench.report import SCRATCH


@dataclass(frozen=True)
class Reduced:
    """What it came to."""

    result: Result
    recording: Recording
    shows_traced: bool
    """False where the unreduced script fails while it is traced, so that no candidate need be traced."""


def bench_of(case: Path, jobs: int = 1) -> PreparedCase:
    """Releases that the case needs are installed into the scratch folder once."""
    return prepare(Case(case, workdir=SCRATCH, jobs=jobs), silent)


@contextmanager
def recorded_judge(bench: PreparedCase, journal: Journal) -> Iterator[tuple[Judge, Recording]]:
    """A judge, and what takes down its trials."""
    with (
        TemporaryDirectory(prefix="flybisect-bench-") as scratch,
        Runner(Path(scratch), bench.jobs, journal) as runner,
    ):
        recording = Recording(runner)
        judge = Judge(bench.case, bench.oracle, bench.subject, bench.base, recording, journal, bench.jobs)
        with closing(judge):
            yield judge, recording


def reduce(bench: PreparedCase) -> Reduced:
    """From nothing. Raises UserError where the script does not show its bug."""
    with (
        TemporaryDirectory(prefix="flybisect-bench-") as folder,
        open_session(Path(folder), bench.case, bench.source, bench.toolchain_keys) as session,
        recorded_judge(bench, session.journal) as (judge, recording),
    ):
        reducing.pin(judge, bench.source, bench.case.script.name, ())
        one = reducing.flattened(judge, bench.script)
        found = reducing.search(judge, session, one.source, PASSES, recording.step)
        recording.activity = ""
        out = Path(folder) / bench.case.script.name
        result = reducing.finish(judge, session, one.source, found, out, lambda text, verdict, seen: text)
        assert judge.first is not None
        return Reduced(result, recording, bool(judge.first.subject.traced))
