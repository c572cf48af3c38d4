"""What `flybisect releases` prints for a person."""

from __future__ import annotations

from collections.abc import Iterable

from flybisect.bisect.around import Around
from flybisect.bisect.endpoints import EndpointRule, Find
from flybisect.bisect.release_search import ReleaseAnswer
from flybisect.bisect.repeated_runs import FlakyAnswers
from flybisect.bisect.test_record import TestRecord, in_order, signature_changes
from flybisect.oracle.failure_line import failure_line
from flybisect.search.bisect import Side
from flybisect.workflows.figures import number

_SHOWN = ("vgprs", "vgpr_spills", "scratch_bytes")


def print_releases(found: Around) -> None:
    """The answer first, then what it stands on."""
    for answer in found.answers:
        _print_boundary(answer)
    print_rule(found.first.rule)
    print_tests(found.tried)
    for told in dict.fromkeys(told for each in found.answers for told in each.steadiness.sentences):
        print(told)
    print_warnings(found.tried, all(answer.monotone for answer in found.answers))


def _print_boundary(answer: ReleaseAnswer) -> None:
    bug = answer.rule.find is Find.BUG
    before, after = ("last good", "first bad") if bug else ("last bad", "first good")
    print(f"{before}: {answer.before}")
    print(f"{after}: {answer.after}")
    if answer.between:
        print(f"not told apart: {', '.join(answer.between)} could not be judged")


def print_rule(rule: EndpointRule) -> None:
    """What counts as the bug."""
    if rule.bound is not None:
        print(f"bad means {rule.bound}: half way between the ends (--when EXPR sets another)")
    elif rule.signature is not None:
        print(f"signature: {rule.signature}")


def print_tests(tried: Iterable[TestRecord]) -> None:
    """A row for each FlyDSL that was tried."""
    rows = [
        (test.name[:12], test.side.value, _runs(test), figures(test), _told(test)) for test in in_order(tried)
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    print("tests:")
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  " + "  ".join([*cells, row[4]]).rstrip())


def print_steadiness(steadiness: FlakyAnswers) -> None:
    """Whether answers hold from run to run."""
    for sentence in steadiness.sentences:
        print(sentence)


def print_warnings(tried: Iterable[TestRecord], monotone: bool) -> None:
    """Where the signature changes, and whether the verdict goes back and forth."""
    listed = list(tried)
    for one, other in signature_changes(listed):
        if one.signature is not None and other.signature is not None:
            names = f"from {one.name[:12]} to {other.name[:12]}"
            print(f"the failure changes {names}: {one.signature} -> {other.signature}")
    if not monotone:
        print("warning: the verdict goes back and forth in this range; the last change was followed")


def figures(test: TestRecord) -> str:
    """`28 VGPRs, 44 spills`; empty without a kernel."""
    metrics = {} if test.observation is None else test.observation.metrics()
    return ", ".join(f"{name} {number(metrics[name])}" for name in _SHOWN if metrics.get(name))


def _runs(test: TestRecord) -> str:
    """`3 runs`; `11 of 20 runs` of one that flips."""
    if test.tally.flips:
        return f"{test.tally.bad} of {test.looks} runs"
    return f"{test.looks} run{'s' if test.looks > 1 else ''}"


def _told(test: TestRecord) -> str:
    """The failure; of what there was no trial of, why."""
    failure = None if test.observation is None else failure_line(test.observation)
    return failure or (test.verdict.why if test.side is Side.SKIP else "")
