"""An fp8 GEMM of four waves; the argument is the size of a tile."""

import sys

import torch
from kernels.gemm.fp8_gemm_4wave import compile_fp8_gemm_4w

M = N = 512
K = 1024
TILE = int(sys.argv[1]) if len(sys.argv) > 1 else 256
launch = compile_fp8_gemm_4w(K=K, BLOCK_M=TILE, BLOCK_N=TILE)
a = torch.zeros(M * K, dtype=torch.int8, device="cuda")
b = torch.zeros(N * K, dtype=torch.int8, device="cuda")
c = torch.zeros(M * N, dtype=torch.bfloat16, device="cuda")
scale_a = torch.ones(M, device="cuda")
scale_b = torch.ones(N, device="cuda")
launch(a, b, c, scale_a, scale_b, M, N, torch.cuda.current_stream())
