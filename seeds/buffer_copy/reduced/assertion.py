# Reduced by flybisect 0.1.0 from 118 statements to 15.
# FlyDSL 0.3.0, gfx942. Reduced with:
#   flybisect reduce gemm_vgpr_compare.py --oracle assertion --arch gfx942 --flydsl 0.3.0 -- gemm --copy buffer128 --buffer-tensor
# Run with:
#   python assertion.py
# Shows:
#   Instructions.cpp: Create: Assertion `castIsValid(op, S, Ty) && "Invalid cast!"' failed

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch


@flyc.kernel
def gemm_kernel(A: fx.Tensor, B: fx.Tensor, C: fx.Tensor):
    mma_atom = fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 32, fx.Float8E4M3FNUZ))
    tiled_mma = fx.make_tiled_mma(mma_atom, fx.make_layout((1, 1, 1), (1, 0, 0)))
    frag_A = tiled_mma.thr_slice(0).make_fragment_A(fx.slice(fx.zipped_divide(A, (1, 1)), (None, 0)))
    frag_C = tiled_mma.thr_slice(0).make_fragment_C(fx.slice(fx.zipped_divide(C, (1, 1)), (None, 0)))

    load_atom = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), fx.Float8E4M3FNUZ)
    thr_copy_B = fx.make_tiled_copy_B(load_atom, tiled_mma).get_slice(0)
    fx.copy(
        load_atom,
        thr_copy_B.partition_S(fx.slice(fx.zipped_divide(fx.rocdl.make_buffer_tensor(B), (1, 1)), (None, 0))),
        thr_copy_B.retile(frag_A),
    )
    fx.gemm(mma_atom, frag_C, frag_A, frag_A, frag_C)


@flyc.jit
def launch(A: fx.Tensor, B: fx.Tensor, C: fx.Tensor):
    gemm_kernel(A, B, C).launch()


launch(torch.randn(1, 1), torch.randn(1, 1), torch.zeros(1, 1))
