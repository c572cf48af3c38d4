"""A copy of a script that says, while it runs, what kind of value each expression has.

Every expression in value position is wrapped in a call that passes its value on and writes one line
to stderr the first time: its number, a number for the class of the value, its literal where it is a
plain constant, and the class where that was not named before. Short, since only the end of a long
stderr is kept.
The lines are written unbuffered, so they survive an abort of the compiler.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from flybisect.source import launches
from flybisect.source.edit import Edit, apply
from flybisect.source.expressions import (
    Place,
    modules,
    places,
    root_name,
)
from flybisect.source.launches import Launch
from flybisect.source.scopes import Statement, Statements
from flybisect.source.source import Source

MARK = "~kind "
VARIES = "?"
NAME = "_flybisect_kind"
RECORDER = f"""
import os as _flybisect_os
import zlib as _flybisect_zlib

def _flybisect_type(value):
    kind = type(value)
    if kind in (list, tuple) and value:
        return f"{{kind.__name__}}[{{len(value)}}] of {{_flybisect_type(value[0])}}"
    ir_type = getattr(value, "type", None)
    if "flydsl" in type(ir_type).__module__:
        return f"{{kind.__name__}}|{{ir_type}}"
    return kind.__name__

def {NAME}(number, value, seen={{}}, names={{}}):
    try:
        kind = _flybisect_type(value).replace(chr(9), " ").replace(chr(10), " ")
    except Exception:  # a foreign object may do anything when it is asked
        kind = type(value).__name__
    literal = repr(value) if type(value) in (int, bool, str, float, type(None)) else ""
    literal = literal if len(literal) < 60 and literal.isascii() else ""
    kind = kind if len(kind) < 160 else type(value).__name__ + "|" + str(_flybisect_zlib.crc32(kind.encode()))
    old = seen.get(number)
    if old != (kind, literal):
        seen[number] = (kind, literal) if old is None or old[0] == kind and not old[1] else (
            kind if old[0] == kind else "{VARIES}", "")
        if old != seen[number]:
            kind, literal = seen[number]
            name = "" if kind in names else kind
            index = names.setdefault(kind, len(names))
            _flybisect_os.write(2, f"\\n{MARK}{{number}}\\t{{index}}\\t{{literal}}\\t{{name}}\\n".encode())
    return value
"""
# On one line, so that every line behind it moves by at most one.
PREAMBLE = f"exec({RECORDER + launches.RECORDER!r})"

WRAPPED = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
CONDITIONS = (ast.If, ast.While, ast.For, ast.Assert)

Key = TypeVar("Key")
Where = tuple[str, str]
"""Name of the function around an expression, and the expression's text."""


@dataclass(frozen=True)
class ObservedTypes:
    """What a run of the instrumented script said."""

    kinds: Mapping[Where, str] = field(default_factory=dict)
    """Class name of the value; `VARIES` where it was not always the same."""
    values: Mapping[Where, str] = field(default_factory=dict)
    """Literal of expressions that had one and the same plain value every time."""
    results: Mapping[str, str] = field(default_factory=dict)
    """Text of a callee → class of what its calls gave, where they all agree; `.name` stands for what all
    methods and functions of that name gave."""

    def of(self, where: str, node: ast.expr, text: str) -> str | None:
        """The class of an expression's value; None where no run said it."""
        exact = self.exact(where, node, text)
        return None if exact is None else exact.partition("|")[0].partition("[")[0]

    def exact(self, where: str, node: ast.expr, text: str) -> str | None:
        """Class and IR type, as `Vector|vector<4xf32>` or `list[2] of Int32|i32`."""
        kind = self.kinds.get((where, text))
        if kind is None and isinstance(node, ast.Call):
            kind = self._result(ast.unparse(node.func))
        return None if kind == VARIES else kind

    def _result(self, callee: str) -> str | None:
        """Of a call that no run has seen; its IR type may be another than that of its namesakes."""
        kind = self.results.get(callee)
        if kind is None and "." in callee:
            kind = self.results.get(_named(callee))
            kind = kind.partition("|")[0] if kind is not None else None
        return kind


@dataclass(frozen=True)
class Instrumented:
    """The text to run, and where each number stands."""

    text: str
    line: int | None
    """The 1-based line that the preamble has taken; None where it shares one."""
    places: tuple[tuple[Where, str], ...]
    """By number: where the expression stands, and its callee's text where it is a call."""

    def original_lines(self, lines: Iterable[int]) -> frozenset[int]:
        """Lines of the instrumented text as lines of the script."""
        if self.line is None:
            return frozenset(lines)
        return frozenset(line - (line > self.line) for line in lines if line != self.line)

    def launches(self, stderr: str) -> tuple[Launch, ...]:
        """The calls of launchers that a run's stderr tells of, by lines of the script."""
        return tuple(
            replace(each, line=each.line - (self.line is not None and each.line > self.line))
            for each in launches.read(stderr)
        )

    def read(self, stderr: str) -> ObservedTypes:
        """What a run's stderr says."""
        kinds: dict[Where, str] = {}
        values: dict[Where, str] = {}
        results: dict[str, str] = {}
        names: dict[str, str] = {}
        for line in stderr.split("\n"):
            fields = line.removeprefix(MARK).split("\t")
            if not line.startswith(MARK) or len(fields) != 4 or not fields[0].isdigit():
                continue
            number, index, literal, name = fields
            kind = names.setdefault(index, name)
            if int(number) >= len(self.places) or not kind:
                continue
            where, callee = self.places[int(number)]
            same = kinds.get(where, kind) == kind and (where not in kinds or values.get(where, "") == literal)
            _agree(kinds, where, kind)
            values[where] = literal if same else ""
            if callee:
                _agree(results, callee, kind)
                _agree(results, _named(callee), kind.partition("|")[0])
        return ObservedTypes(kinds, {w: v for w, v in values.items() if v}, results)


