# Three bugs of FlyDSL in one script. The arguments say in which order they are come to; one is enough to
# end the script, unless it is caught.
import sys

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

WIDTH = 64


def clamp(i, n):
    found = fx.Int32(0)
    if i < n:
        found = fx.Int32(i)
    return found


@flyc.kernel
def copied(A: fx.Tensor):
    tile = fx.slice(fx.zipped_divide(A, (WIDTH, 1)), (None, fx.block_idx.x))
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.Float32)
    fx.copy(atom, tile, tile)


@flyc.kernel
def clamped(out: fx.Tensor, n: fx.Int32):
    lane = fx.Int32(fx.thread_idx.x)
    out[fx.thread_idx.x] = clamp(lane, n)


@flyc.jit
def run_copied(A: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    copied(A).launch(grid=(1, 1, 1), block=(WIDTH, 1, 1), stream=stream)


@flyc.jit
def run_clamped(out: fx.Tensor, n: fx.Int32, stream: fx.Stream = fx.Stream(None)):
    clamped(out, n).launch(grid=(1, 1, 1), block=(WIDTH, 1, 1), stream=stream)


@flyc.jit
def divided():
    layout = fx.make_layout((64, 50, 80), (16000, 160, 1))
    tiler = (32, None, None)
    print(fx.zipped_divide(layout, tiler))


for word in sys.argv[1:] or ["copied"]:
    if word == "copied":
        run_copied(torch.zeros(WIDTH, 1))
    elif word == "clamped":
        run_clamped(torch.zeros(WIDTH, dtype=torch.int32), 5)
    elif word == "divided":
        divided()
    else:
        try:
            run_clamped(torch.zeros(WIDTH, dtype=torch.int32), 5)
        except RuntimeError:
            print("went on")
