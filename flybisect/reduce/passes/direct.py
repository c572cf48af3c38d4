"""A launcher called directly, with what it was given: all that prepared the call goes in one trial.

Between a script's first line and a launch there may be an argument parser, tables of factories, helpers
that hand `*args` on, modules of torch and custom operators. A run has told what the launcher was called
with in the end, and what it and its kernels captured.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import PERHAPS, DynamicFacts, Hint, Pass, PassPhase
from flybisect.reduce.passes.parameters import calls_of
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit, apply
from flybisect.source.effects import Effects
from flybisect.source.expressions import modules, name_of_module, root_name
from flybisect.source.instrument import ObservedTypes
from flybisect.source.launches import Launch
from flybisect.source.layout import reindented
from flybisect.source.scopes import Key, Statement, Statements

MOST = 3
"""Launches that are tried, the last ones: a failure shows in the last."""
WORTH = 2
"""Statements that have to go for it."""
PLAINLY = 40
"""The same where the script calls the launcher by its name: then other passes do it without a compile."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each launch the text that makes only this one, the last one first."""
    found: dict[str, Hint] = {}
    for launch in reversed(facts.launches):
        cut = _cut(table, launch, facts.kinds)
        if cut is not None:
            label = f"direct {_call(table, launch)}"
            found.setdefault(label, Hint(label, cut))
    return list(found.values())[:MOST]


def _cut(table: Statements, launch: Launch, kinds: ObservedTypes) -> Cut | None:
    definition, call = _definition(table, launch), _call(table, launch)
    if definition is None or call is None:
        return None
    around = list(table.ancestors(definition.number))
    top = table.all[around[-1]] if around else definition
    if not isinstance(top.node, _DEFINITIONS):
        return None
    moving = _Moving(table, launch, kinds, definition)
    if around and not moving.possible:
        return None
    kept = _reached(table, moving)
    if top.number in kept and around:
        return None
    host = [entry for entry in _host(table, moving, kept) if entry is not top]
    behind = [entry for entry in host if entry.start > top.start]
    if not behind:
        return None
    worth = PLAINLY if _called_plainly(table, definition) and not around else WORTH
    if _left(table, moving, kept, host) > len(table.all) - worth:
        return None
    edits = {Edit(behind[-1].start, behind[-1].end, call)}
    lost = {
        table.owner(name, scope) for entry in host for name, scope in entry.binds if scope is table.module
    }
    if around:
        edits.add(Edit(top.start, top.end, moving.text()))
        lost |= {table.owner(name, scope) for name, scope in top.binds if scope is table.module}
    lost -= {key for key in lost if any(b.number in kept for b in table.binders.get(key, ()))}
    gone = frozenset(part for entry in host for part in table.subtree(entry.number))
    gone -= frozenset(table.subtree(behind[-1].number))
    return Cut(statements=gone, edits=frozenset(edits), lost=frozenset(lost))


def _called_plainly(table: Statements, definition: Statement) -> bool:
    """True for a launcher that is only called, with all arguments written down."""
    calls = calls_of(table, definition)
    return calls is not None and not any(
        isinstance(each, ast.Starred) or (isinstance(each, ast.keyword) and each.arg is None)
        for call in calls
        for each in [*call.args, *call.keywords]
    )


def _left(table: Statements, moving: _Moving, kept: set[int], host: Sequence[Statement]) -> int:
    """How many statements are left when nothing is that the launch does not read."""
    numbers = {number for top in kept for number in table.subtree(top)}
    numbers |= {number for entry in moving.entries for number in table.subtree(entry.number)}
    settling = [
        e for e in table.all if e.parent is None and e not in host and not isinstance(e.node, _DEFINITIONS)
    ]
    return len(numbers | {number for entry in settling for number in table.subtree(entry.number)}) + 1


