"""Passes that write functions, names and parameters out: the texts that their hints give, each alone."""

from __future__ import annotations

import pytest

from flybisect.reduce.passes import carried, classes, flags, functions, names, parameters, results, sums
from flybisect.source.polish import polished
from tests.reduce.hints import texts

SWITCHES = """\
import argparse
p = argparse.ArgumentParser(description="d")
p.add_argument("--the-one", action="store_true")
args = p.parse_args()
f(args.the_one and 2)
"""
RECORD = "class C:\n    def __init__(self, a, b=2):\n        self.a = a\n        self.c = self.a + b\n\n\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a): return a + 1\nx = f(2)\n", ["x = (2 + 1)\n"]),
        ("def f(a): return g(a)\nx = f(b) * f(c)\n", ["x = g(b) * g(c)\n"]),
        ("def f(a):\n    b = a + 1\n    return b\nx = f(2)\n", ["a = 2\nb = a + 1\nx = b\n"]),
        ("def f():\n    a()\nf()\n", ["a()\n"]),
        ("def f(a=1): return a\nx = f()\n", ["x = 1\n"]),
        ("def f(a): return a\nx = f(f(1))\n", []),
        ("def f(a): return f(a)\nf(1)\n", []),
        ("def f(*a): return a\nf(1)\n", []),
        ("@d\ndef f(a): return a\nf(1)\n", []),
        ("def f(a):\n    if a: return 1\n    return 2\nx = f(1)\n", []),
        ("def f():\n    yield 1\nx = f()\n", []),
        ("b = 1\ndef f():\n    b = 2\n    return b\nx = f()\n", ["b = 1\nb_2 = 2\nx = b_2\n"]),
        ("b = []\ndef f(b):\n    c = b\n    return c\nb.g(f(1))\n", ["b = []\nb_2 = 1\nc = b_2\nb.g(c)\n"]),
        ("b = 1\ndef f():\n    import b\n    return b\nx = f()\n", []),
        (
            "def build(n):\n    def kernel():\n        got = yield n\n    return kernel\nbuild(2)()\n",
            ["n = 2\ndef kernel():\n    got = yield n\nkernel()\n"],
        ),
        (
            "def build(n):\n    def run(): return n\n    return run\nrun = build(2)\nrun()\n",
            ["n = 2\ndef run(): return n\nrun()\n"],
        ),
    ],
)
def test_functions(before: str, after: list[str]) -> None:
    assert texts(functions.PASS, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for i in range(4):\n    s = s + f(i)\n", ["s = sum([f(i) for i in range(4)], s)\n"]),
        (
            "for i in fx.range_constexpr(2, 4):\n    s += a[i]\n",
            ["s = sum([a[i] for i in range(2, 4)], s)\n"],
        ),
        ("for i, b in c:\n    s = b + s\n", ["s = sum([b for i, b in c], s)\n"]),
        ("for i in range(4):\n    s += s * i\n", []),
        ("for i in range(4):\n    s += i\nf(i)\n", []),
        ("for i in range(4):\n    s.a += i\n", []),
        ("for i in range(4):\n    s = s * i\n", []),
        ("for i in range(0, 4, init=[s]):\n    s += i\n", []),
        ("for i in range(4):\n    s += i\n    f()\n", []),
        ("for i in range(4):\n    s += i\nelse:\n    f()\n", []),
    ],
)
def test_sums(before: str, after: list[str]) -> None:
    assert texts(sums.PASS, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 4\nf(a)\ng(a)\n", ["f(4)\ng(4)\n"]),
        ("a = b.c\nf(a, a)\n", ["f(b.c, b.c)\n"]),
        ("a = -1\nf(2 - a)\n", ["f(2 - (-1))\n"]),
        ("a = g(1)\nf(a)\n", ["f(g(1))\n"]),
        ("a = b + c\nf(2 * a)\n", ["f(2 * (b + c))\n"]),
        ("a = (b + c) * d\nf(2 / a)\n", ["f(2 / ((b + c) * d))\n"]),
        ("a = 1\na += 1\nf(a)\n", []),
        ("a = 1\na = 2\nf(a)\n", ["a = 1\nf(2)\n"]),
        ("a = 1\nf(a)\na = 2\nf(a)\n", ["f(1)\na = 2\nf(a)\n", "a = 1\nf(a)\nf(2)\n"]),
        ("a = 1\nif b: a = 2\nf(a)\n", ["a = 1\nf(2)\n"]),
        ("a = 1\nfor i in b:\n    f(a)\n    a = 2\n", []),
        ("a = [1]\nfor i in a:\n    f(i)\n", ["for i in [1]:\n    f(i)\n"]),
        (f"a = g({'b' * 30})\nf(a, {'c' * 85})\n", [f"f(\n    g({'b' * 30}),\n    {'c' * 85},\n)\n"]),
        (f"a = g({'b' * 90})\nf(a, {'c' * 85})\n", []),
        ("a = ('x'\n  'y')\nf(a)\n", ["f(('x'\n  'y'))\n"]),
        ("a = (1), 2\nf(a)\n", ["f(((1), 2))\n"]),
        ("a = (1, 2)\nf(a, a)\n", []),
        ("a = g(1)\ndef f(): h(a)\n", ["def f(): h(g(1))\n"]),
        ("a = g(1)\nfor i in b: h(a)\n", ["for i in b: h(g(1))\n"]),
        ("a = [g(i) for i in b]\ndef f(): h(a)\n", []),
        ("c = 1\na = g(c)\ndef f(c): h(a)\n", ["a = g(1)\ndef f(c): h(a)\n"]),
        ("a, b = 1, 2\nf(a, b)\n", ["b = 2\nf(1, b)\n", "a = 1\nf(a, 2)\n"]),
    ],
)
def test_names(before: str, after: list[str]) -> None:
    found = texts(names.PASS, before) + texts(names.ELSEWHERE, before)
    assert list(dict.fromkeys(found)) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a, b): g(a)\nf(1, 2)\n", ["def f(b): pass\nf(2)\n", "def f(a): g(a)\nf(1)\n"]),
        ("def f(a, b=2): g(a, b)\nf(1)\nf(b=3, a=4)\n", ["def f(b=2): pass\nf()\nf(b=3)\n",
                                                         "def f(a): pass\nf(1)\nf(a=4)\n"]),
        ("def f(a): g()\nf(*x)\n", []),
        ("def f(a): g()\nh(f)\n", []),
    ],
)  # fmt: skip
def test_parameters(before: str, after: list[str]) -> None:
    found = texts(parameters.PASS, before) + texts(parameters.UNREAD, before)
    assert sorted(found) == sorted(after)


