"""Paged attention of one query token, over an fp8 cache of pages of 64."""

import sys

import torch
from kernels.attention.pa_decode_tile import pa_decode_tile

HEAD_DIM = 128
SEQUENCES, KV_HEADS, GROUP, PAGE = 4, 2, 16, 64
QUERY_LENGTH = int(sys.argv[1]) if len(sys.argv) > 1 else 1
PAGES = 64
fp8 = torch.float8_e4m3fn
query = torch.zeros(SEQUENCES * QUERY_LENGTH, KV_HEADS * GROUP, HEAD_DIM, dtype=torch.bfloat16, device="cuda")
key_cache = torch.zeros(PAGES, KV_HEADS, HEAD_DIM // 16, PAGE, 16, dtype=torch.uint8, device="cuda").view(fp8)
value_cache = torch.zeros(PAGES, KV_HEADS, PAGE // 16, HEAD_DIM, 16, dtype=torch.uint8, device="cuda").view(fp8)
tables = torch.zeros(SEQUENCES, PAGES // SEQUENCES, dtype=torch.int32, device="cuda")
lengths = torch.full((SEQUENCES,), 1000, dtype=torch.int32, device="cuda")
scale = torch.ones(PAGES, KV_HEADS, PAGE, device="cuda")
out = torch.empty_like(query)
pa_decode_tile(out, query, key_cache, value_cache, tables, lengths, scale, scale, num_partitions=1)
