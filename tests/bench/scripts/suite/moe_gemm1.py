"""The first GEMM of a mixture of experts; type of its inputs and tiles are the arguments."""

import sys

import torch
from kernels.moe.moe_gemm_2stage import compile_moe_gemm1

TYPE = sys.argv[1] if len(sys.argv) > 1 else "fp8"
TILE_M, TILE_N, TILE_K = map(int, sys.argv[2:5] or (64, 128, 128))
TOKENS, MODEL, INTER, EXPERTS, TOPK, BLOCKS = 256, 1024, 512, 8, 2, 16
launch = compile_moe_gemm1(
    model_dim=MODEL,
    inter_dim=INTER,
    experts=EXPERTS,
    topk=TOPK,
    tile_m=TILE_M,
    tile_n=TILE_N,
    tile_k=TILE_K,
    doweight_stage1=True,
    in_dtype=TYPE,
)


def zeros(count, dtype=torch.int32):
    return torch.zeros(count, dtype=dtype, device="cuda")


out = zeros(TOKENS * TOPK * INTER, torch.float16)
x, w = zeros(TOKENS * MODEL, torch.int8), zeros(EXPERTS * 2 * INTER * MODEL, torch.int8)
scale_x, scale_w = zeros(TOKENS, torch.float32), zeros(EXPERTS * 2 * INTER, torch.float32)
rows = BLOCKS * TILE_M
launch(
    *(out, x, w, scale_x, scale_w, zeros(rows), zeros(BLOCKS), zeros(rows, torch.float32), zeros(1)),
    *(TOKENS, INTER, MODEL, BLOCKS),
    torch.cuda.current_stream(),
)
