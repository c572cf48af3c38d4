# ROCm/FlyDSL#734: a (4,1) Vector carried by a runtime loop turns into (4,).
import torch
import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def k(out: fx.Tensor, n: fx.Int32):
    acc = fx.Vector.filled((4, 1), 0.0, fx.Float32)
    for i in range(0, n):
        acc += fx.Vector.filled((4, 1), 2.0, fx.Float32)
    out[fx.thread_idx.x] = acc.reduce(fx.ReductionOp.ADD)


@flyc.jit
def run(out: fx.Tensor, n: fx.Int32, stream: fx.Stream = fx.Stream(None)):
    k(out, n).launch(grid=(1, 1, 1), block=(64, 1, 1), stream=stream)


run(torch.zeros(64), 5)