def test_short_calls_that_are_read_twice() -> None:
    assert texts(names.TWICE, "a = g(1)\nf(a)\nh(a, 2)\n") == ["f(g(1))\nh(g(1), 2)\n"]
    long = f"g('{'b' * 45}')"
    assert texts(names.TWICE, f"a = {long}\nf(a, a)\n") == [f"f({long}, {long})\n"]
    assert texts(names.TWICE, f"a = {long}\nfunction_name_long(a, a)\n") == [], "a line would be wrapped"
    assert texts(names.TWICE, f"a = g('{'b' * 60}')\nf(a)\nf(a)\n") == []
    assert texts(names.TWICE, "a = g(1)\nf(a, a)\n") == ["f(g(1), g(1))\n"]
    assert texts(names.TWICE, "a = g(1)\nf(a)\n") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (SWITCHES, ['import sys\nf(("--the-one" in sys.argv) and 2)\n']),
        ("import sys\n" + SWITCHES, ['import sys\nimport argparse\nf(("--the-one" in sys.argv) and 2)\n']),
        (SWITCHES.replace("args = p.parse_args()\n", "").replace("args.the", "p.parse_args().the"),
         ['import sys\nf(("--the-one" in sys.argv) and 2)\n']),
        (SWITCHES.replace("store_true", "store_false"), []),
        (SWITCHES.replace("args.the_one", "vars(args)"), []),
        (SWITCHES.replace("args.the_one", "args.other"), []),
    ],
)  # fmt: skip
def test_flags(before: str, after: list[str]) -> None:
    assert texts(flags.PASS, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(): return 1, 2\na, b = f()\ng(a)\n", ["def f(): return 2\nb = f()\n",
                                                      "def f(): return 1\na = f()\ng(a)\n"]),
        ("def f(): return 1, 2, 3\na, a, b = f()\n", ["def f(): return 2, 3\na, b = f()\n",
                                                     "def f(): return 1, 3\na, b = f()\n",
                                                     "def f(): return 1, 2\na, a = f()\n"]),
        ("a = 0\ndef f(a):\n    g(a)\n    return a\na = f(a)\nh(a)\n",
         ["a = 0\ndef f(a):\n    g(a)\nf(a)\nh(a)\n"]),
        ("def f():\n    g()\n    return 1\na = f()\nh(a)\n", ["def f():\n    g()\nf()\n"]),
        ("def f(): return 1\na = f()\nh(f())\n", []),
        ("def f(): return 1\na = f()\na = g(a)\nh(a)\n", []),
        ("def f(): return 1, 2\na, *b = f()\n", []),
        ("def f():\n    if g: return h\n    return 1, 2\na, b = f()\n", []),
    ],
)  # fmt: skip
def test_results(before: str, after: list[str]) -> None:
    assert texts(results.PASS, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def k():\n    s = [a] + [b, c]\n    for i, v in range(9, init=s):\n        r = yield [*v, d, e]\n",
         ["def k():\n    s = [a] + [b]\n    for i, v in range(9, init=s):\n        r = yield [*v, d]\n"]),
        ("def k():\n    for i, (x, y) in range(9, init=[a, b]):\n        r = yield [x, y]\n",
         ["def k():\n    for i, (x) in range(9, init=[a]):\n        r = yield [x]\n",
          "def k():\n    for i, (y) in range(9, init=[b]):\n        r = yield [y]\n"]),
        ("def k():\n    for i in range(9):\n        yield [i]\n", []),
        ("def k():\n    for i, v in range(9, init=[a]):\n        yield v\n", []),
    ],
)  # fmt: skip
def test_carried(before: str, after: list[str]) -> None:
    assert texts(carried.PASS, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (RECORD + "x = C(1)\nf(x.a, x.c)\n", ["a = 1\nb = 2\nx_a = a\nx_c = x_a + b\nf(x_a, x_c)\n"]),
        (RECORD + "def g():\n    x = C(b=f(1), a=3)\n    return x.c\n",
         ["def g():\n    a = 3\n    b = f(1)\n    x_a = a\n    x_c = x_a + b\n    return x_c\n"]),
        (RECORD + "x = C(1)\nf(x)\n", []),
        (RECORD + "x = C(1)\nx.a = 4\nf(x.c)\n", []),
        (RECORD + "x, y = C(1), C(2)\nf(x.a, y.a)\n", []),
        ("class C(NamedTuple):\n    a: int\n    b: int = 2\nx = C(1)\nf(x.a, x.b)\n",
         ["a = 1\nb = 2\nx_a = a\nx_b = b\nf(x_a, x_b)\n"]),
        (RECORD.rstrip() + "\n    def at(self, i): return self.a + i\nx = C(1)\nf(x.at(2))\n",
         ["a = 1\nb = 2\nx_a = a\nx_c = x_a + b\nf((x_a + 2))\n"]),
        ("class C:\n    @property\n    def n(self):\n        return 3\nf(C().n)\n",
         ["class C:\n    pass\n\n\nf(3)\n"]),
        ("class C:\n    def m(self, i):\n        g(i)\nx = C()\ny(x)\nx.m(2)\n",
         ["class C:\n    pass\n\n\nx = C()\ny(x)\nself = x\ni = 2\ng(i)\n"]),
        ("class C:\n    def m(self, i):\n        g(self, i)\nx.m(2)\nx.m(3)\n", []),
        ("class C:\n    def m(self, i): return self.m(i)\nC().m(2)\n", []),
        ("class C(B):\n    def __init__(self):\n        super().__init__()\nx = C()\nf(x.a)\n", []),
    ],
)  # fmt: skip
def test_classes(before: str, after: list[str]) -> None:
    assert [polished(text) for text in texts(classes.PASS, before)] == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a, **kw): return a\nf(1)\n", ["def f(a): return a\nf(1)\n"]),
        ("def f(**kw: int,): return 1\nf()\n", ["def f(): return 1\nf()\n"]),
        ("def f(a, *, b=1, **kw): return a, b\nf(1, b=2)\n", ["def f(a, *, b=1): return a, b\nf(1, b=2)\n"]),
        ("def f(a, **kw): return a\nf(1, c=2)\n", []),
        ("def f(a, **kw): return a\nf(1, **x)\n", []),
        ("def f(a, **kw): return a, kw\nf(1)\n", []),
        ("def f(a, **kw): return a\ng(f)\n", []),
    ],
)
def test_options_that_nothing_reads(before: str, after: list[str]) -> None:
    assert texts(parameters.UNREAD, before) == after
