"""Flash attention in two waves that swap roles; `--waves N` asks for N waves on each unit."""

import argparse

import torch
from kernels.attention.flash_attn_gfx950 import build_flash_attn_dualwave_swp_module

parser = argparse.ArgumentParser()
parser.add_argument("--waves", type=int, default=2)
parser.add_argument("--dense", action="store_true")
args = parser.parse_args()

BATCH, LENGTH, HEADS, HEAD_DIM = 1, 1024, 16, 128
launch = build_flash_attn_dualwave_swp_module(HEADS, HEAD_DIM, causal=not args.dense, waves_per_eu=args.waves)
q = torch.zeros(BATCH * LENGTH * HEADS * HEAD_DIM, dtype=torch.bfloat16, device="cuda")
k = torch.zeros_like(q)
v = torch.zeros_like(q)
out = torch.zeros_like(q)
launch(q, k, v, out, BATCH, LENGTH, stream=torch.cuda.current_stream())
