"""What `flybisect releases` prints for a person."""

from __future__ import annotations

from collections.abc import Iterable

from flybisect.bisect.answer import Answer
from flybisect.bisect.around import Around
from flybisect.bisect.endpoints import EndpointRule, Find
from flybisect.bisect.test_record import TestRecord, in_order, signature_changes
from flybisect.oracle.failure_line import failure_line
from flybisect.search.bisect import Side
from flybisect.workflows.figures import number

_SHOWN = ("vgprs", "vgpr_spills", "scratch_bytes")


def print_releases(found: Around) -> None:
    """The answer first, then what it is based on."""
    for answer in found.answers:
        _print_boundary(answer)
    print_rule(found.first.rule)
    print_tests(found.tried)
    print_flakiness(*found.answers)
    print_warnings(found.tried, all(answer.found.monotone for answer in found.answers))


def _print_boundary(answer: Answer) -> None:
    before, after = side_names(answer.find)
    print(f"{before}: {answer.before}")
    print(f"{after}: {answer.after}")
    if answer.untested:
        print(f"skipped as untestable between them: {', '.join(answer.untested)}")


def side_names(find: Find) -> tuple[str, str]:
    """Of both sides of the answer, the older one first."""
    return ("last good", "first bad") if find is Find.BUG else ("last affected", "fixed in")


def print_rule(rule: EndpointRule) -> None:
    """What counts as the bug."""
    if rule.bound is not None:
        print(f"bad means {rule.bound}: half way between the endpoints (--when EXPR sets another)")
    elif rule.signature is not None:
        print(f"signature: {rule.signature}")


def print_tests(tried: Iterable[TestRecord]) -> None:
    """A row for each FlyDSL that was tried."""
    rows = [
        (test.name[:12], test.side.value, _runs(test), figures(test), _shown(test))
        for test in in_order(tried)
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    print("tests:")
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  " + "  ".join([*cells, row[4]]).rstrip())


def print_flakiness(*answers: Answer) -> None:
    """Whether verdicts hold from run to run; each sentence once."""
    sentences = (sentence for answer in answers for sentence in answer.flakiness.sentences)
    for sentence in dict.fromkeys(sentences):
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
    """`3 runs`; `11 of 20 runs` of a flaky one."""
    if test.tally.flaky:
        return f"{test.tally.bad} of {test.runs} runs"
    return f"{test.runs} run{'s' if test.runs > 1 else ''}"


def _shown(test: TestRecord) -> str:
    """The failure; of what there was no trial of, why."""
    failure = None if test.observation is None else failure_line(test.observation)
    return failure or (test.verdict.why if test.side is Side.SKIP else "")
