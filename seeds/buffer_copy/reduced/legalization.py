# Reduced by flybisect 0.1.0 from 118 statements to 11.
# FlyDSL 0.5.0, gfx942. Reduced with:
#   flybisect reduce gemm_vgpr_compare.py --oracle legalization --arch gfx942 --flydsl 0.5.0 -- gemm --copy buffer64
# Run with:
#   python legalization.py
# Shows:
#   failed to legalize operation 'fly.copy_atom_call_ssa' that was explicitly marked illegal

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch


@flyc.kernel
def gemm_kernel(A: fx.Tensor):
    block_A = fx.slice(fx.zipped_divide(A, (1, 1)), (None, 0))

    tiled_mma = fx.make_tiled_mma(
        fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 32, fx.Float8E4M3FNUZ)),
        fx.make_layout((1, 1, 1), (1, 0, 0)),
    )

    load_atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.Float8E4M3FNUZ)

    fx.copy(
        load_atom,
        fx.make_tiled_copy_A(load_atom, tiled_mma).get_slice(0).partition_S(block_A),
        tiled_mma.thr_slice(0).make_fragment_A(block_A),
    )


@flyc.jit
def launch(A: fx.Tensor):
    gemm_kernel(A).launch()


launch(torch.randn(1, 1))
