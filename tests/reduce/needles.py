"""Random FlyDSL scripts around a few statements that are known to fail, for the real compiler."""

from __future__ import annotations

import random
import textwrap
from dataclasses import dataclass

HEAD = """\
import argparse
import dataclasses

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

SIZE = 65536
"""


@dataclass(frozen=True)
class Needle:
    """Statements of a kernel over `A` and `out` that FlyDSL 0.5.0 does not compile for gfx942."""

    name: str
    oracle: str
    text: str
    core: tuple[str, ...]
    """What no reduction can lose."""
    most: int
    """Statements of a script that holds little else."""


NEEDLES = (
    Needle(
        "buffer copy of a plain tensor",
        "legalization",
        """\
atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.Float32)
register = fx.make_rmem_tensor(2, fx.Float32)
tiles = fx.logical_divide(A, fx.make_layout(2, 1))
fx.copy_atom_call(atom, fx.slice(tiles, (None, tid)), register)
""",
        ("BufferCopy64b", "copy_atom_call("),
        13,
    ),
    Needle(
        "division by a tiler with None",
        "assertion",
        """\
layout = fx.make_layout((64, 50, 80), (16000, 160, 1))
whole = fx.logical_divide(layout, (32, None, None))
print(whole, fx.zipped_divide(layout, (32, None, None)))
""",
        ("zipped_divide(", "None"),
        11,
    ),
)


def script(needle: Needle, seed: int, statements: int) -> str:
    """A script with about so many statements beside the needle, always the same of a seed."""
    choose = random.Random(seed)
    helpers = [_helper(choose, number) for number in range(3)]
    at = choose.randrange(1, statements)
    body = ["tid = fx.thread_idx.x", "v0 = fx.Float32(A[tid])"]
    for number in range(1, statements):
        if number == at:
            body += needle.text.splitlines()
        body += _statement(choose, number)
    body.append(f"out[tid] = v{statements - 1}")
    return "\n".join([HEAD, *helpers, _kernel(body), _host(choose)])


def _statement(choose: random.Random, number: int) -> list[str]:
    """Gives `v{number}` a value by means of those before it."""
    one, other = choose.randrange(number), choose.randrange(number)
    offset, new = choose.randrange(1, 64), f"v{number}"
    return choose.choice(
        [
            [f"{new} = v{one} * v{other} + fx.Float32({offset}.0)"],
            [f"{new} = v{one} + fx.Float32(A[tid + {offset}])"],
            [f"{new} = helper_{choose.randrange(3)}(v{one}, {offset}.0)"],
            [f"{new} = v{one}", "for turn in fx.range_constexpr(2):", f"    {new} = {new} + v{other}"],
            [f"{new} = v{one}", f"out[tid + {64 * offset}] = {new} - v{other}"],
            [f"{new} = v{one} if SIZE > {offset} else v{other}"],
            [f"pair_{number} = (v{one}, v{other})", f"{new} = pair_{number}[{offset % 2}]"],
        ]
    )


def _helper(choose: random.Random, number: int) -> str:
    operation = choose.choice(["value * scale", "value - scale", "(value + scale) * value"])
    return f"def helper_{number}(value, by):\n    scale = fx.Float32(by)\n    return {operation}\n\n"


def _kernel(body: list[str]) -> str:
    text = textwrap.indent("\n".join(body), "    ")
    return f"""
@flyc.kernel
def kernel(A: fx.Tensor, out: fx.Tensor):
{text}


@flyc.jit
def launch(A: fx.Tensor, out: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    kernel(A, out).launch(grid=(1, 1, 1), block=(64, 1, 1), stream=stream)

"""


def _host(choose: random.Random) -> str:
    return f"""
@dataclasses.dataclass
class Options:
    rounds: int = {choose.randrange(1, 9)}
    check: bool = False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    options = Options(check=parser.parse_args().check)
    A, out = torch.ones(SIZE), torch.zeros(SIZE)
    launch(A, out)
    if options.check:
        print("largest", float(out.abs().max()), options.rounds)


main()
"""
