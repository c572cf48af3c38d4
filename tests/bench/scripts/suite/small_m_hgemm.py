"""A bf16 GEMM for few rows; the argument is how often a wave repeats its tile."""

import sys

import torch
from kernels.gemm.small_m_hgemm import compile_small_m_hgemm_kernel

M, N, K = 16, 4096, 4096
REPEAT = int(sys.argv[1]) if len(sys.argv) > 1 else 1
launch = compile_small_m_hgemm_kernel("bf16", N, K, TILE_N=128, TILE_K=64, N_TILE_REPEAT=REPEAT)


def zeros(*shape, dtype=torch.bfloat16):
    return torch.zeros(*shape, dtype=dtype, device="cuda")


flags = zeros(4096, dtype=torch.int32)
launch(zeros(M, N), zeros(M, K), zeros(N, K), zeros(N), M, flags, flags, stream=torch.cuda.current_stream())
