"""A filter that keeps one window of samples in registers for each lane, in blocks of 1024 lanes."""

import argparse

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

LANES = 1024
WINDOW = 144


class Weights:
    """Of a filter whose taps go down towards both of its ends."""

    def __init__(self, taps):
        self.taps = taps
        self.middle = taps // 2

    def of(self, tap):
        distance = abs(tap - self.middle)
        return 1.0 / (1.0 + distance)

    def total(self):
        return sum(self.of(tap) for tap in range(self.taps))


def reference(samples, weights):
    windows = samples.reshape(-1, weights.taps)
    factors = torch.tensor([weights.of(tap) for tap in range(weights.taps)])
    return (windows * factors).sum(dim=1) / weights.total()


def clamp(value, low, high):
    bounded = fx.arith.maximumf(value, low)
    return fx.arith.minimumf(bounded, high)


WEIGHTS = Weights(WINDOW)


@flyc.kernel(known_block_size=[LANES, 1, 1])
def smooth(samples: fx.Tensor, out: fx.Tensor, gain: fx.Float32):
    lane = fx.thread_idx.x
    block = fx.block_idx.x
    first = (fx.Int32(block) * LANES + fx.Int32(lane)) * WINDOW
    held = [fx.Float32(samples[first + tap]) for tap in range(WINDOW)]
    fx.gpu.barrier()
    mean = fx.Float32(0.0)
    for tap in fx.range_constexpr(WINDOW):
        mean = mean + held[tap] * WEIGHTS.of(tap)
    mean = mean * gain
    spread = fx.Float32(0.0)
    for tap in fx.range_constexpr(WINDOW):
        away = held[(tap * 5) % WINDOW] - mean
        spread = spread * spread + away
    energy = fx.Float32(1.0)
    for tap in fx.range_constexpr(WINDOW):
        energy = energy * energy + held[WINDOW - 1 - tap]
    shown = mean + spread
    shown = shown + energy
    out[fx.Int32(block) * LANES + fx.Int32(lane)] = shown


@flyc.jit
def run(
    samples: fx.Tensor,
    out: fx.Tensor,
    gain: fx.Float32,
    blocks: fx.Constexpr[int],
    stream: fx.Stream = fx.Stream(None),
):
    smooth(samples, out, gain).launch(grid=(blocks, 1, 1), block=(LANES, 1, 1), stream=stream)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--gain", type=float, default=0.5)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    samples = torch.rand(args.blocks * LANES * WINDOW, device="cuda")
    out = torch.zeros(args.blocks * LANES, device="cuda")
    run(samples, out, args.gain, args.blocks)
    if args.check:
        expected = reference(samples.cpu(), WEIGHTS)
        worst = (out.cpu() - expected).abs().max()
        print(f"worst difference: {worst}")
    print("done")


if __name__ == "__main__":
    main()
