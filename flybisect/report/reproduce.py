"""The text of `reproduce.sh`. It judges the bug without flybisect when that is possible."""

from __future__ import annotations

import shlex

from flybisect.observation import Observation, Stage
from flybisect.oracle.signatures import classify
from flybisect.report import command
from flybisect.report.condition import in_python, settled
from flybisect.report.fingerprints import ends_by, marks
from flybisect.report.templating import template
from flybisect.report.view import ReportView
from flybisect.workflows.findings import Findings
from flybisect.workflows.heading import command_of, shell

BY_FAILURE = frozenset({"legalization", "assertion", "fatal", "verifier", "diagnostic", "exception", "crash"})


def reproduce_sh(found: Findings) -> str:
    view = ReportView(found)
    plain = _condition(found) if view.measured else None
    seen = found.script.observation
    words = _words(seen)
    failure = classify(seen)
    alone = plain is not None or (
        failure is not None
        and failure.kind in BY_FAILURE
        and (_are_printed(seen, words) if words else ends_by(seen) is not None)
    )
    return template("reproduce.sh.j2").render(
        title=view.title,
        version=found.flydsl,
        flybisect=None if alone else _by_flybisect(found, view),
        condition=plain,
        condition_text=repr(settled(found)),
        runs=[(name, arch, [shlex.quote(word) for word in argv]) for name, arch, argv in view.runs],
        env=[f"{name}={shell([value])}" for name, value in found.case.env],
        marks=[[shlex.quote(piece) for piece in pieces] for pieces in words],
        signal=ends_by(seen),
        compiling=None if words else seen.stage in (Stage.PASSES, Stage.CODEGEN),
    )


def _words(seen: Observation) -> list[list[str]]:
    """Fixed words of the signature; those in one list appear on one line."""
    found = marks(seen)
    failure = classify(seen)
    if failure is not None and failure.kind == "exception":
        return [found] if found else []
    return [[mark] for mark in found]


def _are_printed(seen: Observation, words: list[list[str]]) -> bool:
    """Whether a plain run prints them: a script may catch an exception and print nothing."""
    return seen.exception is not None or all(
        any(all(piece in line for piece in pieces) for line in seen.stderr.splitlines()) for pieces in words
    )


def _condition(found: Findings) -> str | None:
    """None where a plain run does not tell it."""
    against = found.case.baseline
    return None if against is not None and against.flydsl is not None else in_python(settled(found))


def _by_flybisect(found: Findings, view: ReportView) -> str:
    words = command_of(found.judged, found.flydsl)
    words[1:3] = ["check", command.NAME]
    if found.signature is not None:
        at = words.index("--arch")
        words[at:at] = ["--signature", found.signature]
    return shell(words)
