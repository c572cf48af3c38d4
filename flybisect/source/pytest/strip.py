"""A pytest file without what only pytest looks at, and without the other tests."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from flybisect.source.edit import Edit
from flybisect.source.flatten.modules import removal, runs_as_script
from flybisect.source.pytest.file import Function, TestFile
from flybisect.source.pytest.skips import SKIPPED

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def stripped(file: TestFile, needed: Collection[ast.AST]) -> list[Edit]:
    """Edits. `needed`: the test, the classes around it, and the fixtures that it takes."""
    removed = _Removed(file, needed)
    edits = [removal(file.source, node) for node in removed.nodes if isinstance(node, ast.stmt)]
    edits += _emptied(file, removed)
    kept = list(removed.rest())
    decorators = [d for node in kept if isinstance(node, DEFINITIONS) for d in _pytest_decorators(file, node)]
    edits += [_decorator(file, node) for node in decorators]
    dropped = {id(each) for node in decorators for each in ast.walk(node)}
    for node in kept:
        rewritten = _rewritten(file, node)
        if rewritten is not None:
            target, edit = rewritten
            edits.append(edit)
            dropped |= {id(each) for each in _names(file, target)}
    used = {
        node.id
        for node in kept
        if isinstance(node, ast.Name) and id(node) not in dropped and file.values.dotted(node) is not None
    }
    edits += [removal(file.source, n) for n in kept if isinstance(n, ast.stmt) and _unused_import(n, used)]
    return edits


class _Removed:
    """Which statements go."""

    def __init__(self, file: TestFile, needed: Collection[ast.AST]) -> None:
        self._file = file
        self._needed = {id(node) for node in needed}
        self.nodes: list[ast.stmt] = []
        wanted = [*self._useless(file.tree.body)]
        wanted += [
            each for node in file.tree.body if id(node) in self._needed for each in self._methods(node)
        ]
        decorating = {
            id(each)
            for definition in ast.walk(file.tree)
            if isinstance(definition, DEFINITIONS)
            for decorator in _pytest_decorators(file, definition)
            for each in ast.walk(decorator)
        }
        while True:
            readers = self._readers(decorating)
            more = [node for node in wanted if node not in self.nodes and not _read(node, readers)]
            if not more:
                return
            self.nodes += more

    def rest(self) -> Iterator[ast.AST]:
        """All nodes of the file that stay."""
        queue: list[ast.AST] = [self._file.tree]
        gone = {id(node) for node in self.nodes}
        while queue:
            node = queue.pop()
            yield node
            queue += [each for each in ast.iter_child_nodes(node) if id(each) not in gone]

    def _useless(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        for node in body:
            if id(node) in self._needed:
                continue
            if runs_as_script(node) or self._is_marks(node):
                yield node
            elif isinstance(node, DEFINITIONS) and self._is_for_pytest(node):
                yield node

    def _methods(self, node: ast.stmt) -> Iterator[ast.stmt]:
        if isinstance(node, ast.ClassDef):
            yield from self._useless(node.body)

    def _is_for_pytest(self, node: ast.stmt) -> bool:
        name = getattr(node, "name", "")
        if isinstance(node, ast.ClassDef):
            return name.startswith("Test")
        fixture = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and self._file.fixture(node, None)
        return bool(fixture) or name.startswith(("test", "pytest_"))

    def _is_marks(self, node: ast.stmt) -> bool:
        """`pytestmark = …`, `pytest_plugins = …`, and names for marks."""
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            return False
        value = node.value
        listed = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
        dotted = [
            self._file.values.dotted(each.func if isinstance(each, ast.Call) else each) for each in listed
        ]
        marks = bool(dotted) and all(each is not None and each.startswith("pytest.mark") for each in dotted)
        return node.targets[0].id in ("pytestmark", "pytest_plugins") or marks

    def _readers(self, decorating: set[int]) -> dict[str, list[int]]:
        """Name → the nodes left that read it, as a variable or as an attribute."""
        found: dict[str, list[int]] = defaultdict(list)
        for node in self.rest():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in decorating:
                found[node.id].append(id(node))
            elif isinstance(node, ast.Attribute):
                found[node.attr].append(id(node))
        return found


def _read(node: ast.stmt, readers: Mapping[str, list[int]]) -> bool:
    """True where what stays still needs what the statement binds."""
    names = {getattr(node, "name", "")}
    if isinstance(node, ast.Assign):
        names = {each.id for each in node.targets if isinstance(each, ast.Name)}
    readings = [each for name in names for each in readers.get(name, ())]
    inside = {id(each) for each in ast.walk(node)} if readings else set()
    return any(each not in inside for each in readings)


def _pytest_decorators(file: TestFile, node: Function | ast.ClassDef) -> Iterator[ast.expr]:
    for decorator in node.decorator_list:
        mark = file.values.marks(decorator)
        if file.values.dotted(mark.func if isinstance(mark, ast.Call) else mark) is not None:
            yield decorator


def _decorator(file: TestFile, node: ast.expr) -> Edit:
    """Takes a decorator's lines away."""
    start, end = file.source.span(node)
    at = file.source.text.rindex("@", 0, start)
    return Edit(file.source.line_begin(at), file.source.line_end(end))


