# Catches the compile error and goes on, as a script that prints a table does.
import torch
import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def k(A: fx.Tensor):
    a = fx.slice(fx.zipped_divide(A, (64, 1)), (None, fx.block_idx.x))
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.Float32)
    fx.copy(atom, a, a)


@flyc.jit
def run(A: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    k(A).launch(grid=(1, 1, 1), block=(64, 1, 1), stream=stream)


try:
    run(torch.zeros(64, 1))
except Exception as error:
    print("failed:", type(error).__name__)