def _definition(table: Statements, launch: Launch) -> Statement | None:
    """The launcher; by its line where several have its name."""
    found = [
        entry
        for entry in table.all
        if isinstance(entry.node, ast.FunctionDef)
        and entry.node.name == launch.function
        and any(_is_jit(decorator) for decorator in entry.node.decorator_list)
    ]
    if len(found) > 1:
        lines = table.source.line_of
        found = [entry for entry in found if lines(entry.start) <= launch.line <= entry.node.lineno]
    return found[0] if len(found) == 1 else None


def _is_jit(decorator: ast.expr) -> bool:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")) == "jit"


def _call(table: Statements, launch: Launch) -> str | None:
    """The text of the call; None where an argument cannot be written down."""
    texts: list[str] = []
    named = False
    positions = _parameters(_definition(table, launch))
    for argument in launch.arguments:
        text = None if argument.text is None else written(table, argument.text)
        if text is None:
            return None
        named = named or argument.keyword or positions[len(texts) : len(texts) + 1] != [argument.name]
        texts.append(f"{argument.name}={text}" if named else text)
    return f"{launch.function}({', '.join(texts)})"


def _parameters(definition: Statement | None) -> list[str]:
    if definition is None or not isinstance(definition.node, ast.FunctionDef):
        return []
    arguments = definition.node.args
    return [each.arg for each in [*arguments.posonlyargs, *arguments.args]]


def written(table: Statements, text: str) -> str | None:
    """A text of a run in the names that the script has for modules; None where it has none for one."""
    for module in ("flydsl.expr", "torch"):
        if re.search(rf"(?<![\w.'\"]){re.escape(module)}\.", text):
            name = name_of_module(table, module)
            if name is None:
                return None
            text = re.sub(rf"(?<![\w.'\"]){re.escape(module)}\.", f"{name}.", text)
    return text


class _Moving:
    """A launcher with what it needs of the functions around it, to stand in the place of the outermost."""

    def __init__(
        self, table: Statements, launch: Launch, kinds: ObservedTypes, definition: Statement
    ) -> None:
        self._table = table
        self._launch = launch
        self._kinds = kinds
        self._around = [table.all[number] for number in table.ancestors(definition.number)]
        self._functions = {
            table.function_scope[each.node].number: each.node
            for each in self._around
            if isinstance(each.node, _DEFINITIONS)
        }
        self._constants: dict[Key, str] = {}
        self.entries: list[Statement] = []
        """What moves, in text order; the launcher alone where nothing is around it."""
        self.possible = self._take(definition)
        self.entries.sort(key=lambda entry: entry.start)
        if self._clashes():
            self.possible = False

    def uses(self) -> Iterator[Key]:
        """The variables of the module that are read."""
        for entry in self.entries:
            for number in self._table.subtree(entry.number):
                for use in self._table.all[number].uses:
                    key = self._table.resolve(use.name, use.scope)
                    if key is not None and key[0] == 0:
                        yield key

    def names(self) -> set[str]:
        """What is bound in the module then."""
        return {name for entry in self.entries for name, scope in entry.binds if scope is entry.scope}

    def text(self) -> str:
        return "\n\n\n".join(self._moved(entry) for entry in self.entries)

    def _take(self, entry: Statement) -> bool:
        """Adds a statement with all that it reads of the functions around; False where that cannot be."""
        if entry in self.entries:
            return True
        self.entries.append(entry)
        for number in self._table.subtree(entry.number):
            for use in self._table.all[number].uses:
                key = self._table.resolve(use.name, use.scope)
                if key is not None and key[0] in self._functions and not self._provide(key):
                    return False
        return True

    def _provide(self, key: Key) -> bool:
        if key in self._constants:
            return True
        where = self._functions[key[0]].name
        captured = self._launch.captured.get(key[1]) or self._kinds.values.get((where, key[1]))
        text = None if captured is None else written(self._table, captured)
        if text is not None:
            self._constants[key] = text
            return True
        binders = self._table.binders.get(key, [])
        return len(binders) == 1 and self._movable(binders[0]) and self._take(binders[0])

    def _movable(self, entry: Statement) -> bool:
        """A statement of a function around the launcher, outside of loops, and no parameter of one."""
        outer = [self._table.all[number] for number in self._table.ancestors(entry.number)]
        holder = next((each for each in outer if isinstance(each.node, _DEFINITIONS)), None)
        inside = holder in self._around and not entry.loops
        kinds = (*_DEFINITIONS, *_IMPORTS, ast.Assign, ast.AnnAssign)
        return inside and entry not in self._around and isinstance(entry.node, kinds)

    def _clashes(self) -> bool:
        """True where a name means something else in the module that has to stay."""
        top = self._around[-1] if self._around else None
        if top is None:
            return False
        return any(
            binder is not top and isinstance(binder.node, (*_DEFINITIONS, *_IMPORTS))
            for name in self.names()
            for binder in self._table.binders.get((0, name), ())
        )

    def _moved(self, entry: Statement) -> str:
        source = self._table.source
        edits = []
        for number in self._table.subtree(entry.number):
            for use in self._table.all[number].uses:
                key = self._table.resolve(use.name, use.scope)
                end = use.offset + len(use.name)
                if key in self._constants and source.text[use.offset : end] == use.name:
                    edits.append(Edit(use.offset, end, _in_place(self._constants[key], source.text, end)))
        text = reindented(source, entry.start, entry.end, "")
        if not edits:
            return text
        whole = type(source)(apply(source.text, edits))
        grown = sum(len(edit.text) - (edit.end - edit.start) for edit in set(edits))
        return reindented(whole, entry.start, entry.end + grown, "")


