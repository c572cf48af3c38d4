"""Files that a script runs by their path, written as imports: what `flatten` makes part of the script.

    spec_from_file_location(name, PATH), also in a function that takes the path; SourceFileLoader(…)
    runpy.run_path(PATH), exec(open(PATH).read()), exec(compile(Path(PATH).read_text(), …), names)
    importlib.import_module("name"), __import__("name")

PATH is known where it is made of constants and of `__file__`; what is not known stays as it is. A file that
is run more than once is run once then.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from flybisect.source.edit import Edit, apply
from flybisect.source.flatten.modules import removal, runs_as_script
from flybisect.source.fresh import fresh
from flybisect.source.loaders import Loader, called, loader_of
from flybisect.source.pathnames import PathNames
from flybisect.source.source import Source

WORDS = (
    "spec_from_file_location", "SourceFileLoader", "load_source", "run_path", "exec", "import_module",
    "__import__",
)  # fmt: skip
ROUNDS = 8
"""A file that was put in place of its `exec` may load others."""


@dataclass(frozen=True)
class Files:
    """What lies beside a script."""

    local: Callable[[str], bool]
    """Whether a module of that name is found there by an import."""
    module: Callable[[str, bool], str | None]
    """The name that stands for a file's module, from its absolute path and whether it runs as `__main__`;
    None for what cannot be a module of the script."""
    text: Callable[[str], str | None]
    """A file's text, to be put in place of an `exec`; None where that cannot be."""


def with_imports(text: str, file: str, files: Files) -> str:
    """The script's text with imports in place of what it loads by path. `file`: its own absolute path."""
    for _ in range(ROUNDS):
        if not any(word in text for word in WORDS):
            return text
        try:
            source = Source(text)
        except (SyntaxError, ValueError, RecursionError):
            return text
        changed = _Loads(source, file, files).written()
        if changed == text:
            return text
        text = changed
    return text


