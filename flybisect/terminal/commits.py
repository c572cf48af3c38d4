"""What `flybisect commits` prints for a person."""

from __future__ import annotations

from pathlib import Path

from flybisect.bisect.commit_answer import CommitAnswer, Suspect
from flybisect.git.commit import Commit
from flybisect.search.bisect import Side
from flybisect.terminal.releases import (
    figures,
    print_flakiness,
    print_rule,
    print_tests,
    print_warnings,
    side_names,
)


def print_commits(answer: CommitAnswer, log: Path) -> None:
    """The answer first, then what it is based on."""
    before, after = side_names(answer.find)
    suspects = answer.suspects
    if len(suspects) == 1:
        print(f"{after} commit: {described(suspects[0])}")
    else:
        print(f"{answer.between}, of which one made the change:")
        marked = any(suspect.likely for suspect in suspects) and not all(s.likely for s in suspects)
        for suspect in suspects:
            print(f"{'* ' if marked and suspect.likely else '  '}{described(suspect)}")
        if marked:
            print(f"* touches the half that owns the change ({answer.attribution.owner.value})")
    _print_side(before, answer, answer.last_before, answer.found.before)
    _print_side(after, answer, answer.first_after, answer.found.after)
    print(f"{_certainty(answer)}: {answer.confirmation.why}")
    print_rule(answer.rule)
    _print_attribution(answer)
    total, different = len(answer.line.range.commits) - 1, len(answer.line.candidates)
    crossed = f", {len(answer.crossed)} of them of crossed halves" if answer.crossed else ""
    tests = f"{answer.test_count} tests{crossed}, {answer.run_count} runs"
    print(f"{total} commits, {different} candidates, {tests} ({answer.strategy})")
    print_tests(answer.tests)
    print_flakiness(answer)
    untested = [tried for tried in answer.skipped if tried.observation is None]
    if untested:
        print(
            f"skipped as untestable: {len(untested)} candidates, for example {untested[0].name[:12]}: "
            f"{untested[0].verdict.why}"
        )
    print_warnings(answer.ran, answer.found.monotone)
    for note in answer.notes:
        print(f"note: {note}")
    if len(suspects) > 1 and answer.attribution.lenders:
        lender = answer.attribution.lenders[0].version
        print(f"hint: --allow-inexact tests the others over the natives of {lender}, which show this change")
    print(f"git bisect replay {log}")


def _certainty(answer: CommitAnswer) -> str:
    if not answer.confirmation.done:
        return "unconfirmed"
    return "confirmed" if answer.exact else f"confirmed by {answer.exactness.value}"


def described(suspect: Suspect) -> str:
    """A commit on a line, with what it touches."""
    line = f"{_line(suspect.commit)} [{', '.join(suspect.touches)}]"
    if suspect.pins is None:
        return line
    older, newer = ((pin or "none")[:12] for pin in suspect.pins)
    return f"{line} LLVM {older} -> {newer}"


def _line(commit: Commit) -> str:
    return f"{commit.short} {commit.date[:10]} {commit.author}: {commit.subject}"


def _print_side(title: str, answer: CommitAnswer, commit: Commit, at: int) -> None:
    tried = answer.test_at(at)
    exactness = "" if tried.exactness is None else f", {tried.exactness.value}"
    shown = "; ".join(part for part in (figures(tried), tried.signature or "no failure") if part)
    print(f"{title}: {_line(commit)}")
    print(f"  {shown} ({tried.way}{exactness})")


def _print_attribution(answer: CommitAnswer) -> None:
    found = answer.attribution
    print(f"the change is owned by: {found.owner.value} ({found.why})")
    for cell in found.cells:
        pair = f"Python of {cell.python[:8]} over the natives of {cell.natives.version}"
        why = f" ({cell.tried.signature or cell.tried.verdict.why})" if cell.tried.side is Side.SKIP else ""
        print(f"  {pair}: {cell.tried.side.value}{why}")
    if found.llvm_changes:
        older, newer = ((pin or "none")[:12] for pin in found.llvm_pins)
        print(f"  the LLVM pin changes in this range: {older} -> {newer}")
