"""Sums tiles of a fixed shape in a loop whose end is known at run time only."""

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

LANES = 64
SHAPE = (8, 1)


@flyc.kernel
def sums(out: fx.Tensor, rounds: fx.Int32):
    lane = fx.thread_idx.x
    step = fx.Vector.filled(SHAPE, 0.5, fx.Float32)
    total = fx.Vector.filled(SHAPE, 0.0, fx.Float32)
    for turn in range(0, rounds):
        total = total + step
    out[lane] = total.reduce(fx.ReductionOp.ADD)


@flyc.jit
def run(out: fx.Tensor, rounds: fx.Int32, stream: fx.Stream = fx.Stream(None)):
    sums(out, rounds).launch(grid=(1, 1, 1), block=(LANES, 1, 1), stream=stream)


run(torch.zeros(LANES), 7)
