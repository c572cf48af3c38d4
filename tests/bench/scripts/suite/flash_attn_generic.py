"""Flash attention, dense, of the width of head that is given (256 if none is)."""

import sys

import torch
from kernels.attention.flash_attn_generic import build_flash_attn_func_module

BATCH, LENGTH, HEADS = 1, 512, 8
HEAD_DIM = int(sys.argv[1]) if len(sys.argv) > 1 else 256
launch = build_flash_attn_func_module(HEADS, HEAD_DIM, causal=True, dtype_str="bf16")
q = torch.zeros(BATCH * LENGTH * HEADS * HEAD_DIM, dtype=torch.bfloat16, device="cuda")
k = torch.zeros_like(q)
v = torch.zeros_like(q)
out = torch.zeros_like(q)
launch(q, k, v, out, BATCH, LENGTH, stream=torch.cuda.current_stream())
