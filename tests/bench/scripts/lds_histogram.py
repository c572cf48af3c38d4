"""A histogram with one copy in LDS for each wave: 96 KiB, which gfx950 has and gfx942 has not."""

import argparse

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

BINS = 6144
WAVES = 4
LANES = 64 * WAVES
ROUNDS = 3


def reference(values):
    return torch.bincount(values.long() % BINS, minlength=BINS)


def slot_of(value, wave):
    inside = value % BINS
    return wave * BINS + inside


@flyc.kernel(known_block_size=[LANES, 1, 1])
def clear(out: fx.Tensor):
    lane = fx.thread_idx.x
    for turn in fx.range_constexpr(BINS // LANES):
        out[fx.Int32(lane) + turn * LANES] = fx.Float32(0.0)


@flyc.kernel(known_block_size=[LANES, 1, 1])
def count(values: fx.Tensor, out: fx.Tensor, scale: fx.Float32):
    lane = fx.Int32(fx.thread_idx.x)
    wave = lane // 64
    copies = fx.SharedAllocator().allocate(fx.Array[fx.Float32, WAVES * BINS]).peek()
    zero = fx.add_offset(copies.ptr, fx.make_int_tuple(lane))
    fx.ptr_store(fx.Float32(0.0), zero)
    fx.gpu.barrier()
    for turn in fx.range_constexpr(ROUNDS):
        value = fx.Int32(values[lane + turn * LANES])
        slot = slot_of(value, wave)
        place = fx.add_offset(copies.ptr, fx.make_int_tuple(slot))
        before = fx.ptr_load(place)
        after = before + fx.Float32(1.0)
        fx.ptr_store(after, place)
    fx.gpu.barrier()
    total = fx.Float32(0.0)
    for each in fx.range_constexpr(WAVES):
        place = fx.add_offset(copies.ptr, fx.make_int_tuple(lane + each * BINS))
        total = total + fx.ptr_load(place)
    total = total * scale
    out[lane] = total


@flyc.jit
def run(values: fx.Tensor, out: fx.Tensor, scale: fx.Float32, stream: fx.Stream = fx.Stream(None)):
    clear(out).launch(grid=(1, 1, 1), block=(LANES, 1, 1), stream=stream)
    count(values, out, scale).launch(grid=(1, 1, 1), block=(LANES, 1, 1), stream=stream)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    values = torch.randint(0, BINS, (LANES * ROUNDS,), dtype=torch.int32, device="cuda")
    out = torch.zeros(BINS, device="cuda")
    run(values, out, 1.0)
    if args.check:
        expected = reference(values.cpu())
        print((out.cpu() == expected).all())
    print("done")


main()
