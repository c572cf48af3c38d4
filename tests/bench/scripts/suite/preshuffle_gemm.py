"""An fp8 GEMM whose second matrix lies in the order of the MFMA, over tiles that the arguments give."""

import sys

import torch
from kernels.gemm.preshuffle_gemm import compile_preshuffle_gemm

M, N, K = 1024, 1024, 2048
TILE_M, TILE_N, TILE_K = map(int, sys.argv[1:4] or (128, 256, 128))
launch = compile_preshuffle_gemm(N=N, K=K, tile_m=TILE_M, tile_n=TILE_N, tile_k=TILE_K)


def zeros(count, dtype=torch.int8):
    return torch.zeros(count, dtype=dtype, device="cuda")


c, scales_a, scales_b, bias = zeros(M * N, torch.bfloat16), *(zeros(1024, torch.float32) for _ in range(3))
launch(c, zeros(M * K), zeros(N * K), scales_a, scales_b, bias, M, N, torch.cuda.current_stream())
