"""Sliding-window attention of 32 heads; `--recast` keeps the address of each read in two parts."""

import sys

import torch
from kernels.attention.swa_gfx950 import build_gqa_attn

BATCH, LENGTH, HEADS, KV_HEADS, HEAD_DIM = 2, 4096, 32, 16, 128
launch = build_gqa_attn(
    ATTN_B=BATCH,
    ATTN_H=HEADS,
    ATTN_H_KV=KV_HEADS,
    ATTN_D=HEAD_DIM,
    sliding_window=(511, 0),
    recast="--recast" in sys.argv,
)
q = torch.zeros(BATCH, LENGTH, HEADS, HEAD_DIM, dtype=torch.bfloat16, device="cuda")
k = torch.zeros(BATCH, LENGTH, KV_HEADS, HEAD_DIM, dtype=torch.bfloat16, device="cuda")
v = torch.zeros_like(k)
out = torch.empty_like(q)
strides = [tensor.stride(1) for tensor in (q, k, v, out)]
launch(q, k, v, out, *strides, LENGTH, LENGTH, stream=torch.cuda.current_stream())
