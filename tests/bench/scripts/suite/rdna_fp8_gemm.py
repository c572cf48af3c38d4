"""An fp8 GEMM for RDNA, over tiles that the arguments give."""

import sys

import torch
from kernels.gemm.rdna_fp8_preshuffle_gemm import compile_fp8_gemm

M, N, K = 256, 512, 1024
TILE_M, TILE_N, TILE_K = map(int, sys.argv[1:4] or (32, 128, 256))
launch = compile_fp8_gemm(M=M, N=N, K=K, tile_m=TILE_M, tile_n=TILE_N, tile_k=TILE_K)


def zeros(count, dtype=torch.int8):
    return torch.zeros(count, dtype=dtype, device="cuda")


c, scale_a, scale_b = zeros(M * N, torch.bfloat16), zeros(M, torch.float32), zeros(N, torch.float32)
launch(c, zeros(M * K), zeros(N * K), scale_a, scale_b, torch.cuda.current_stream())
