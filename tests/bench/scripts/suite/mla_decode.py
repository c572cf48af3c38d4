"""Latent attention of 128 heads, all in fp8."""

import torch
from kernels.mla_fwd_decode_m16x8_fp8_fp8 import launch_mla_fwd_decode_m16x8_fp8_fp8 as launch

SEQUENCES, HEADS, QK, V, WORKERS = 2, 128, 576, 512, 80


def zeros(*shape, dtype=torch.int32):
    return torch.zeros(*shape, dtype=dtype, device="cuda")


query = zeros(SEQUENCES * HEADS, QK, dtype=torch.uint8).view(torch.float8_e4m3fnuz)
cache = zeros(1024, QK, dtype=torch.uint8).view(torch.float8_e4m3fnuz)
final = zeros(SEQUENCES * HEADS, V, dtype=torch.bfloat16)
split = zeros(8 * HEADS, V, dtype=torch.float32)
lse = zeros(8 * HEADS, dtype=torch.float32)
launch(
    query, cache, zeros(1024), zeros(WORKERS + 1), zeros(64), final, split, lse, QK**-0.5, WORKERS, 160 * 1024
)
