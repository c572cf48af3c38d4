"""The shortest text that makes a value of a type of the DSL, as a person would write it.

A type is one that a run told of (see `flybisect.source.instrument`): class and IR type. The value is
another one, so this is for bugs that follow from types: what an operation was given, not how.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Sequence

_MEMREF = re.compile(r"Tensor\|!fly\.memref<(?P<element>\w+), (?P<space>#?[\w.]+), (?P<layout>[^<>]+)>")
_LAYOUT = re.compile(r"Layout\|!fly\.layout<(?P<layout>[^<>]+)>")
_COPY = re.compile(r"CopyAtom\|!fly\.copy_atom<!(?P<operation>[\w.]+)<(?P<width>\d+)>, (?P<bits>\d+)>")
_VECTOR = re.compile(r"Vector\|vector<(?P<size>\d+)x(?P<element>\w+)>")

_ELEMENTS = {
    "f64": "Float64", "f32": "Float32", "f16": "Float16", "bf16": "BFloat16",
    "f8E5M2": "Float8E5M2", "f8E4M3FN": "Float8E4M3FN", "f8E4M3FNUZ": "Float8E4M3FNUZ",
    "f8E8M0FNU": "Float8E8M0FNU", "f4E2M1FN": "Float4E2M1FN",
    "i8": "Int8", "i16": "Int16", "i32": "Int32", "i64": "Int64",
    "ui8": "Uint8", "ui16": "Uint16", "ui32": "Uint32", "ui64": "Uint64",
}  # fmt: skip
_BY_BITS = {"8": "Int8", "16": "Int16", "32": "Float32", "64": "Int64"}
_COPIES = {"fly.universal_copy": "UniversalCopy{}b", "fly_rocdl.cdna3.buffer_copy": "rocdl.BufferCopy{}b"}
_STATIC = re.compile(r"[\d(),]+")

Base = Callable[[str, str], str | None]
"""Text of a tensor that is there already, by the type of its elements and its address space."""


def shortest(kind: str, dsl: str, base: Base, *, first_mode: bool = False) -> str | None:
    """`fx.make_rmem_tensor(8, fx.Float32)` for a tensor in registers; None for what has no short form.

    `dsl`: the script's name for `flydsl.expr`. A tensor elsewhere becomes a view of `base`. A tensor keeps
    how many modes it has, since operations match them; with `first_mode` it has the first one alone, which is
    what a copy takes at a time.
    """
    if found := _MEMREF.fullmatch(kind):
        sizes = _sizes(found["layout"])[: 1 if first_mode else None]
        return _tensor(found["element"], found["space"], sizes, dsl, base) if sizes else None
    if found := _LAYOUT.fullmatch(kind):
        sizes = _sizes(found["layout"])
        return f"{dsl}.make_layout({math.prod(sizes)}, 1)" if sizes else None
    if found := _COPY.fullmatch(kind):
        operation, element = _COPIES.get(found["operation"]), _BY_BITS.get(found["bits"])
        if operation is None or element is None:
            return None
        return f"{dsl}.make_copy_atom({dsl}.{operation.format(found['width'])}(), {dsl}.{element})"
    if (found := _VECTOR.fullmatch(kind)) and found["element"] in _ELEMENTS:
        zero = "0.0" if "f" in found["element"] else "0"
        return f"{dsl}.Vector.filled({found['size']}, {zero}, {dsl}.{_ELEMENTS[found['element']]})"
    return None


def _tensor(element: str, space: str, sizes: Sequence[int], dsl: str, base: Base) -> str | None:
    shape = _written(sizes)
    if space == "register":
        known = _ELEMENTS.get(element)
        return None if known is None else f"{dsl}.make_rmem_tensor({shape}, {dsl}.{known})"
    of = base(element, space)
    strides = _written([0 if at and size == 1 else math.prod(sizes[:at]) for at, size in enumerate(sizes)])
    return (
        None
        if of is None
        else f"{dsl}.make_view({dsl}.get_iter({of}), {dsl}.make_layout({shape}, {strides}))"
    )


def _written(modes: Sequence[int]) -> str:
    return str(modes[0]) if len(modes) == 1 else f"({', '.join(map(str, modes))})"


def _sizes(layout: str) -> tuple[int, ...]:
    """How many elements each mode of a layout (`((8,1),2):((1,0),8)`) has; empty where that is known at run
    time alone."""
    text, _, stride = layout.partition(":")
    if not stride or _STATIC.fullmatch(text) is None:
        return ()
    shape = ast.literal_eval(text.replace(")", ",)").replace("(,)", "()"))
    return tuple(map(_product, shape if isinstance(shape, tuple) else (shape,)))


def _product(shape: object) -> int:
    if isinstance(shape, tuple):
        return math.prod(map(_product, shape))
    assert isinstance(shape, int)
    return shape


def of_memory(kind: str, element: str, space: str) -> bool:
    """True for a tensor of such elements in such memory, whatever its layout."""
    found = _MEMREF.fullmatch(kind)
    return found is not None and (found["element"], found["space"]) == (element, space)
