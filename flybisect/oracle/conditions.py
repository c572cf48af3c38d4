"""Conditions over metrics, for example `vgpr_spills >= base.vgpr_spills + 8`. Pure.

A name is a metric of the worst kernel. A condition that reads `base` compares one kernel throughout: the one
that was worst in the unreduced script (`flybisect.oracle.kernels`).

    base.NAME         the metric under the baseline
    first.NAME        the metric of the unreduced script
    first.base.NAME   the metric of the unreduced script under the baseline
    count("ds_read*") the number of matching instructions
    bases("ds_read*") the highest number of distinct base registers of a matching instruction

Also allowed: numbers, `+ - * / // %`, comparisons and their chains, `and`, `or`, `not`, `min`, `max`, `abs`.
"""

from __future__ import annotations

import ast
import difflib
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from flybisect.errors import UserError
from flybisect.observation import METRICS, Kernel, Observation
from flybisect.oracle import kernels
from flybisect.oracle.plugin import Evidence

LONGEST = 500
"""Most characters of a condition."""
MOST_NODES = 150
"""Most syntax nodes of a condition."""
LARGEST = 1e12
"""Largest number in a condition."""

Namespace = tuple[str, ...]
"""`()`, `("base",)`, `("first",)` or `("first", "base")`."""
Number = Callable[[Evidence], float]
Truth = Callable[[Evidence], bool]
Figure = Callable[[Kernel], float]

_COUNTERS = ("count", "bases")
_FUNCTIONS: Mapping[str, Callable[..., float]] = {"min": min, "max": max, "abs": abs}
_ARITHMETIC: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class MissingFigure(Exception):
    """The observation lacks a figure that the condition reads, for example because no kernel was compiled."""


@dataclass(frozen=True)
class Condition:
    """A parsed and checked condition."""

    text: str
    needs_assembly: bool
    """It counts instructions or base registers."""
    needs_baseline: bool
    """It reads a figure of the baseline."""
    _truth: Truth = field(repr=False, compare=False)
    _terms: Mapping[str, Number] = field(repr=False, compare=False)

    @property
    def terms(self) -> frozenset[str]:
        """Each name and counter of the condition, as written."""
        return frozenset(self._terms)

    def holds(self, evidence: Evidence) -> bool:
        """Evaluates the condition. Raises MissingFigure if the evidence lacks a figure that decides."""
        return self._truth(evidence)

    def figures(self, evidence: Evidence) -> dict[str, float]:
        """The value of each name and counter of the condition that has one."""
        found: dict[str, float] = {}
        for text, number in self._terms.items():
            try:
                found[text] = number(evidence)
            except MissingFigure:
                continue
        return found


def parse(text: str, longest: int | None = LONGEST) -> Condition:
    """Parses a condition. Raises UserError, which names the wrong part and the known metrics.

    `longest`: None for a condition that was made of a parsed one.
    """
    if longest is not None and len(text) > longest:
        raise UserError(f"the condition has {len(text)} characters; at most {longest} are allowed")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(_syntax(text, error)) from error
    if longest is not None and sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise UserError(f"the condition {text!r} has too many parts; at most {MOST_NODES} are allowed")
    builder = _Builder(text)
    truth = builder.truth(tree.body)
    return Condition(text.strip(), builder.counts, builder.compares, truth, builder.terms)


def _syntax(text: str, error: Exception) -> str:
    plain = text.replace(">=", "").replace("<=", "").replace("==", "").replace("!=", "")
    hint = "; equality is written ==" if "=" in plain else ""
    reason = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"the condition {text!r} cannot be parsed: {reason}{hint}"


