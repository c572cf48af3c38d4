"""One tile of a bf16 product with the 32x32x8 instruction, whose operands older releases do not lower."""

import argparse

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

M, N, K = 32, 32, 8
LANES = 64


def reference(left, right, bias):
    return left.float() @ right.float().T + bias


def tile_of(tensor, shape):
    divided = fx.zipped_divide(tensor, shape)
    return fx.slice(divided, (None, 0))


@flyc.kernel
def add_bias(C: fx.Tensor, bias: fx.Float32):
    lane = fx.Int32(fx.thread_idx.x)
    for row in fx.range_constexpr(4):
        C[row, lane % N] = C[row, lane % N] + bias


@flyc.kernel
def product(A: fx.Tensor, B: fx.Tensor, C: fx.Tensor):
    lane = fx.thread_idx.x
    left = tile_of(fx.rocdl.make_buffer_tensor(A), (M, K))
    right = tile_of(fx.rocdl.make_buffer_tensor(B), (N, K))
    result = tile_of(fx.rocdl.make_buffer_tensor(C), (M, N))
    instruction = fx.make_mma_atom(fx.rocdl.MFMA(M, N, K, fx.BFloat16))
    tiled = fx.make_tiled_mma(instruction, fx.make_layout((1, 1, 1), (1, 1, 1)))
    mine = tiled.thr_slice(lane)
    load = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.BFloat16)
    store = fx.make_copy_atom(fx.rocdl.BufferCopy32b(), fx.Float32)
    load_left = fx.make_tiled_copy_A(load, tiled).get_slice(lane)
    load_right = fx.make_tiled_copy_B(load, tiled).get_slice(lane)
    store_result = fx.make_tiled_copy_C(store, tiled).get_slice(lane)
    part_left = mine.make_fragment_A(left)
    part_right = mine.make_fragment_B(right)
    part_result = mine.make_fragment_C(result)
    fx.copy(load, load_left.partition_S(left), load_left.retile(part_left))
    fx.copy(load, load_right.partition_S(right), load_right.retile(part_right))
    part_result.fill(0)
    fx.gemm(instruction, part_result, part_left, part_right, part_result)
    fx.copy(store, store_result.retile(part_result), store_result.partition_S(result))


@flyc.jit
def run(A: fx.Tensor, B: fx.Tensor, C: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    product(A, B, C).launch(grid=(1, 1, 1), block=(LANES, 1, 1), stream=stream)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bias", type=float, default=0.0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    A = torch.randn(M, K, dtype=torch.bfloat16, device="cuda")
    B = torch.randn(N, K, dtype=torch.bfloat16, device="cuda")
    C = torch.zeros(M, N, device="cuda")
    run(A, B, C)
    expected = reference(A.cpu(), B.cpu(), args.bias)
    print("difference:", (C.cpu() - expected).abs().max())


main()
