"""A hash of 64 bits for each lane, with constants above the signed range."""

import argparse

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

LANES = 64
SMALL = 0x1B873593
WIDE = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def reference(seed, lanes):
    found = []
    for lane in range(lanes):
        state = (seed * SMALL + lane) & MASK
        state ^= WIDE
        state = (state * 5) & MASK
        found.append((state >> 32) & 0xFFFFFFFF)
    return found


def shifted(value, places):
    return value >> fx.Uint64(places)


@flyc.kernel
def copy(source: fx.Tensor, out: fx.Tensor):
    lane = fx.thread_idx.x
    out[lane] = source[lane]


@flyc.kernel
def mix(out: fx.Tensor, seed: fx.Int32):
    lane = fx.Int32(fx.thread_idx.x)
    state = fx.Uint64(seed) * fx.Uint64(SMALL)
    state = state + fx.Uint64(lane)
    state = state ^ fx.Uint64(WIDE)
    state = state * fx.Uint64(5)
    low = shifted(state, 3)
    high = shifted(state, 32)
    mixed = low ^ high
    folded = fx.Uint32(mixed)
    out[lane] = fx.Int32(folded)


@flyc.jit
def run(source: fx.Tensor, out: fx.Tensor, seed: fx.Int32, stream: fx.Stream = fx.Stream(None)):
    copy(source, out).launch(grid=(1, 1, 1), block=(LANES, 1, 1), stream=stream)
    mix(out, seed).launch(grid=(1, 1, 1), block=(LANES, 1, 1), stream=stream)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    source = torch.ones(LANES, dtype=torch.int32, device="cuda")
    out = torch.zeros(LANES, dtype=torch.int32, device="cuda")
    run(source, out, args.seed)
    expected = reference(args.seed, LANES)
    if args.verbose:
        for lane in range(LANES):
            print(lane, hex(expected[lane]), int(out[lane]))
    print("done")


main()