def _in_place(text: str, whole: str, end: int) -> str:
    """A constant for a name; in brackets where a dot or a sign would change what it is."""
    return f"({text})" if whole[end : end + 1] == "." or text.startswith("-") else text


def _reached(table: Statements, moving: _Moving) -> set[int]:
    """The statements of the module's top that what moves reads, and that those read."""
    found: set[int] = set()
    waiting = list(moving.uses())
    seen: set[Key] = set()
    while waiting:
        key = waiting.pop()
        if key in seen:
            continue
        seen.add(key)
        for binder in table.binders.get(key, ()):
            top = _top(table, binder)
            if top in moving.entries or top.number in found:
                continue
            found.add(top.number)
            for number in table.subtree(top.number):
                for use in table.all[number].uses:
                    inner = table.resolve(use.name, use.scope)
                    if inner is not None and inner[0] == 0:
                        waiting.append(inner)
    return found


def _top(table: Statements, entry: Statement) -> Statement:
    outer = list(table.ancestors(entry.number))
    return table.all[outer[-1]] if outer else entry


def _host(table: Statements, moving: _Moving, kept: set[int]) -> list[Statement]:
    """The statements of the module's top that only lead to a launch."""
    effects, imported = Effects(table), modules(table)
    return [
        entry
        for entry in table.all
        if entry.parent is None
        and entry.number not in kept
        and entry not in moving.entries
        and not isinstance(entry.node, (*_DEFINITIONS, *_IMPORTS))
        and not _settles(table, entry, imported, effects)
    ]


def _settles(table: Statements, entry: Statement, imported: frozenset[str], effects: Effects) -> bool:
    """True for `os.environ["X"] = "1"` and the like, and for a text alone."""
    node = entry.node
    if isinstance(node, ast.Assign):
        targets = [each.value if isinstance(each, ast.Subscript) else each for each in node.targets]
        stores = all(isinstance(each, ast.Attribute) for each in targets)
        return stores and all(root_name(each) in imported for each in targets)
    if isinstance(node, ast.Expr):
        if isinstance(node.value, ast.Constant):
            return True
        function = node.value.func if isinstance(node.value, ast.Call) else None
        if function is None or root_name(function) not in imported or effects.has(entry):
            return False
        return all(use.name in imported for use in entry.uses)
    if isinstance(node, ast.Try):
        return any(isinstance(table.all[part].node, _IMPORTS) for part in table.subtree(entry.number))
    return False


PASS = Pass(
    "direct",
    "what leads to a launch, by the launcher's call with what it was given",
    hints,
    chance=PERHAPS,
    phase=PassPhase.FIRST,
)
