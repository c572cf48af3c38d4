"""Scripts of any length around one bug, all of whose statements run and whose kernels are all traced.

A quarter of the statements is on the host: helpers that make the inputs. The rest is in kernels of some 40
statements that are launched one after the other; the one with the bug has its share before and behind it.
The same seed gives the same script.
"""

from __future__ import annotations

import random
from enum import Enum

from flybisect.source.source import count_statements

KERNEL = 40
"""Statements of a kernel, about."""


class Bug(Enum):
    """Which bug is in it, and with that the oracle that finds it."""

    LEGALIZATION = "legalization"
    """The compiler names its line."""
    SPILLS = "spills"
    """A measurement: any statement might matter."""


_HEAD = '''"""Made to be reduced."""

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

LANES = {lanes}


'''
_LANES = {Bug.LEGALIZATION: 256, Bug.SPILLS: 1024}
_MIDDLE = {
    Bug.LEGALIZATION: """\
    tile = fx.slice(fx.zipped_divide(fp8, (64, 128)), (None, 0))
    tiled = fx.make_tiled_mma(
        fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 32, fx.Float8E4M3FNUZ)), fx.make_layout((4, 1, 1), (1, 0, 0))
    )
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.Float8E4M3FNUZ)
    part = tiled.thr_slice(fx.thread_idx.x).make_fragment_A(tile)
    copier = fx.make_tiled_copy_A(atom, tiled).get_slice(fx.thread_idx.x)
    fx.copy(atom, copier.partition_S(tile), copier.retile(part))
""",
    Bug.SPILLS: """\
    held = [fx.Float32(source[lane * 140 + each]) for each in range(140)]
    fx.gpu.barrier()
    total = fx.Float32(0.0)
    for each in fx.range_constexpr(140):
        total = total * total + held[(each * 3) % 140]
    for each in fx.range_constexpr(140):
        total = total * total + held[139 - each]
""",
}


def script(statements: int, bug: Bug, seed: int = 0) -> str:
    """Of about that many statements, within two in a hundred; at least 60."""
    chance = random.Random(seed)
    fillers = statements
    while True:
        text = _script(max(fillers, 4), bug, chance.randrange(2**32))
        over = count_statements(text) - statements
        if over <= 3:
            return text
        fillers -= max(1, over - 2)


def _script(fillers: int, bug: Bug, seed: int) -> str:
    chance = random.Random(seed)
    host = fillers // 4
    inside = fillers - host
    kernels = max(1, round(inside / KERNEL))
    shares = [inside // kernels] * kernels
    failing = kernels // 2
    parts = [_HEAD.format(lanes=_LANES[bug]), *_helpers(host, chance)]
    parts += [_kernel(at, share, bug if at == failing else None, chance) for at, share in enumerate(shares)]
    parts.append(_end(kernels, max(1, -(-host // 10))))
    return "".join(parts)


def _helpers(statements: int, chance: random.Random) -> list[str]:
    """Functions of ten statements, each of which gives one number."""
    found = []
    for at in range(max(1, -(-statements // 10))):
        lines = [f"def figure_{at}(start):", "    a0 = start + 1"]
        for step in range(1, 8):
            lines.append(f"    a{step} = a{chance.randrange(step)} * {chance.randint(2, 9)} + {step}")
        lines.append(f"    return (a7 + a{chance.randrange(7)}) % {chance.randint(50, 99)}")
        found.append("\n".join(lines) + "\n\n\n")
    return found


def _kernel(at: int, statements: int, bug: Bug | None, chance: random.Random) -> str:
    size = f"(known_block_size=[{_LANES[bug]}, 1, 1])" if bug is Bug.SPILLS else ""
    lines = [f"@flyc.kernel{size}", f"def kernel_{at}(source: fx.Tensor, fp8: fx.Tensor, out: fx.Tensor):"]
    lines += ["    lane = fx.Int32(fx.thread_idx.x)", "    v0 = fx.Float32(source[lane])"]
    half = statements // 2
    lines += [_arithmetic(step, chance) for step in range(1, half)]
    if bug is not None:
        lines.append(_MIDDLE[bug].rstrip("\n"))
    lines += [_arithmetic(step, chance) for step in range(half, statements - 1)]
    last = f"v{max(statements - 2, 0)}"
    lines.append(f"    out[lane] = {last} + total" if bug is Bug.SPILLS else f"    out[lane] = {last}")
    return "\n".join(lines) + "\n\n\n"


def _arithmetic(step: int, chance: random.Random) -> str:
    """Reads the value before it, so that each of them is part of what is stored."""
    if chance.random() < 0.3:
        return f"    v{step} = v{step - 1} * {chance.randint(2, 9)}.5"
    return f"    v{step} = v{step - 1} {chance.choice('+-*')} v{chance.randrange(step)}"


def _end(kernels: int, helpers: int) -> str:
    launches = "\n".join(
        f"    kernel_{at}(source, fp8, out).launch(grid=(1, 1, 1), block=(LANES, 1, 1), stream=stream)"
        for at in range(kernels)
    )
    figures = "\n".join(f"    seed = seed + figure_{at}({at})" for at in range(helpers))
    return f"""@flyc.jit
def run(source: fx.Tensor, fp8: fx.Tensor, out: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
{launches}


def main():
    seed = 0
{figures}
    torch.manual_seed(seed)
    source = torch.zeros(LANES * 140)
    fp8 = torch.randn(64, 128).to(torch.float8_e4m3fnuz)
    out = torch.zeros(LANES)
    run(source, fp8, out)


main()
"""
