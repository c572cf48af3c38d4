"""Objects of a class that only hold values: a variable for each."""

from __future__ import annotations

import ast
from collections.abc import Callable

from flybisect.source.cut import Cut, carry_out
from flybisect.source.edit import Conflict, Edit, apply
from flybisect.source.elements import Element, removal_edits
from flybisect.source.layout import reindented
from flybisect.source.scopes import Statement, Statements
from flybisect.source.source import Source


def without_record(text: str, name: str, written_out: Callable[[str, str], str | None]) -> str | None:
    """The text without a class that has one object and nothing but `__init__` or fields.

    `x = C(1)` becomes what `__init__` does, `x.a` the variable `x_a`. `written_out` gives a text with
    a function written out where it is called. None where the class or a use of the object is more.
    """
    table = Statements(Source(text))
    entry = next((e for e in table.all if isinstance(e.node, ast.ClassDef) and e.node.name == name), None)
    made = None if entry is None else _made(table, entry)
    if entry is None or made is None:
        return None
    site, target, call = made
    maker = f"make_{target}"
    function = _maker(table, entry, target, maker)
    fields = None if function is None else _fields(table, site, target, function)
    if function is None or fields is None:
        return None
    source = table.source
    edits = {Edit(*source.span(node), f"{target}_{node.attr}") for node in fields}
    edits |= {Edit(site.start, source.span(call.func)[1], maker)}
    edits.add(Edit(entry.start, entry.end, function))
    try:
        return written_out(carry_out(table, Cut(edits=frozenset(edits))), maker)
    except (Conflict, SyntaxError):
        return None


def _made(table: Statements, entry: Statement) -> tuple[Statement, str, ast.Call] | None:
    """The one statement `x = C(…)` with its parts; None where the class is used in another way."""
    assert isinstance(entry.node, ast.ClassDef)
    users = table.users.get(table.owner(entry.node.name, entry.scope), [])
    if len(users) != 1:
        return None
    site, use = users[0]
    node = site.node
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.value, ast.Call):
        return None
    target = node.targets[0]
    if not isinstance(target, ast.Name) or node.value.func is not use.node:
        return None
    alone = len(table.binders.get(table.owner(target.id, site.scope), ())) == 1
    return (site, target.id, node.value) if alone else None


def _maker(table: Statements, entry: Statement, target: str, maker: str) -> str | None:
    """A function that sets the variables; None where the class has more to it than that."""
    node = entry.node
    assert isinstance(node, ast.ClassDef)
    body = [each for each in node.body if not isinstance(each, ast.Pass) and not _docstring(each)]
    if len(body) == 1 and isinstance(body[0], ast.FunctionDef) and body[0].name == "__init__":
        return None if node.bases or node.decorator_list else _from_init(table, body[0], target, maker)
    marks = [ast.unparse(part).split("(")[0].split(".")[-1] for part in [*node.decorator_list, *node.bases]]
    if marks not in (["dataclass"], ["NamedTuple"]):
        return None
    parameters, lines = [], []
    for each in body:
        if not isinstance(each, ast.AnnAssign) or not isinstance(each.target, ast.Name):
            return None
        default = "" if each.value is None else f"={table.source.segment(each.value)}"
        if "field(" in default:
            return None
        parameters.append(each.target.id + default)
        lines.append(f"    {target}_{each.target.id} = {each.target.id}")
    return "\n".join([f"def {maker}({', '.join(parameters)}):", *lines]) if lines else None


def _docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _from_init(table: Statements, init: ast.FunctionDef, target: str, maker: str) -> str | None:
    source, arguments = table.source, init.args
    if not arguments.args or init.decorator_list or arguments.posonlyargs:
        return None
    own = arguments.args[0].arg
    attributes = [n for n in ast.walk(init) if isinstance(n, ast.Attribute) and _is_name(n.value, own)]
    if sum(_is_name(n, own) for n in ast.walk(init)) != len(attributes):
        return None  # The object itself goes somewhere.
    start = source.text.index("__init__", source.offset(init.lineno, init.col_offset))
    edits = [Edit(*source.span(node), f"{target}_{node.attr}") for node in attributes]
    edits += [Edit(start, start + len("__init__"), maker)]
    edits += removal_edits(source, [Element(init, arguments.args[0])])
    new = Source(apply(source.text, edits))
    for node in ast.walk(new.tree):
        if isinstance(node, ast.FunctionDef) and node.name == maker:
            return reindented(new, new.offset(node.lineno, node.col_offset), new.span(node)[1], "")
    return None


def _fields(table: Statements, site: Statement, target: str, function: str) -> list[ast.Attribute] | None:
    """Every read `x.a` of the object; None where it is used in another way or `x_a` is a name already."""
    stored = {
        node.id for node in ast.walk(ast.parse(function)) if isinstance(node, ast.Name) and _stored(node)
    }
    taken = {name for scope in table.scopes for name in scope.bound}
    parents = {
        child: node
        for node in ast.walk(table.source.tree)
        if isinstance(node, ast.Attribute)
        for child in [node.value]
    }
    found: list[ast.Attribute] = []
    for _, use in table.users.get(table.owner(target, site.scope), ()):
        attribute = parents.get(use.node)  # type: ignore[call-overload]
        if attribute is None or not isinstance(attribute.ctx, ast.Load):
            return None
        if f"{target}_{attribute.attr}" not in stored - taken:
            return None
        found.append(attribute)
    return found


def _stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
