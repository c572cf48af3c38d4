"""Turns a vector into a list, which never ends while FlyDSL 0.2.4 and older trace it."""

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch


@flyc.kernel
def total(out: fx.Tensor):
    held = fx.Vector.filled(4, 1.5, fx.Float32)
    found = fx.Float32(0.0)
    for each in list(held):
        found = found + each
    out[fx.thread_idx.x] = found


@flyc.jit
def run(out: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    total(out).launch(grid=(1, 1, 1), block=(64, 1, 1), stream=stream)


run(torch.zeros(64))
