# As dynamic_if, with the kernel's decorator lost: the same words, raised while the launcher is traced.
import torch
import flydsl.compiler as flyc
import flydsl.expr as fx


def clamp(i, n):
    r = fx.Int32(0)
    if i < n:
        r = fx.Int32(i)
    return r


def k(out: fx.Tensor, n: fx.Int32):
    out[fx.thread_idx.x] = clamp(fx.Int32(fx.thread_idx.x), n)


@flyc.jit
def run(out: fx.Tensor, n: fx.Int32, stream: fx.Stream = fx.Stream(None)):
    k(out, n).launch(grid=(1, 1, 1), block=(64, 1, 1), stream=stream)


run(torch.zeros(64, dtype=torch.int32), 5)
