"""Tests that fail now and pass once the bug is fixed: for pytest, and for fly-opt with FileCheck."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flybisect import __version__
from flybisect.errors import UserError
from flybisect.observation import Outcome
from flybisect.oracle.signatures import classify
from flybisect.report import command
from flybisect.report.condition import in_python, settled
from flybisect.report.fingerprints import marks
from flybisect.report.redaction import Redaction
from flybisect.report.templating import template
from flybisect.report.view import ReportView
from flybisect.workflows.findings import Findings

TIMEOUT = 600
"""Seconds for one compile of the exported test."""
CODEGEN = "gpu-module-to-binary{format=isa}"
PLAIN_PASS = re.compile(r"[\w-]+")


def as_pytest(found: Findings, private: Redaction) -> str:
    """Raises UserError when a plain run does not show the bug."""
    view = ReportView(found)
    beside = found.script.observation.python_files
    if beside:
        raise UserError(
            f"the script reads {', '.join(beside)} from its folder, and a test is a single file; "
            "use `report --bundle`"
        )
    condition = None
    if view.measured:
        against = found.case.baseline
        by_flydsl = against is not None and against.flydsl is not None
        condition = None if by_flydsl else in_python(settled(found))
        if condition is None:
            raise UserError(
                f"the bug ({view.condition}) cannot be tested by the figures of one FlyDSL's code object; "
                "use `flybisect check` as the test"
            )
    script, observer = found.script.text.rstrip() + "\n", command.observer_text()
    quotes = '"""' if '"""' not in script + observer else "'''"
    if quotes in script + observer:
        raise UserError(
            "the script contains both kinds of triple quotes, so no test can hold it; use `report --bundle`"
        )
    text = template("regression.py.j2").render(
        title=private.text(view.title),
        version=__version__,
        before=found.original.statements,
        after=found.script.statements,
        quotes=quotes,
        script=script,
        observer=observer,
        timeout=TIMEOUT,
        name=slug(found),
        condition=condition,
        said=_said_with_exit_0(found) if condition is None else [],
        env="".join(f", {name!r}: {value!r}" for name, value in found.case.env),
        runs=[(name, repr(arch), [repr(word) for word in argv]) for name, arch, argv in view.runs],
    )
    return private.script(text)


def _said_with_exit_0(found: Findings) -> list[str]:
    """What tells the bug where the process ends well: the words of the compiler's error."""
    seen = found.script.observation
    return [repr(mark) for mark in marks(seen)] if seen.outcome is Outcome.OK else []


def as_lit(found: Findings, private: Redaction) -> str:
    """Raises UserError when no pass fails."""
    ir = found.dump
    failure = classify(found.script.observation)
    if failure is None:
        raise UserError("nothing fails: figures are the bug, and no stage of the IR shows them; use --pytest")
    if ir is None:
        raise UserError("the script fails before there is any IR; use --pytest")
    if len(ir.ir) != 1:
        raise UserError(f"the script compiles {len(ir.ir)} modules, and a file holds one; use --pytest")
    view = ReportView(found)
    return template("regression.mlir.j2").render(
        option=fly_opt_option(pass_of(found)),
        title=private.text(view.title),
        flydsl=found.flydsl,
        labels=_labels(ir.ir[0]),
        absents=[failure.text] if failure.kind == "legalization" else [],
        ir=private.script(ir.ir[0].rstrip()),
    )


def pass_of(found: Findings) -> str:
    """The fragment of the pipeline that fails; code generation when all passes succeed."""
    assert found.dump is not None
    return found.dump.failing_pass or CODEGEN


def pipeline(fragment: str) -> str:
    return f"builtin.module({fragment})"


def fly_opt_option(fragment: str) -> str:
    """`--NAME` when that is enough."""
    return f"--{fragment}" if PLAIN_PASS.fullmatch(fragment) else f"--pass-pipeline='{pipeline(fragment)}'"


def slug(found: Findings) -> str:
    """A name for a test, made from the signature."""
    signature = found.signature or found.oracle
    words = re.sub(r"[^0-9A-Za-z]+", "_", signature.split(" in ")[0]).strip("_").lower()
    return words[:60].rstrip("_") or "bug"


def _labels(module: str) -> Sequence[str]:
    return list(dict.fromkeys(re.findall(r"gpu\.func @([\w$.-]+)", module)))
