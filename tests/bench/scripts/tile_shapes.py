"""Prints how a volume is cut into tiles; a tiler that leaves modes whole ends in an assertion."""

import argparse

import flydsl.compiler as flyc
import flydsl.expr as fx

SHAPE = (96, 40, 24)


def row_major(shape):
    strides = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def tilers(shape, tile):
    found = {}
    found["all"] = (tile, tile, tile)
    found["first"] = (tile, None, None)
    found["flat"] = (tile, tile, None)
    return found


class Names:
    def __init__(self, prefix):
        self.prefix = prefix
        self.given = 0

    def next(self, kind):
        self.given += 1
        return f"{self.prefix}{self.given}: {kind}"


NAMES = Names("tiling ")


@flyc.jit
def tell():
    strides = row_major(SHAPE)
    volume = fx.make_layout(SHAPE, strides)
    print(NAMES.next("volume"), volume)
    choices = tilers(SHAPE, 8)
    plane = fx.make_layout(SHAPE[1:], strides[1:])
    print(NAMES.next("plane"), plane)
    print(NAMES.next("flat"), fx.logical_divide(volume, choices["flat"]))
    cubes = fx.logical_divide(volume, choices["all"])
    print(NAMES.next("cubes"), cubes)
    rows = fx.logical_divide(volume, choices["first"])
    print(NAMES.next("rows"), rows)
    tiles = fx.zipped_divide(volume, choices["all"])
    print(NAMES.next("tiles"), tiles)
    slabs = fx.zipped_divide(volume, choices["first"])
    print(NAMES.next("slabs"), slabs)
    whole = fx.zipped_divide(plane, (8, 8))
    print(NAMES.next("whole"), whole)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=1)
    args = parser.parse_args()
    for _ in range(args.times):
        tell()


if __name__ == "__main__":
    main()
