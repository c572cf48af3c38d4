"""What asks for a GPU: `.cuda()`, `.to("cuda")`, streams and figures of `torch.cuda`.

What is left runs with a torch for the CPU, which has no stand-ins for these.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.expressions import (
    Place,
    name_of_module,
    operand_text,
    places,
)
from flybisect.source.instrument import around
from flybisect.source.scopes import Statements, qualified

_DEVICE = re.compile(r"cuda(:\d+)?")
_STREAMS = ("current_stream", "default_stream", "Stream", "ExternalStream")


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Each such expression by what it is on a machine without a GPU."""
    found: list[Hint] = []
    torch, dsl = name_of_module(table, "torch"), name_of_module(table, "flydsl.expr")
    for entry in table.all:
        for place in places(table, entry):
            text = table.source.segment(place.node)
            new = _moved(table, place)
            if new is None and torch is not None and text.startswith(f"{torch}.cuda."):
                new = facts.kinds.values.get((around(table, entry), text)) or _stream(place.node, dsl)
            if new is not None:
                edit = Edit(*table.source.span(place.node), new)
                label = f"device {qualified(table, entry)}: {text} -> {new}"
                found.append(Hint(label, Cut(edits=frozenset([edit]))))
    return found


def _moved(table: Statements, place: Place) -> str | None:
    """`x` for `x.cuda()` and for `x.to("cuda")`; `"cpu"` for a device by its name."""
    node = place.node
    if _is_device(node) and isinstance(node, ast.Constant):
        dropped = isinstance(place.parent, ast.keyword) and place.parent.arg == "device"
        return None if dropped else '"cpu"'  # The argument goes as a whole, see `arguments`.
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    own = node.func.attr == "cuda" or (node.func.attr == "to" and len(given) == 1 and _is_device(given[0]))
    return operand_text(table, place, node.func.value) if own else None


def _is_device(node: ast.expr) -> bool:
    """`"cuda:0"`, and `torch.device("cuda")`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "device":
        return bool(node.args) and _is_device(node.args[0])
    return (
        isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(_DEVICE.fullmatch(node.value))
    )


def _stream(node: ast.expr, dsl: str | None) -> str | None:
    call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _STREAMS
    return f"{dsl}.Stream(None)" if call and dsl is not None else None


PASS = Pass("devices", "GPU calls, replaced by their equivalent on the CPU", hints, phase=PassPhase.FINE)
