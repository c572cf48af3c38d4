"""The text of `reproduce.sh`: whether the bug shows, judged without flybisect where that is possible."""

from __future__ import annotations

import shlex

from flybisect.findings.model import Findings
from flybisect.report import command
from flybisect.report.condition import in_python, settled
from flybisect.report.header import command_of, shell
from flybisect.report.marks import ends_by, marks
from flybisect.report.templating import template
from flybisect.report.view import View
from flybisect.signature import classify

BY_FAILURE = frozenset({"legalization", "assertion", "fatal", "verifier", "diagnostic", "exception", "crash"})


def reproduce_sh(found: Findings) -> str:
    view = View(found)
    plain = _condition(found) if view.measured else None
    failure = classify(found.script.observation)
    alone = plain is not None or (
        failure is not None
        and failure.kind in BY_FAILURE
        and bool(marks(found.script.observation) or ends_by(found.script.observation))
    )
    return template("reproduce.sh.j2").render(
        title=view.title,
        version=found.flydsl,
        flybisect=None if alone else _by_flybisect(found, view),
        condition=plain,
        condition_text=repr(settled(found)),
        runs=[(name, arch, [shlex.quote(word) for word in argv]) for name, arch, argv in view.runs],
        env=[f"{name}={shell([value])}" for name, value in found.case.env],
        marks=[shlex.quote(mark) for mark in marks(found.script.observation)],
        signal=ends_by(found.script.observation),
    )


def _condition(found: Findings) -> str | None:
    """None where a plain run does not tell it."""
    against = found.case.against
    return None if against is not None and against.flydsl is not None else in_python(settled(found))


def _by_flybisect(found: Findings, view: View) -> str:
    words = command_of(found.case, found.flydsl)
    words[1:3] = ["check", command.NAME]
    if found.signature is not None:
        at = words.index("--arch")
        words[at:at] = ["--signature", found.signature]
    return shell(words)