def _emptied(file: TestFile, removed: _Removed) -> Iterator[Edit]:
    """A `pass` for a class whose body is gone."""
    gone = {id(node) for node in removed.nodes}
    for node in file.tree.body:
        if isinstance(node, ast.ClassDef) and id(node) not in gone and all(id(n) in gone for n in node.body):
            start = file.source.line_begin(file.source.span(node.body[0])[0])
            yield Edit(start, start, f"{file.source.indent(node.body[-1])}pass\n")


def _names(file: TestFile, node: ast.AST) -> Iterator[ast.Name]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and file.values.dotted(each) is not None:
            yield each


def _unused_import(node: ast.stmt, used: set[str]) -> bool:
    if isinstance(node, ast.Import) and len(node.names) == 1 and node.names[0].name == "pytest":
        return (node.names[0].asname or "pytest") not in used
    if isinstance(node, ast.ImportFrom) and node.module == "pytest":
        return not any((alias.asname or alias.name) in used for alias in node.names)
    return False


def _rewritten(file: TestFile, node: ast.AST) -> tuple[ast.AST, Edit] | None:
    """What pytest's functions come to in a plain script, and the node whose text goes for it."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        text = _ending(file, node.value)
        return None if text is None else (node.value.func, Edit(*file.source.span(node), text))
    if isinstance(node, ast.withitem) and isinstance(node.context_expr, ast.Call):
        call = node.context_expr
        if file.values.dotted(call.func) == "pytest.raises" and node.optional_vars is None and call.args:
            return call.func, Edit(*file.source.span(call), _raising(file, call))
    if isinstance(node, ast.Call) and file.values.dotted(node.func) == "pytest.importorskip" and node.args:
        module = file.source.segment(node.args[0])
        text = f'__import__("importlib").import_module({module})'
        return node.func, Edit(*file.source.span(node), text)
    return None


def _ending(file: TestFile, call: ast.Call) -> str | None:
    """`pytest.skip("why")` as a statement."""
    name = file.values.dotted(call.func)
    kinds = {"pytest.skip": SKIPPED, "pytest.xfail": SKIPPED, "pytest.exit": "SystemExit"}
    kind = {**kinds, "pytest.fail": "AssertionError"}.get(name or "")
    if kind is None:
        return None
    said = [*call.args, *(each.value for each in call.keywords if each.arg in ("reason", "msg"))]
    return f"raise {kind}({file.source.segment(said[0]) if said else repr((name or '').split('.')[1])})"


def _raising(file: TestFile, call: ast.Call) -> str:
    """`pytest.raises(…)` without `as`, said with the standard library."""
    matches = [each.value for each in call.keywords if each.arg == "match"]
    expected = file.source.segment(call.args[0])
    case = '__import__("unittest").TestCase()'
    if matches:
        return f"{case}.assertRaisesRegex({expected}, {file.source.segment(matches[0])})"
    return f"{case}.assertRaises({expected})"
