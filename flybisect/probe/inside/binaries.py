"""Code objects out of a compiled module: of each `gpu.binary`, the object that would be loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_SELECTED = re.compile(r"#gpu\.select_object<(\d+)")


def objects(operation: Any) -> Iterator[bytes]:
    """The bytes of each `gpu.binary` below a `builtin.module` operation.

    A `gpu.binary` can hold several objects (older releases attach a target twice, and make
    one object for each). MLIR's `#gpu.select_object` takes the one its index names, the first
    by default (MLIR, `SelectObjectAttr.cpp`); the others are never loaded.
    """
    from flydsl._mlir._mlir_libs._mlirDialectsGPU import ObjectAttr

    for op in operation.regions[0].blocks[0].operations:
        if op.operation.name != "gpu.binary":
            continue
        attributes = op.operation.attributes
        chosen = 0
        if "offloadingHandler" in attributes:
            match = _SELECTED.search(str(attributes["offloadingHandler"]))
            chosen = int(match.group(1)) if match else 0
        held = list(attributes["objects"])
        if chosen < len(held):
            yield bytes(ObjectAttr(held[chosen]).object)
