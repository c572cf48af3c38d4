"""How many vector registers a kernel may use, as a script says it where it calls the kernel.

FlyDSL puts `value_attrs` on the kernel's function, and LLVM keeps to `amdgpu-num-vgpr` there:

    kernel(A, value_attrs={"passthrough": [["amdgpu-num-vgpr", "64"]]}).launch(…)

So it is under FlyDSL 0.2.4 and 0.3.0; under 0.3.2 and 0.5.0 it has no effect. The number is LLVM's: on gfx90a
and newer it counts twice, since a lane has as many accumulation registers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flybisect.source.cut import own_nodes
from flybisect.source.edit import Edit
from flybisect.source.elements import members, span
from flybisect.source.scopes import Statements

NAME = "amdgpu-num-vgpr"
_ATTRIBUTES = "value_attrs"
_LIST = "passthrough"


def kernel_calls(table: Statements) -> Iterator[tuple[str, ast.Call]]:
    """Each call of a kernel of the script by its name, with the name."""
    kernels = {
        entry.node.name: table.owner(entry.node.name, entry.scope)
        for entry in table.all
        if isinstance(entry.node, ast.FunctionDef) and any(map(_is_kernel, entry.node.decorator_list))
    }
    for entry in table.all:
        for node in own_nodes(entry.node):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = node.func.id
                if name in kernels and table.resolve(name, entry.scope) == kernels[name]:
                    yield name, node


def limit_of(call: ast.Call) -> int | None:
    """LLVM's number that a call gives; None where it gives none."""
    found = _limit(call)
    return None if found is None else int(str(found.value))


def limiting(table: Statements, call: ast.Call, number: int) -> Edit | None:
    """Gives a call the number, in the place of one that it has. None where what it gives is not written down
    in the call."""
    there, source = _limit(call), table.source
    if there is not None:
        return Edit(*source.span(there), f'"{number}"')
    pair = f'["{NAME}", "{number}"]'
    attributes = next((each.value for each in call.keywords if each.arg == _ATTRIBUTES), None)
    if attributes is None:
        return _with_attributes(table, call, f'{_ATTRIBUTES}={{"{_LIST}": [{pair}]}}')
    if not isinstance(attributes, ast.Dict):
        return None
    entries = {_constant(key): value for key, value in zip(attributes.keys, attributes.values, strict=True)}
    pairs = entries.get(_LIST)
    if pairs is None:
        start = source.span(attributes)[0] + 1
        return Edit(start, start, f'"{_LIST}": [{pair}]' + (", " if entries else ""))
    if not isinstance(pairs, ast.List):
        return None
    start = source.span(pairs)[0] + 1
    return Edit(start, start, pair + (", " if pairs.elts else ""))


def _with_attributes(table: Statements, call: ast.Call, keyword: str) -> Edit | None:
    """The keyword behind all that a call is given."""
    if any(each.arg is None for each in call.keywords):
        return None
    source = table.source
    end = source.span(call)[1] - 1
    start = max([source.span(call.func)[1] + 1, *(span(source, call, each)[1] for each in members(call))])
    between = source.text[start:end]
    if between.strip(" \t\n,"):
        return None  # A comment.
    if not members(call):
        return Edit(start, end, keyword)
    lines = "\n" in between
    indent = between.rpartition("\n")[2] + "    " if lines else ""
    return Edit(start, end, f",\n{indent}{keyword},\n{indent[:-4]}" if lines else f", {keyword}")


def _limit(call: ast.Call) -> ast.Constant | None:
    """The number's text in the call."""
    for keyword in call.keywords:
        if keyword.arg == _ATTRIBUTES:
            for node in ast.walk(keyword.value):
                if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == 2:
                    name, number = node.elts
                    if _constant(name) == NAME and isinstance(number, ast.Constant):
                        return number if str(number.value).isdigit() else None
    return None


def _constant(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _is_kernel(decorator: ast.expr) -> bool:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")) == "kernel"