class _Loads:
    def __init__(self, source: Source, file: str, files: Files) -> None:
        self._source = source
        self._files = files
        self._names = PathNames(source.tree, file)
        self._taken = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
        self._taken |= {node.arg for node in ast.walk(source.tree) if isinstance(node, ast.arg)}
        self._edits: list[Edit] = []
        self._before: dict[ast.stmt, list[str]] = {}
        self._gone: set[ast.AST] = set()

    def written(self) -> str:
        tree = self._source.tree
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self._helper(node)
        for each in list(ast.walk(tree)):
            if isinstance(each, ast.Call) and each not in self._gone:
                self._call(each)
        for statement, imports in self._before.items():
            begin = self._source.line_begin(self._source.span(statement)[0])
            indent = self._source.indent(statement)
            self._edits.append(Edit(begin, begin, "".join(f"{indent}{line}\n" for line in imports)))
        return apply(self._source.text, self._edits)

    # -- functions that load -----------------------------------------------------------------------

    def _helper(self, node: ast.FunctionDef) -> None:
        """Calls of a function that only loads the file of its argument become imports, and it goes."""
        loader = loader_of(node, self._names)
        if loader is None or self._names.stores(node.name) != 1:
            return
        uses = self._names.uses(node.name)
        calls = [self._names.parent(use) for use in uses]
        found: list[tuple[ast.Call, str]] = []
        for use, call in zip(uses, calls, strict=True):
            if not isinstance(call, ast.Call) or call.func is not use or self._place(call) is None:
                return
            module = self._loaded(loader, call)
            if module is None:
                return
            found.append((call, module))
        if not found:
            return
        for call, module in found:
            self._module(call, module)
        self._edits.append(removal(self._source, node))
        self._gone.update(ast.walk(node))

    def _loaded(self, loader: Loader, call: ast.Call) -> str | None:
        path = loader.path(call, self._names)
        return None if path is None else self._files.module(path, False)

    # -- calls ---------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> None:
        name = called(node)
        if name in ("import_module", "__import__"):
            self._by_name(node, name)
        elif name == "module_from_spec":
            self._by_spec(node)
        elif name in ("load_module", "load_source"):
            self._by_loader(node, name)
        elif name == "run_path" and node.args:
            self._run(node)
        elif isinstance(node.func, ast.Name) and name == "exec" and node.args:
            self._exec(node)

    def _by_name(self, node: ast.Call, function: str) -> None:
        if len(node.args) != 1 or node.keywords:
            return
        name = self._names.value(node.args[0])
        if not isinstance(name, str) or not all(part.isidentifier() for part in name.split(".")):
            return
        if self._files.local(name):
            self._module(node, name.split(".")[0] if function == "__import__" else name, name)

    def _by_spec(self, node: ast.Call) -> None:
        spec = node.args[0] if node.args else None
        made = self._names.assigned(spec) if isinstance(spec, ast.Name) else None
        if not isinstance(made, ast.Call) or called(made) != "spec_from_file_location":
            return
        path = self._names.path(_argument(made, 1, "location"))
        module = None if path is None else self._files.module(path, False)
        if module is None or not isinstance(spec, ast.Name):
            return
        run = [each for each in self._names.uses(spec.id, node) if self._runs(each)]
        if len(run) == 1 and self._module(node, module):
            statement = self._names.statement(run[0])
            self._edits.append(Edit(*self._source.span(statement), "pass"))

    def _runs(self, use: ast.Name) -> bool:
        """`spec.loader.exec_module(module)` as a statement."""
        statement = self._names.statement(use)
        call = statement.value if isinstance(statement, ast.Expr) else None
        return isinstance(call, ast.Call) and called(call) == "exec_module"

    def _by_loader(self, node: ast.Call, function: str) -> None:
        made: ast.expr = node
        if function == "load_module" and isinstance(node.func, ast.Attribute):
            made = node.func.value
            if isinstance(made, ast.Name):
                made = self._names.assigned(made) or made
        if not isinstance(made, ast.Call) or called(made) not in ("SourceFileLoader", "load_source"):
            return
        path = self._names.path(_argument(made, 1, "path"))
        module = None if path is None else self._files.module(path, False)
        if module is not None:
            self._module(node, module)

    def _run(self, node: ast.Call) -> None:
        """`runpy.run_path(path)`, whose names are read by constant keys, or not at all."""
        path = self._names.path(node.args[0])
        as_main = any(
            each.arg == "run_name" and self._names.value(each.value) == "__main__" for each in node.keywords
        )
        if path is None or any(each.arg not in ("run_name",) for each in node.keywords) or len(node.args) > 1:
            return
        statement, parent = self._names.statement(node), self._names.parent(node)
        if isinstance(parent, ast.Subscript) and _key(parent) is not None:
            module = self._files.module(path, as_main)
            if module is not None:
                self._module(parent, module, attribute=_key(parent))
        elif isinstance(statement, ast.Assign) and statement.value is node:
            self._keyed(statement, path, as_main)
        elif isinstance(statement, ast.Expr) and statement.value is node:
            module = self._files.module(path, as_main)
            if module is not None:
                self._module(node, module)

    def _keyed(self, statement: ast.Assign, path: str, as_main: bool) -> None:
        target = statement.targets[0]
        if len(statement.targets) != 1 or not isinstance(target, ast.Name):
            return
        keys = self._keys(target.id, ())
        module = None if keys is None else self._files.module(path, as_main)
        if keys is not None and module is not None and self._module(statement.value, module):
            self._by_attribute(target.id, keys)

    def _by_attribute(self, name: str, keys: list[ast.Subscript]) -> None:
        self._edits += [Edit(*self._source.span(key), f"{name}.{_key(key)}") for key in keys]

    def _keys(self, name: str, allowed: tuple[ast.AST, ...]) -> list[ast.Subscript] | None:
        """Where a dictionary is read by constant keys; None where anything else is done with it."""
        if self._names.stores(name) != 1:
            return None
        found: list[ast.Subscript] = []
        for use in self._names.uses(name):
            parent = self._names.parent(use)
            if use in allowed:
                continue
            if not isinstance(parent, ast.Subscript) or parent.value is not use or _key(parent) is None:
                return None
            found.append(parent)
        return found

    def _exec(self, node: ast.Call) -> None:
        statement = self._names.statement(node)
        path = self._names.read(node.args[0])
        if path is None or node.keywords or not isinstance(statement, ast.Expr):
            return
        own = len(node.args) == 1 or ast.unparse(node.args[1]) == "globals()"
        if own and len(node.args) <= 2:
            self._in_place(statement, path, node.args[0])
        elif len(node.args) == 2 and isinstance(node.args[1], ast.Name):
            held = node.args[1]
            made = self._names.assigned(held)
            keys = self._keys(held.id, (held,))
            if keys is None or not isinstance(made, (ast.Dict, ast.Call)) or not _empty(made):
                return
            as_main = isinstance(made, ast.Dict) and "__main__" in ast.unparse(made)
            module = self._files.module(path, as_main)
            if module is not None:
                self._edits.append(Edit(*self._source.span(statement), _import(module, held.id)))
                self._edits.append(Edit(*self._source.span(self._names.statement(made)), "pass"))
                self._by_attribute(held.id, keys)
                self._no_read(node.args[0])

    def _no_read(self, node: ast.expr) -> None:
        """What was read for an `exec` alone need not be read any more."""
        for name in [each for each in ast.walk(node) if isinstance(each, ast.Name)]:
            made = self._names.assigned(name)
            if made is None or self._names.read(name) is None or len(self._names.uses(name.id)) > 1:
                continue
            statement = self._names.statement(made)
            around = self._names.parent(statement)
            if isinstance(around, ast.With) and around.body == [statement] and len(around.items) == 1:
                statement = around
            self._edits.append(Edit(*self._source.span(statement), "pass"))
            self._no_read(made)

    def _in_place(self, statement: ast.stmt, path: str, read: ast.expr) -> None:
        """The text itself: what is executed has the script's own names."""
        around = self._names.parent(statement)
        if isinstance(around, ast.With) and around.body == [statement] and len(around.items) == 1:
            statement, around = around, self._names.parent(around)
        if not isinstance(around, ast.Module) or self._source.indent(statement):
            return
        text = self._files.text(path)
        start, end = self._source.span(statement)
        line_end = self._source.line_end(end)
        if text is not None and not self._source.text[end:line_end].strip():
            self._edits.append(Edit(start, line_end, text.strip("\n") + "\n"))
            self._no_read(read)

    # -- what is put there -----------------------------------------------------------------------------

    def _place(self, node: ast.expr) -> ast.stmt | None:
        """The statement that an import can stand before; None where there is none."""
        statement = self._names.statement(node)
        if not isinstance(
            statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Assert, ast.Raise)
        ):
            return None
        begin = self._source.line_begin(self._source.span(statement)[0])
        alone = not self._source.text[begin : self._source.span(statement)[0]].strip()
        return statement if alone else None

    def _module(self, node: ast.expr, name: str, loaded: str = "", attribute: str | None = None) -> bool:
        """Put the module `name` in place of an expression; `loaded` is what has to be imported for it."""
        statement = self._place(node)
        if statement is None:
            return False
        loaded = loaded or name
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(statement, ast.Assign) and statement.value is node and attribute is None:
            if len(statement.targets) == 1 and isinstance(target, ast.Name) and name == loaded:
                self._edits.append(Edit(*self._source.span(statement), _import(name, target.id)))
                return True
        if isinstance(statement, ast.Expr) and statement.value is node:
            called_ = fresh(name.split(".")[0], self._taken)
            self._edits.append(Edit(*self._source.span(statement), _import(loaded, called_)))
            return True
        called_ = fresh(name.rpartition(".")[2], self._taken)
        lines = [_import(name, called_)] if name == loaded else [f"import {loaded}", _import(name, called_)]
        self._before.setdefault(statement, []).extend(lines)
        text = called_ if attribute is None else f"{called_}.{attribute}"
        self._edits.append(Edit(*self._source.span(node), text))
        return True


