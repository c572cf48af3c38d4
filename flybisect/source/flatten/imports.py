"""What becomes of an import statement in a flattened script."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.source.flatten.graph import Binding, ToVariable
from flybisect.source.flatten.names import Names, Site
from flybisect.source.flatten.variables import Variables


def import_text(variables: Variables, names: Names, site: Site, bindings: Sequence[Binding]) -> str | None:
    """Statements for the same lines; empty where none is needed; None where it stays as it is."""
    given = [text for b in bindings if b.target is not None for text in _given(variables, names, b)]
    stays = [b for b in bindings if b.target is None]
    relative = isinstance(site.node, ast.ImportFrom) and site.node.level > 0
    renamed = any(_new_name(variables, names, b) is not None for b in stays)
    if len(stays) == len(bindings) and bindings and not renamed and not relative:
        return None
    texts = [*_staying(variables, names, site, stays), *given]
    indent = names.source.indent(site.node)
    joint = f"\n{indent}" if _whole_line(names, site) else "; "
    return joint.join(texts)


def _whole_line(names: Names, site: Site) -> bool:
    start, end = names.source.span(site.node)
    begin = names.source.line_begin(start)
    behind = names.source.text[end : names.source.line_end(end)]
    return not names.source.text[begin:start].strip() and not behind.lstrip().startswith(";")


def _given(variables: Variables, names: Names, binding: Binding) -> list[str]:
    """Assignments in place of an import of a local module."""
    called = _called(variables, names, binding)
    module = variables.module_for(names.name, binding)
    if module is not None:
        return [f"{called} = {variables.objects[module]}"]
    target = binding.target
    if not isinstance(target, ToVariable) or variables.stands_for_module(binding):
        return []
    if variables.needless(names.name, binding):
        return []
    return [f"{called} = {variables.called((target.module, target.name))}"]


def _called(variables: Variables, names: Names, binding: Binding) -> str:
    owner = names.table.owner(binding.name, binding.scope)
    return variables.called((names.name, binding.name)) if owner[0] == 0 else binding.name


def _new_name(variables: Variables, names: Names, binding: Binding) -> str | None:
    """What the name that an import binds has to be called, where that is another than it says."""
    if binding.name == "*":
        return None
    called = _called(variables, names, binding)
    return None if called == binding.name else called


def _staying(variables: Variables, names: Names, site: Site, stays: Sequence[Binding]) -> list[str]:
    if not stays:
        return []
    if isinstance(site.node, ast.ImportFrom):
        members = ", ".join(_member(variables, names, binding) for binding in stays)
        return [f"from {site.base(names)} import {members}"]
    texts = []
    for binding in stays:
        new = _new_name(variables, names, binding)
        if new is None:
            texts.append(f"import {_written(binding.alias)}")
        elif binding.alias.asname is None and "." in binding.alias.name:
            texts.append(f'{new} = __import__("{binding.alias.name}")')
        else:
            texts.append(f"import {binding.alias.name} as {new}")
    return texts


def _member(variables: Variables, names: Names, binding: Binding) -> str:
    new = _new_name(variables, names, binding)
    return _written(binding.alias) if new is None else f"{binding.alias.name} as {new}"


def _written(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name
