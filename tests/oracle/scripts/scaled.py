# A kernel that is fine; recorded with its IR behind fly-layout-lowering and with what it prints.
import torch
import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def scaled(A: fx.Tensor, out: fx.Tensor):
    i = fx.thread_idx.x
    out[i] = fx.Float32(A[i]) * fx.Float32(3.0)


@flyc.jit
def run(A: fx.Tensor, out: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    scaled(A, out).launch(grid=(1, 1, 1), block=(64, 1, 1), stream=stream)


run(torch.zeros(64), torch.zeros(64))
print("a layout of 64 was scaled")
