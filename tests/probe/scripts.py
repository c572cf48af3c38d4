"""Small FlyDSL scripts that the tests of this room share."""

from __future__ import annotations

import textwrap

HEAD = """\
import torch
import flydsl.compiler as flyc
import flydsl.expr as fx
"""


def kernel(
    body: str,
    *,
    options: str = "",
    before: str = "",
    after: str = "",
    hints: str = "",
    block: int = 64,
) -> str:
    """A script that launches one kernel over `A` and `out`, `body` being the kernel's statements."""
    return f"""\
{HEAD}{before}

@flyc.kernel{options}
def k(A: fx.Tensor, out: fx.Tensor):
{textwrap.indent(textwrap.dedent(body).strip(), "    ")}


@flyc.jit
def run(A: fx.Tensor, out: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    k(A, out{hints}).launch(grid=(1, 1, 1), block=({block}, 1, 1), stream=stream)


run(torch.zeros(65536), torch.zeros(65536))
{after}"""


COPY = kernel("out[fx.thread_idx.x] = fx.Float32(A[fx.thread_idx.x])")

MANY_LIVE = """
i = fx.thread_idx.x
r = [fx.Float32(A[fx.Int32(i) * 150 + j]) for j in range(150)]
fx.gpu.barrier()
s = fx.Float32(0.0)
for j in fx.range_constexpr(150):
    s = s * s + r[(j * 7) % 150]
for j in fx.range_constexpr(150):
    s = s * s + r[149 - j]
out[i] = s
"""

LEGALIZATION = kernel("""
atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.Float32)
r = fx.make_rmem_tensor(2, fx.Float32)
t = fx.logical_divide(A, fx.make_layout(2, 1))
fx.copy_atom_call(atom, fx.slice(t, (None, fx.thread_idx.x)), r)
out[fx.thread_idx.x] = fx.Float32(r[0])
""")

ASSERTION = f"""\
{HEAD}

@flyc.jit
def run():
    layout = fx.make_layout((64, 50, 80), (16000, 160, 1))
    print(fx.logical_divide(layout, (32, None, None)))
    print(fx.zipped_divide(layout, (32, None, None)))


run()
"""