def _import(module: str, name: str) -> str:
    return f"import {module}" if module == name else f"import {module} as {name}"


def _argument(call: ast.Call, at: int, name: str) -> ast.expr | None:
    if len(call.args) > at:
        return call.args[at]
    return next((each.value for each in call.keywords if each.arg == name), None)


def _key(node: ast.Subscript) -> str | None:
    """The name that a dictionary is asked for."""
    value = node.slice.value if isinstance(node.slice, ast.Constant) else None
    plain = isinstance(value, str) and value.isidentifier() and isinstance(node.ctx, ast.Load)
    return str(value) if plain else None


def _empty(node: ast.expr) -> bool:
    """`{}`, `dict()`, or with constants of a module's own, as `{"__name__": "x"}`."""
    if isinstance(node, ast.Call):
        return ast.unparse(node) == "dict()"
    keys = node.keys if isinstance(node, ast.Dict) else [None]
    return all(isinstance(each, ast.Constant) and str(each.value).startswith("__") for each in keys)


def run_as_main(text: str) -> str:
    """A module that is run as a script: what it does as one is done whatever it is called."""
    source = Source(text)
    tests = [node.test for node in source.tree.body if isinstance(node, ast.If) and runs_as_script(node)]
    return apply(text, [Edit(*source.span(test), "True") for test in tests])