class _Builder:
    """Turns a syntax tree into functions of the evidence and checks every node."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.counts = False
        self.compares = False
        self.terms: dict[str, Number] = {}
        self._ranks: kernels.Worse | None = None

    def truth(self, node: ast.expr) -> Truth:
        if isinstance(node, ast.BoolOp):
            parts = [self.truth(value) for value in node.values]
            together = all if isinstance(node.op, ast.And) else any
            return lambda evidence: together(part(evidence) for part in parts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.truth(node.operand)
            return lambda evidence: not inner(evidence)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if self._is_number(node):
            self.number(node)  # report an error inside of it first
            raise self._wrong(node, "is a number, not a condition; compare it, for example with > 0")
        raise self._wrong(node, "is not allowed in a condition")

    def number(self, node: ast.expr) -> Number:
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            inner, sign = self.number(node.operand), -1 if isinstance(node.op, ast.USub) else 1
            return lambda evidence: sign * inner(evidence)
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._metric(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, (ast.Compare, ast.BoolOp)):
            raise self._wrong(node, "is a condition where a number is expected")
        raise self._wrong(node, "is not allowed in a condition")

    def _is_number(self, node: ast.expr) -> bool:
        return isinstance(node, (ast.Constant, ast.Name, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Call))

    def _comparison(self, node: ast.Compare) -> Truth:
        numbers = [self.number(value) for value in (node.left, *node.comparators)]
        tests: list[Callable[[float, float], bool]] = []
        for op in node.ops:
            if type(op) not in _COMPARISONS:
                raise self._wrong(node, "uses a comparison that does not apply to figures")
            tests.append(_COMPARISONS[type(op)])

        def holds(evidence: Evidence) -> bool:
            left = numbers[0](evidence)
            for test, right_number in zip(tests, numbers[1:], strict=True):
                right = right_number(evidence)
                if not test(left, right):
                    return False
                left = right
            return True

        return holds

    def _constant(self, node: ast.Constant) -> Number:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= LARGEST:
            raise self._wrong(node, "cannot be compared with a figure")
        fixed = float(value) if isinstance(value, float) else value
        return lambda evidence: fixed

    def _arithmetic(self, node: ast.BinOp) -> Number:
        if type(node.op) not in _ARITHMETIC:
            raise self._wrong(node, "uses an operator other than + - * / // %")
        left, right, combine = self.number(node.left), self.number(node.right), _ARITHMETIC[type(node.op)]
        text = self._source(node)

        def value(evidence: Evidence) -> float:
            try:
                return combine(left(evidence), right(evidence))
            except (ZeroDivisionError, OverflowError) as error:
                raise MissingFigure(f"{text}: {error}") from error

        return value

    def _metric(self, node: ast.Name | ast.Attribute) -> Number:
        path = _dotted(node)
        if path is None:
            raise self._wrong(node, "is not a metric")
        namespace, name = self._namespace(path[:-1], node), path[-1]
        if name not in METRICS:
            raise self._unknown(node, name)
        return self._term(node, namespace, name, lambda kernel: _metric(kernel, name))

    def _call(self, node: ast.Call) -> Number:
        path = _dotted(node.func)
        if path is None or node.keywords:
            raise self._wrong(node, "is not a known call")
        if path[-1] in _COUNTERS:
            return self._counter(node, path)
        if len(path) == 1 and path[0] in _FUNCTIONS:
            return self._function(node, path[0])
        raise self._wrong(node, f"calls {path[-1]!r}; the functions are count, bases, min, max and abs")

    def _counter(self, node: ast.Call, path: Namespace) -> Number:
        namespace, name = self._namespace(path[:-1], node), path[-1]
        argument = node.args[0] if len(node.args) == 1 else None
        if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
            raise self._wrong(node, f'should be {name}("MNEMONIC"), where * stands for anything')
        glob = argument.value
        self.counts = True
        return self._term(node, namespace, f"{name}({glob!r})", lambda kernel: _counted(kernel, name, glob))

    def _function(self, node: ast.Call, name: str) -> Number:
        least = 1 if name == "abs" else 2
        if len(node.args) < least or (name == "abs" and len(node.args) > 1):
            raise self._wrong(node, f"passes {len(node.args)} numbers to {name}")
        arguments, function = [self.number(argument) for argument in node.args], _FUNCTIONS[name]
        return lambda evidence: function(*(argument(evidence) for argument in arguments))

    def _term(self, node: ast.expr, namespace: Namespace, name: str, figure: Figure) -> Number:
        def number(evidence: Evidence) -> float:
            observation = _observed(evidence, namespace)
            if not observation.kernels:
                raise MissingFigure(f"no kernel was compiled, so there is no {name}")
            if name not in METRICS and not any(kernel.instructions for kernel in observation.kernels):
                raise MissingFigure("no assembly was made, so instructions cannot be counted")
            return figure(self._kernel(evidence, observation, namespace, _worse(name, figure)))

        self._ranks = self._ranks or _worse(name, figure)
        self.terms[self._source(node)] = number
        return number

    def _kernel(
        self, evidence: Evidence, observation: Observation, namespace: Namespace, worse: kernels.Worse
    ) -> Kernel:
        """The kernel to read. A condition that compares chooses it by its first figure."""
        start = _observed(evidence, ("first",))
        if not self.compares or not start.kernels:
            return kernels.worst(observation.kernels, worse)
        worse = self._ranks or worse
        wanted = kernels.worst(start.kernels, worse)
        found = kernels.same(wanted, start, observation, worse)
        if found is None:
            where = "the baseline does" if "base" in namespace else "the script does"
            raise MissingFigure(f"{where} not compile the kernel {wanted.name}, which is to be compared")
        return found

    def _namespace(self, path: Namespace, node: ast.expr) -> Namespace:
        if path not in ((), ("base",), ("first",), ("first", "base")):
            raise self._wrong(node, "should begin with base., first. or first.base.")
        self.compares = self.compares or "base" in path
        return path

    def _unknown(self, node: ast.expr, name: str) -> UserError:
        close = difflib.get_close_matches(name, METRICS, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        known = ", ".join(METRICS)
        return UserError(
            f"the condition {self._text!r} names {self._source(node)!r}, which is no metric{hint}; "
            f'the metrics are {known}, count("MNEMONIC") and bases("MNEMONIC")'
        )

    def _wrong(self, node: ast.AST, what: str) -> UserError:
        known = ", ".join(METRICS)
        return UserError(f"in the condition {self._text!r}, {self._source(node)!r} {what} (metrics: {known})")

    def _source(self, node: ast.AST) -> str:
        return ast.unparse(node)


def _dotted(node: ast.expr) -> Namespace | None:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return None if before is None else (*before, node.attr)
    return None


def _observed(evidence: Evidence, namespace: Namespace) -> Observation:
    if namespace[:1] == ("first",):
        evidence = evidence.first or evidence
    if namespace[-1:] != ("base",):
        return evidence.subject
    if evidence.baseline is None:
        raise MissingFigure("there is no baseline")
    return evidence.baseline


def _worse(name: str, figure: Figure) -> kernels.Worse:
    return (lambda kernel: -figure(kernel)) if name == "occupancy" else figure


def _metric(kernel: Kernel, name: str) -> int:
    value: int = getattr(kernel, name)
    return value


def _counted(kernel: Kernel, name: str, glob: str) -> float:
    if name == "count":
        return _sum_matching(kernel.instructions, glob)
    return _most_matching(kernel.bases, glob)


def _sum_matching(figures: Mapping[str, int], glob: str) -> int:
    return sum(value for name, value in figures.items() if fnmatchcase(name, glob))


def _most_matching(figures: Mapping[str, int], glob: str) -> int:
    return max((value for name, value in figures.items() if fnmatchcase(name, glob)), default=0)
