"""Scripts that compile nothing any more are told without a trial; what is in doubt is run."""

from __future__ import annotations

import pytest

from flybisect.source.reach import may_compile

HEAD = """\
import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

@flyc.kernel
def k(A: fx.Tensor):
    A[0] = 1

@flyc.jit
def launch(A):
    k(A).launch(grid=(1, 1, 1))

def main():
    launch(torch.zeros(4))
"""


@pytest.mark.parametrize(
    "end",
    [
        "",
        "print('launched')",
        "x = torch.zeros(4)\nif x.sum() > 1:\n    raise ValueError",
        "def other():\n    main()",
        "class Case:\n    @staticmethod\n    def run(self):\n        main()",
        "f = lambda size: size * 2\nf(4)",
    ],
)
def test_nothing_compiles(end: str) -> None:
    assert not may_compile(HEAD + end)


@pytest.mark.parametrize(
    "end",
    [
        "main()",
        "launch(torch.zeros(4))",
        "def other():\n    main()\nother()",
        "class Case:\n    def __init__(self):\n        main()\nCase()",
        "class Case:\n    def run(self):\n        main()\nCase().run()",
        "class Net(torch.nn.Module):\n    def forward(self, x):\n        main()\nNet()(1)",
        "import threading\nclass T(threading.Thread):\n    def run(self):\n        main()\nT().start()",
        "import atexit\natexit.register(main)",
        "globals()['ma' + 'in']()",
        "import sys\ngetattr(sys.modules[__name__], 'main')()",
        "exec('main' + '()')",
        "def at_once(f):\n    f()\n@at_once\ndef go():\n    main()",
        "flyc.compile(lambda: None)",
        "flyc.jit(lambda: None)()",
        "import mine",
        "from .mine import go",
        "f = lambda: main()",
        "def f(g=main):\n    g()\n",
        "@property\ndef p(self): pass\nx = [main for _ in range(2)]",
    ],
)
def test_something_may_compile(end: str) -> None:
    assert may_compile(HEAD + end)


def test_a_decorator_that_came_with_a_star_may_compile() -> None:
    """Where it is not known what a decorator is, what it decorates counts as called."""
    text = HEAD.replace("flyc.", "").replace(
        "import flydsl.compiler as flyc", "from flydsl.compiler import *"
    )
    assert may_compile(text) and may_compile(text + "main()")


def test_a_decorator_of_an_unknown_name_may_compile() -> None:
    text = "from flydsl.compiler import jit as compiled\nbuild = compiled\n@build\ndef launch(): pass\n"
    assert may_compile(text) and may_compile(text + "launch()")
