"""A bf16 GEMM for RDNA, with 8 by 4 tiles of 16 for each wave."""

import torch
from kernels.gemm.rdna_f16_gemm import create_wmma_gemm_module

M = N = K = 512
launch, *_ = create_wmma_gemm_module(M, N, K, reg_m=8, reg_n=4)
a = torch.zeros(M, K, dtype=torch.bfloat16, device="cuda")
b = torch.zeros(N, K, dtype=torch.bfloat16, device="cuda")
c = torch.zeros(M, N, dtype=torch.bfloat16, device="cuda")
launch(c, a, b, torch.cuda.current_stream())
