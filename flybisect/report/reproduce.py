"""The text of `reproduce.sh`: whether the bug shows, judged without flybisect where that is possible."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Sequence

from flybisect.findings.model import Findings
from flybisect.observation import METRICS
from flybisect.report import command
from flybisect.report.header import command_of, shell
from flybisect.report.marks import ends_by, marks
from flybisect.report.templating import template
from flybisect.report.view import View
from flybisect.signature import classify

OBSERVED = frozenset(METRICS) - {"occupancy"}
"""Metrics that `observe.py` knows."""
FUNCTIONS = frozenset({"min", "max", "abs"})
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
        condition_text=repr(found.condition),
        runs=[(name, arch, [shlex.quote(word) for word in argv]) for name, arch, argv in _runs(found, view)],
        marks=[shlex.quote(mark) for mark in marks(found.script.observation)],
        signal=ends_by(found.script.observation),
    )


def _runs(found: Findings, view: View) -> list[tuple[str, str, Sequence[str]]]:
    runs: list[tuple[str, str, Sequence[str]]] = [("this", found.arch, view.argv)]
    against = found.case.against
    if view.measured and against is not None:
        argv = view.argv if against.argv is None else against.argv
        runs.append(("base", against.arch or found.arch, argv))
    return runs


def _condition(found: Findings) -> str | None:
    """In Python, with the metrics looked up; None where a plain run does not tell them."""
    text = found.condition
    if text is None or (found.case.against is not None and found.case.against.flydsl is not None):
        return None
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return None
    if any(isinstance(node, ast.Name) and node.id == "first" for node in ast.walk(tree)):
        return None
    called = {_name(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    if not called <= FUNCTIONS:
        return None
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {"base", *FUNCTIONS}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return ast.unparse(_Looked().visit(tree)) if names <= OBSERVED else None


class _Looked(ast.NodeTransformer):
    """`vgprs` as `this['vgprs']`."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in OBSERVED:
            return node
        return ast.parse(f"this[{node.id!r}]", mode="eval").body


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _by_flybisect(found: Findings, view: View) -> str:
    words = command_of(found.case, found.flydsl)
    words[1:3] = ["check", command.NAME]
    if found.signature is not None:
        at = words.index("--arch")
        words[at:at] = ["--signature", found.signature]
    return shell(words)
