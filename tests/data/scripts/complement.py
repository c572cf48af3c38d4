"""Asks for the complement of a layout whose stride is known at run time alone."""

import argparse

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--static", action="store_true")
options = parser.parse_args()

ROWS, COLUMNS = 4, 8


@flyc.kernel
def fill(out: fx.Tensor, stride: fx.Int32):
    tid = fx.thread_idx.x
    step = COLUMNS if options.static else stride
    layout = fx.make_layout((ROWS, COLUMNS), (1, step))
    rest = fx.complement(layout, 256)
    print(rest)
    out[tid] = fx.Float32(1.0)


@flyc.jit
def run(out: fx.Tensor, stride: fx.Int32, stream: fx.Stream = fx.Stream(None)):
    fill(out, stride).launch(grid=(1, 1, 1), block=(64, 1, 1), stream=stream)


run(torch.zeros(64, device="cuda"), 4)
