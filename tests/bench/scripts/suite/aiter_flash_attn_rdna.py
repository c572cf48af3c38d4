"""aiter's flash attention for RDNA 4; the arguments are the width of a head and the keys of one step."""

import sys

import torch
from aiter.ops.flydsl.kernels.flash_attn_func_gfx1201 import build_flash_attn_func_module

HEAD_DIM, STEP = map(int, sys.argv[1:3] or (128, 64))
BATCH, LENGTH, HEADS = 1, 1024, 8
launch = build_flash_attn_func_module(HEADS, HEAD_DIM, causal=True, block_n=STEP)
q = torch.zeros(BATCH * LENGTH * HEADS * HEAD_DIM, dtype=torch.bfloat16, device="cuda")
k, v, out = torch.zeros_like(q), torch.zeros_like(q), torch.zeros_like(q)
launch(q, k, v, out, BATCH, LENGTH)
