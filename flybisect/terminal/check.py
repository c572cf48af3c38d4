"""What `flybisect check` prints for a person."""

from __future__ import annotations

from flybisect.observation import Outcome
from flybisect.oracle.failure_line import failure_line
from flybisect.terminal.differences import difference_lines
from flybisect.workflows.check import CheckResult
from flybisect.workflows.figures import table


def print_check(check: CheckResult) -> None:
    """The verdict and its reason, then what the script showed."""
    verdict = check.verdict
    print(f"{verdict.answer.value}: {verdict.why}" if verdict.why else verdict.answer.value)
    print(f"oracle: {check.oracle}")
    if verdict.signature is not None:
        print(f"signature: {verdict.signature}")
    failure = failure_line(check.observation)
    if failure is not None:
        print(f"failure: {failure}")
    if check.observation.note and check.observation.outcome is not Outcome.BROKEN:
        print(f"note: {check.observation.note}")
    metrics = verdict.metrics or check.observation.metrics()
    for row in table(metrics, "base" if check.base is not None else ""):
        print(row)
    if check.followed is not None:
        print(f"figure: {check.followed}")
    for line in difference_lines(check.differences):
        print(line)
