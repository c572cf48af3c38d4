# An intrinsic that the target does not have: instruction selection gives up.
import torch
import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr import rocdl


@flyc.kernel
def k(A: fx.Tensor):
    fx.rocdl.s_wait_dscnt(0)


@flyc.jit
def run(A: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    k(A).launch(grid=(1, 1, 1), block=(64, 1, 1), stream=stream)


run(torch.zeros(64, 1))
