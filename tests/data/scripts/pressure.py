"""Keeps many values alive in a block of 1024 lanes, which has 128 registers for each."""

import sys

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

VALUES = int(sys.argv[1]) if len(sys.argv) > 1 else 140
LANES = 1024


@flyc.kernel(known_block_size=[LANES, 1, 1])
def mix(source: fx.Tensor, out: fx.Tensor):
    lane = fx.thread_idx.x
    first = fx.Int32(lane) * VALUES
    held = [fx.Float32(source[first + i]) for i in range(VALUES)]
    fx.gpu.barrier()
    total = fx.Float32(0.0)
    for i in fx.range_constexpr(VALUES):
        total = total * total + held[(i * 3) % VALUES]
    for i in fx.range_constexpr(VALUES):
        total = total * total + held[VALUES - 1 - i]
    out[lane] = total


@flyc.jit
def run(source: fx.Tensor, out: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    mix(source, out).launch(grid=(1, 1, 1), block=(LANES, 1, 1), stream=stream)


run(torch.zeros(LANES * VALUES, device="cuda"), torch.zeros(LANES, device="cuda"))