def instrumented(text: str) -> Instrumented:
    """The script with its expressions wrapped. Raises SyntaxError when it does not parse."""
    table = Statements(Source(text))
    imported = modules(table)
    edits: list[Edit] = []
    numbered: list[tuple[Where, str]] = []
    spans: set[tuple[int, int]] = set()
    for entry in table.all:
        if not isinstance(entry.node, WRAPPED + CONDITIONS):
            continue
        for place in places(table, entry):
            span = table.source.span(place.node)
            if isinstance(entry.node, CONDITIONS) and not _leaf(place):
                continue
            if _worth_asking(place.node, place.parent, imported) and span not in spans:
                spans.add(span)
                edits.append(Edit(span[0], span[0], f"{NAME}({len(numbered)}, "))
                edits.append(Edit(span[1], span[1], ")"))
                callee = ast.unparse(place.node.func) if isinstance(place.node, ast.Call) else ""
                numbered.append(((around(table, entry), table.source.segment(place.node)), callee))
    start = _insertion_point(table)
    if start is None:
        return Instrumented(text, None, ())
    at = table.source.line_begin(start)
    shared = bool(text[at:start].strip())
    at = start if shared else at
    # The preamble goes before all wrapped code, so its offset is the same in both texts.
    body = _wrap(text, edits)
    copy = body[:at] + PREAMBLE + ("; " if shared else "\n") + body[at:]
    return Instrumented(copy, None if shared else table.source.line_of(at), tuple(numbered))


def _wrap(text: str, edits: list[Edit]) -> str:
    """Insertions at one offset: closing brackets first, then openings from the outermost inward."""
    by_offset: dict[int, str] = {}
    for edit in edits:
        old = by_offset.get(edit.start, "")
        if edit.text == ")":
            # What is closed here was opened later than what is already noted.
            by_offset[edit.start] = edit.text + old
        else:
            by_offset[edit.start] = old + edit.text
    return apply(text, [Edit(at, at, new) for at, new in by_offset.items()])


def _worth_asking(node: ast.expr, parent: ast.AST, imported: frozenset[str]) -> bool:
    if isinstance(parent, ast.Call) and parent.func is node:
        return False
    if isinstance(parent, ast.Attribute) and not isinstance(node, (ast.Call, ast.Name)):
        return False
    if isinstance(node, (ast.Name, ast.Attribute)):
        return not (isinstance(parent, ast.Attribute) and root_name(node) in imported)
    return isinstance(node, (ast.Call, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.IfExp))


def around(table: Statements, entry: Statement) -> str:
    """Name of the innermost function around a statement. Its place may change, as when a factory goes."""
    for number in table.ancestors(entry.number):
        node = table.all[number].node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return node.name
    return ""


def _leaf(place: Place) -> bool:
    """A name or attribute inside a condition; the DSL looks at the form of conditions and loops."""
    return isinstance(place.node, (ast.Name, ast.Attribute)) and not isinstance(place.parent, ast.stmt)


def _insertion_point(table: Statements) -> int | None:
    """Start of the first statement that may stand behind the preamble; None where there is none."""
    for node in table.source.tree.body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not docstring and not future:
            return table.source.span(node)[0]
    return None


def _named(callee: str) -> str:
    """`.get_slice` of `tiled.copy(1).get_slice`."""
    return "." + callee.rpartition(".")[2]


def _agree(kinds: dict[Key, str], key: Key, kind: str) -> None:
    """Notes what was seen once more."""
    kinds[key] = kind if kinds.get(key, kind) == kind else VARIES


def agree(each: Iterable[ObservedTypes]) -> ObservedTypes:
    """What all runs say alike; kinds that differ vary, values that differ are not known."""
    runs = list(each)
    if not runs:
        return ObservedTypes()
    kinds: dict[Where, str] = {}
    results: dict[str, str] = {}
    for run in runs:
        for where, kind in run.kinds.items():
            _agree(kinds, where, kind)
        for callee, kind in run.results.items():
            _agree(results, callee, kind)
    values = {
        where: value
        for where, value in runs[0].values.items()
        if all(run.values.get(where) == value for run in runs)
    }
    return ObservedTypes(kinds, values, results)
