"""The statement in the middle fails."""
import flydsl.expr as fx
import flydsl.compiler as flyc
import torch


@flyc.kernel
def compute(A: fx.Tensor):
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    pieces = fx.zipped_divide(A, (4, 1))
    fx.copy(atom, fx.slice(pieces, (None, fx.block_idx.x)), fx.make_fragment_like(pieces))
    other = fx.make_rmem_tensor(4, fx.Float32)
    fx.copy(atom, fx.slice(pieces, (None, 0)), other)


@flyc.jit
def launch(A: fx.Tensor):
    compute(A).launch(grid=(1, 1, 1), block=(64, 1, 1))


launch(torch.randn(8, 8))
