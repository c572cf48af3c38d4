"""An fp8 GEMM with a scale for each block of 128, over tiles that the arguments give."""

import sys

import torch
from kernels.gemm.blockscale_preshuffle_gemm import compile_blockscale_preshuffle_gemm

M, N, K = 1024, 1024, 1024
TILE_M, TILE_N, TILE_K = map(int, sys.argv[1:4] or (128, 128, 128))
launch = compile_blockscale_preshuffle_gemm(M=M, N=N, K=K, tile_m=TILE_M, tile_n=TILE_N, tile_k=TILE_K)


def zeros(count, dtype=torch.int8):
    return torch.zeros(count, dtype=dtype, device="cuda")


scales_a, scales_b = zeros(M * K // 128, torch.float32), zeros(N * K // 128 // 128, torch.float32)
c = zeros(M * N, torch.bfloat16)
launch(c, zeros(M * K), zeros(N * K), scales_a, scales_b, M, N, torch.cuda.current_stream())
