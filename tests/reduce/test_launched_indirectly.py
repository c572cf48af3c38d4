"""Launchers behind the layers that libraries put around them, through the real compiler: they go."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from flybisect.case.case import Case
from flybisect.judge.trials import NoMemory
from flybisect.reduce.passes import PASSES
from flybisect.reduce.reducer import Reducer
from flybisect.source.source import count_statements
from flybisect.workflows.prepare import prepare

HEAD = """\
import dataclasses
import functools
import torch
import flydsl.compiler as flyc
import flydsl.expr as fx

SIZE = 64


def build(width, *, dtype=fx.Float32, mode="fast"):
    elements = width * 2
    tail = None if mode == "fast" else 1

    def scaled(value):
        return value * elements

    @flyc.kernel
    def kern(A: fx.Tensor, B: fx.Tensor, n: fx.Int32):
        lane = fx.Int32(fx.thread_idx.x)
        B[scaled(lane)] = dtype(A[lane + n])
        layout = fx.make_layout((64, 50, 80), (16000, 160, 1))
        shown = fx.zipped_divide(layout, (elements, tail, tail))
        print(shown)

    @flyc.jit
    def launch(A: fx.Tensor, B: fx.Tensor, n: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        kern(A, B, n).launch(grid=(n, 1, 1), block=(SIZE, 1, 1), stream=stream)

    return launch


"""
TABLE = """\
def run_compiled(exe, *args):
    compiled = flyc.compile(exe, *args)
    compiled(*args)
    return compiled


MODES = ("fast", "slow")
TABLE = {f"w{w}_{mode}": functools.partial(build, w, mode=mode) for w in (8, 16) for mode in MODES}
A, B = (torch.zeros(64, 4, dtype=torch.float16, device="cuda") for _ in range(2))
run_compiled(TABLE["w16_fast"](dtype=fx.Float32), A, B, int(A.stride(0)), torch.cuda.current_stream())
"""
MODULE = """\
_CACHE = {}


@torch.library.custom_op("tests::doubled", mutates_args=())
def doubled(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    if "k" not in _CACHE:
        _CACHE["k"] = flyc.compile(build(16), x, y, x.numel(), torch.cuda.current_stream())
    _CACHE["k"](x, y, x.numel(), torch.cuda.current_stream())
    return y


class Layer(torch.nn.Module):
    def forward(self, x):
        return torch.ops.tests.doubled(x)


layer = torch.compile(Layer().cuda())
with torch.no_grad():
    y = layer(torch.randn(64, device="cuda"))
torch.cuda.synchronize()
print(y)
"""
CONFIGURED = """\
@dataclasses.dataclass(frozen=True)
class Config:
    width: int
    dtype: type = fx.Float32


class Runner:
    def __init__(self, config):
        self.config = config
        self.exe = build(config.width, dtype=config.dtype)

    def __call__(self, *tensors, **named):
        for tensor in tensors:
            assert tensor.is_contiguous()
        return self.exe(*tensors, **named)


@functools.lru_cache(maxsize=None)
def runner_of(width):
    return Runner(Config(width))


def main():
    tensors = [torch.zeros(SIZE, device=torch.device("cuda")) for _ in range(2)]
    for width in [16]:
        runner_of(width)(*tensors, n=4)


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("host", [TABLE, pytest.param(MODULE, marks=pytest.mark.slow), CONFIGURED])
def test_only_kernel_launcher_and_call_are_left(host: str, tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(HEAD + host)
    bench = prepare(
        Case(path, oracle="assertion", arch="gfx942", workdir=tmp_path / "workdirs", jobs=1), print
    )
    with bench.judge(NoMemory()) as judge:
        assert judge.pin(bench.source).interesting
        reduced = Reducer(judge, PASSES).run(bench.source)
        counts = judge.statistics
    assert count_statements(reduced.text) <= 9, reduced.text
    assert "zipped_divide(" in reduced.text and "cuda" not in reduced.text, reduced.text
    tops = [
        type(node)
        for node in ast.parse(reduced.text).body
        if not isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    assert tops == [ast.FunctionDef, ast.FunctionDef, ast.Expr], reduced.text
    assert counts.compiles <= 60, counts
