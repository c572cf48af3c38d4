"""Fresh values of types: what their texts are, and that they have the type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.source.shortest import of_memory, shortest


def base(element: str, space: str) -> str | None:
    return {("f32", "global"): "A", ("bf16", "#fly_rocdl.buffer_desc"): "fx.rocdl.make_buffer_tensor(B)"}.get(
        (element, space)
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("Tensor|!fly.memref<f8E4M3FNUZ, register, (8,1,4):(1,0,8)>",
         "fx.make_rmem_tensor((8, 1, 4), fx.Float8E4M3FNUZ)"),
        ("Tensor|!fly.memref<f32, register, 8:1>", "fx.make_rmem_tensor(8, fx.Float32)"),
        ("Tensor|!fly.memref<f32, global, ((8,1),1,1):((1,0),0,0)>",
         "fx.make_view(fx.get_iter(A), fx.make_layout((8, 1, 1), (1, 0, 0)))"),
        ("Tensor|!fly.memref<bf16, #fly_rocdl.buffer_desc, 2:1>",
         "fx.make_view(fx.get_iter(fx.rocdl.make_buffer_tensor(B)), fx.make_layout(2, 1))"),
        ("Tensor|!fly.memref<f16, global, 2:1>", None),
        ("Tensor|!fly.memref<f32, global, (?,8):(?{i64},1)>", None),
        ("Tensor|!fly.memref<f32, global, ((8,8),(?,?)):((?{i64},1),(?{i64 div=64},128))>", None),
        ("Layout|!fly.layout<((4,2),1):((1,4),0)>", "fx.make_layout(8, 1)"),
        ("CopyAtom|!fly.copy_atom<!fly_rocdl.cdna3.buffer_copy<64>, 8>",
         "fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.Int8)"),
        ("CopyAtom|!fly.copy_atom<!fly.universal_copy<32>, 32>",
         "fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)"),
        ("CopyAtom|!fly.copy_atom<!fly.another<32>, 32>", None),
        ("Vector|vector<4xf32>", "fx.Vector.filled(4, 0.0, fx.Float32)"),
        ("Vector|vector<16xi32>", "fx.Vector.filled(16, 0, fx.Int32)"),
        ("Vector|vector<2x2xf32>", None),
        ("TiledMma|2098", None),
        ("Tensor", None),
    ],
)  # fmt: skip
def test_texts(kind: str, text: str | None) -> None:
    assert shortest(kind, "fx", base) == text


SHAPES = st.recursive(st.integers(1, 64), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=6)
Shape = int | list["Shape"]


def written(shape: Shape) -> str:
    return str(shape) if isinstance(shape, int) else f"({','.join(map(written, shape))})"


def size(shape: Shape) -> int:
    product = 1
    for each in [shape] if isinstance(shape, int) else map(size, shape):
        product *= each
    return product


@given(SHAPES)
def test_each_mode_has_as_many_elements_as_that_of_the_layout(shape: Shape) -> None:
    kind = f"Tensor|!fly.memref<f32, register, {written(shape)}:{written(shape)}>"
    modes = [shape] if isinstance(shape, int) else shape
    sizes = ", ".join(str(size(each)) for each in modes)
    sizes = f"({sizes})" if len(modes) > 1 else sizes
    assert shortest(kind, "fx", base) == f"fx.make_rmem_tensor({sizes}, fx.Float32)"
    assert shortest(kind, "fx", base, first_mode=True) == f"fx.make_rmem_tensor({size(modes[0])}, fx.Float32)"


def test_memory() -> None:
    assert of_memory("Tensor|!fly.memref<f32, global, (?,?):(?{i64},1)>", "f32", "global")
    assert not of_memory("Tensor|!fly.memref<f32, register, 8:1>", "f32", "global")
    assert not of_memory("Tensor", "f32", "global")
