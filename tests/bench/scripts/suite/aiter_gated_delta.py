"""aiter's chunked gated delta rule; the argument is how many columns of V one block takes."""

import sys

import torch
from aiter.ops.flydsl.kernels.chunk_gated_delta_h import compile_chunk_gated_delta_h

COLUMNS = int(sys.argv[1]) if len(sys.argv) > 1 else 32
K, V, HEADS, GROUPS, LENGTH, CHUNKS = 128, 128, 8, 4, 512, 8
launch = compile_chunk_gated_delta_h(K=K, V=V, BV=COLUMNS, H=HEADS, Hg=GROUPS)


def zeros(*shape, dtype=torch.bfloat16):
    return torch.zeros(*shape, dtype=dtype, device="cuda")


k, v, w = zeros(LENGTH, GROUPS, K), zeros(LENGTH, HEADS, V), zeros(LENGTH, HEADS, K)
gates = zeros(LENGTH, HEADS, dtype=torch.float32)
states = zeros(CHUNKS, HEADS, K, V)
first, last = (zeros(1, HEADS, K, V, dtype=torch.float32) for _ in range(2))
starts, offsets = zeros(2, dtype=torch.int32), zeros(2, dtype=torch.int32)
launch(
    *(k, v, w, torch.empty_like(v), gates, gates, states, first, last, starts, offsets),
    *(LENGTH, LENGTH, 1, V // COLUMNS, HEADS),
    torch.cuda.current_stream(),
)
