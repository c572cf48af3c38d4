"""Has something for every pass."""
import argparse
import sys

import toy
import toy
from toy import mix, note as say, range_constexpr


class Tile:
    def __init__(self, width):
        self.width = width

    def twice(self):
        return self.width * 2


class Vector:
    def __init__(self, lanes):
        self.lanes = lanes


def spread(value, count=2):
    lanes = [value] * count
    return Vector(lanes)


def joined(first, second):
    both = first.lanes + second.lanes
    return Vector(both), len(both)


def packed(first, second, third):
    flat = []
    for i in range_constexpr(2):
        flat.append(first + i)
    flat.append(second)
    flat.append(third)
    return flat


def unpacked(flat):
    at = 0
    rows = [0] * 2
    for i in range_constexpr(2):
        rows[i] = flat[at]; at += 1
    second = flat[at]
    at += 1
    return rows, second, flat[at]


def step(index, rows, second, third):
    return rows, second + index, third


def taken_apart(value):
    state = unpacked(packed(value, 2, 3))
    state = step(4, *state)
    rows, second, third = state
    ends = [rows[0], rows[1]]
    toy.note(ends[0] + ends[1] + third, second)
    squares = [each * each for each in range(3)]
    for i in range_constexpr(2):
        toy.note(squares[i + 1])
    toy.note(1, value)
    toy.note(3, value)
    toy.note(5, value)
    toy.note(7, value)
    toy.note([toy.mix(value, 0), toy.mix(value, 2), toy.mix(value, 4), toy.mix(value, 6)])


SIZE = 4 * 16
SHAPE = ((SIZE, 1), (1, SIZE))


@toy.kernel(size=[64, 1])
def compute(A: int, B: int, C=3):
    """Computes."""
    tile = Tile(A)
    total = tile.twice() + 2 * 3
    index = total * 4 + A
    near = spread(index)
    far = spread(near.lanes[0], count=3)
    both, length = joined(near, far)
    acc = toy.thread_idx.x
    for k in toy.range_constexpr(4):
        if k > 2:
            acc = acc + both.lanes[k]
        else:
            acc += len(far.lanes)
    taken_apart(A)
    size = A + 2
    toy.note(size + B)
    count = 0
    for each in both.lanes:
        count = count + each
    # The needle.
    with toy.region() as r:
        toy.needle(acc + count + length + r)
    if A < 0:
        say("never")
    toy.note(
        acc,
        index,
    )


@toy.kernel
def other(A):
    toy.note(A)


@toy.jit
def launch(A, B, stream=None):
    compute(A, B, C=4).launch(grid=(1, 1, 1), block=(SIZE, 1, 1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--recast", action="store_true")
    args = parser.parse_args()
    first, second = 64, mix(2, third=1)
    assert first
    print(args.recast, SHAPE, max((4, 1), (2, 8)), min(((4, 1), 2), ((1, 4), 8)))
    other(first).launch()
    launch(first, second if args.recast else 2)
