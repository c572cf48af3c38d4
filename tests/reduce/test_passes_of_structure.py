"""Passes that take structure apart: the texts that their hints give, each alone."""

from __future__ import annotations

import pytest

from flybisect.reduce.passes import (
    built,
    comprehensions,
    containers,
    counters,
    imports,
    loops,
    packs,
    rolled,
    unrolled,
)
from tests.reduce.hints import texts


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = [a, b]\nf(x[0], x[1])\n", ["x_0, x_1 = a, b\nf(x_0, x_1)\n"]),
        ("x = [a, b]\nf(x[-1])\n", ["x = b\nf(x)\n"]),
        ("x = (a,)\nf(x[0])\n", ["x = a\nf(x)\n"]),
        ('x = {"k": a, "v": b}\nf(x["k"] + x["v"])\n', ["x_k, x_v = a, b\nf(x_k + x_v)\n"]),
        ("x = [a, b]\nx[0] = c\nf(x[0], x[1])\n", ["x_0, x_1 = a, b\nx_0 = c\nf(x_0, x_1)\n"]),
        ("x = [None] * 2\nx[0] = a\nx[1] = b\nf(x[1], x[0])\n", ["x_0 = a\nx_1 = b\nf(x_1, x_0)\n"]),
        ("x = [None, a]\nif c: x[0] = b\nf(x[0], x[1])\n",
         ["x_0, x_1 = None, a\nif c: x_0 = b\nf(x_0, x_1)\n"]),
        ("x, y = [a, b], c\nf(x[0], x[1], y)\n", ["x_0, x_1, y = a, b, c\nf(x_0, x_1, y)\n"]),
        ("x = [[a, b], [c, d]]\nf(x[0][1], x[1][0])\n",
         ["x_0, x_1 = [a, b], [c, d]\nf(x_0[1], x_1[0])\n"]),
        ("x = [a +\n  b, c]\nf(x[0], x[1])\n", ["x_0, x_1 = (a +\n  b), c\nf(x_0, x_1)\n"]),
        ("x_0 = 1\nx = [a, b]\nf(x_0, x[0], x[1])\n", ["x_0 = 1\nx_0_2, x_1 = a, b\nf(x_0, x_0_2, x_1)\n"]),
        ("x = [a, b]\nx[0] += 1\nf(x[0])\n", ["x = a\nx += 1\nf(x)\n"]),
        ("x = [a, b]\nf(x[i])\n", []),
        ("x = [a, b]\nf(x, x[0])\n", []),
        ("x = [a, b]\nf(x[2])\n", []),
        ("x = [a, *b]\nf(x[0])\n", []),
        ("x = [a, b]\nx = [c]\nf(x[0])\n", []),
        ("x = [a]\ndef f():\n    x[0] = 1\n", []),
        ("x = [a]\nf([0 for x[0] in b])\n", []),
        ("class C:\n    x = [a]\n    y = x[0]\n", []),
        ("f([a, b][1], (c, d)[-1])\n", ["f(b, (c, d)[-1])\n", "f([a, b][1], d)\n"]),
        ('f({"k": a + b}["k"])\n', ["f((a + b))\n"]),
    ],
)  # fmt: skip
def test_containers(before: str, after: list[str]) -> None:
    assert texts(containers.PASS, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = []\nfor i in range(4):\n    x.append(f(i))\n", ["x = [f(i) for i in range(4)]\n"]),
        ("x = []\nfor i in a:\n    for j in b:\n        x.append(f(i, j))\n",
         ["x = [f(i, j) for i in a for j in b]\n"]),
        ("x = [None] * 4\nfor i in range(4):\n    x[i] = f(i)\n", ["x = [f(i) for i in range(4)]\n"]),
        ("x = [[None] * 3 for _ in range(2)]\n"
         "for i in range(2):\n    for j in range(3):\n        x[i][j] = f(i, j)\n",
         ["x = [[f(i, j) for j in range(3)] for i in range(2)]\n"]),
        ("x = []\ng()\nfor i in range(4):\n    x.append(f(i))\n", ["g()\nx = [f(i) for i in range(4)]\n"]),
        ("x = []\nx.append(a)\nx.append(b)\n", ["x = [a]\nx.append(b)\n"]),
        ("x = [a]\nx.append(b)\nf(x)\n", ["x = [a, b]\nf(x)\n"]),
        ("x = [None, None]\nx[1] = a\nf(x)\n", ["x = [None, a]\nf(x)\n"]),
        ("x = [[0] * 2, [0] * 2, [0] * 2]\n"
         "for i in range(2):\n    for j in range(3):\n        x[j][i] = y[i][j]\n",
         ["x = [[y[i][j] for i in range(2)] for j in range(3)]\n"]),
        ("x = f()\nfor i in range(2):\n    for j in range(3):\n        x[j][i] = g(y[i][j])\n", []),
        ("x = f()\nfor i in range(4):\n    x[i] = y[i]\n", ["x = f()\nx = [y[i] for i in range(4)]\n"]),
        ("x = f()\nfor i in range(4):\n    x[i] = x[i] + 1\n", []),
        ("def f(x):\n    def g():\n        for i in range(4):\n            x[i] = y[i]\n", []),
        ("x = [None] * 2\nx = y\nx[0] = a\nf(x)\n", []),
        ("x = []\nx.append(a)\nf(x)\nx = []\nx.append(b)\nf(x)\n",
         ["x = [a]\nf(x)\nx = []\nx.append(b)\nf(x)\n", "x = []\nx.append(a)\nf(x)\nx = [b]\nf(x)\n"]),
        ("x = [None] * 3\nfor i in range(4):\n    x[i] = f(i)\n",
         ["x = [None] * 3\nx = [f(i) for i in range(4)]\n"]),
        ("x = [None] * 4\nfor i in range(4):\n    x[i + 1] = f(i)\n", []),
        ("x = []\nfor i in range(4):\n    x.append(f(i, x))\n", []),
        ("x = []\nfor i in range(4):\n    g()\n    x.append(f(i))\n", []),
        ("x = []\nfor i in range(4):\n    x.append(f(i))\ng(i)\n", []),
        ("x = [f()]\ng()\nx.append(b)\n", []),
        ("x = []\nfor i in range(4, init=[y]):\n    x.append(i)\n", []),
        ("x = []\nx.extend(a)\n", []),
        ("for j in a:\n    g(x)\n    x = []\n    x.append(j)\n", ["for j in a:\n    g(x)\n    x = [j]\n"]),
        ("def f(): g(x)\nx = []\nf()\nx.append(1)\n", []),
    ],
)  # fmt: skip
def test_lists_that_are_built(before: str, after: list[str]) -> None:
    assert texts(built.PASS, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f([g(i) for i in range(1)])\n", ["f([g(0)])\n"]),
        ("f([(i, a) for i in fx.range_constexpr(2, 4)])\n", ["f([(2, a), (3, a)])\n"]),
        ("f([g(b) for b in [a + 1]])\n", ["f([g((a + 1))])\n"]),
        ("f(g(b) for b in [a])\n", ["f([g(a)])\n"]),
        ("x = [g(i) for i in range(n)]\nf(x[a + 1])\n", ["f(g((a + 1)))\n"]),
        ("x = [g(i) for i in range(4)]\nf(x[0], x[1])\n", ["f(g(0), g(1))\n"]),
        ("x = [[g(i, j) for j in range(4)] for i in range(4)]\nf(x[a][b])\n", ["f(g(a, b))\n"]),
        ("x = [g(y) for y in ys]\nf(x[1])\n", ["f(g(ys[1]))\n"]),
        ("f([g(i) for i in range(8)][a])\n", ["f(g(a))\n"]),
        ("x = [g(i) for i in range(8)]\nf(x)\n", []),
        ("x = [g(i) for i in range(8) if i]\nf(x[0])\n", []),
        ("x = [g(i) for i in range(8)]\nf(x[-1])\n", []),
        ("x = [[g(i)] for i in range(8)]\nx[0][0] = 1\n", []),
        ("x = [g(i) for i in range(1, 8)]\nf(x[1])\n", []),
        ("f([h(g(i), g(i + 1), g(i + 2)) for i in range(4)])\n", []),
    ],
)
def test_comprehensions(before: str, after: list[str]) -> None:
    assert texts(comprehensions.PASS, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("k = 0\nf(k)\nk += 1\nf(k)\nk += 2\ng(a[k])\n", ["f(0)\nf(1)\ng(a[3])\n"]),
        (
            "k = 1\nfor i in range(2):\n    for j in range(8):\n        x[i] = y[k]; k += 1\nf(k, 2 * k)\n",
            ["for i in range(2):\n    for j in range(8):\n        x[i] = y[i * 8 + j + 1]\nf(17, 2 * 17)\n"],
        ),
        ("k = 8\nfor i in range(4):\n    f(2 * k)\n    k -= 2\n",
         ["for i in range(4):\n    f(2 * (i * -2 + 8))\n"]),
        ("k = 0\nfor i in range(4):\n    f(g(k) for b in a)\n    k += 1\n",
         ["for i in range(4):\n    f(g((i)) for b in a)\n"]),
        ("k = 0\nf(k)\n", []),
        ("k = 0\nwhile a: k += 1\nf(k)\n", []),
        ("k = 0\nif a: k += 1\nf(k)\n", []),
        ("k = 0\nfor i in range(n):\n    k += 1\nf(k)\n", []),
        ("k = 0\nfor i in range(4):\n    k += i\nf(k)\n", []),
        ("k = 0\nfor i in range(4):\n    k += 1\n    if a: break\nf(k)\n", []),
        ("k = 0\nfor i in range(4):\n    k += 1\n    i = 2\n    f(k)\n", []),
        ("k = 0\ndef f(): return k\nk += 1\n", []),
        ("k = 0\nk += 1\nf(lambda: k)\n", []),
        ("def f():\n    global k\n    k += 1\nk = 0\nf()\n", []),
    ],
)  # fmt: skip
def test_counters(before: str, after: list[str]) -> None:
    assert texts(counters.PASS, before) == after


THROUGH = """\
def unpack(flat):
    return flat[0], flat[1], flat[2]
def body(j, a, b, c):
    g(a)
    h(b)
    return a, b, c
state = unpack(z)
state = body(1, *state)
p, q, r = state
f(p)
"""
WITHOUT_LAST = """\
def unpack(flat):
    return flat[0], flat[1]
def body(j, a, b):
    g(a)
    h(b)
    return a, b
state = unpack(z)
state = body(1, *state)
p, q = state
f(p)
"""


FLAT = """\
def pack(rows, total, scale):
    return [rows, total, scale]
def unpack(flat):
    return g(flat[0]), flat[1], flat[2]
flat = pack(a, b, c)
state = unpack(flat)
flat = pack(*state)
rows, total, scale = unpack(flat)
f(rows, scale)
"""


def test_packs_of_which_one_is_made_of_the_other() -> None:
    found = texts(packs.PASS, FLAT)
    without = """\
def pack(rows, scale):
    return [rows, scale]
def unpack(flat):
    return g(flat[0]), flat[1]
flat = pack(a, c)
state = unpack(flat)
flat = pack(*state)
rows, scale = unpack(flat)
f(rows, scale)
"""
    assert len(found) == 3 and found[1] == without
    assert (
        texts(packs.PASS, without.replace("f(rows, scale)", "f(scale)"))[0]
        == """\
def pack(scale):
    return scale
def unpack(flat):
    return flat
flat = pack(c)
state = unpack(flat)
flat = pack(state)
scale = unpack(flat)
f(scale)
"""
    )


def test_packs_that_go_through_functions_whole() -> None:
    found = texts(packs.PASS, THROUGH)
    assert len(found) == 3
    assert found[2] == WITHOUT_LAST
    assert "h(b)" not in found[1] and "def body(j, a, c):" in found[1] and "p, r = state" in found[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x): return x[1]\ny = [a, b]\nz = y\nf(z)\n",
         ["def f(x): return x\ny = b\nz = y\nf(z)\n", "def f(x): pass\ny = a\nz = y\nf(z)\n"]),
        ("x = [a, b, c]\ny = x\nf(y[0], y[2])\n",
         ["x = [b, c]\ny = x\n", "x = [a, c]\ny = x\nf(y[0], y[1])\n", "x = [a, b]\ny = x\n"]),
        ("x = a, b\ny = x\nc, d = y\nf(c)\n", ["x = b\ny = x\nd = y\n", "x = a\ny = x\nc = y\nf(c)\n"]),
        ("x = [a, b, c]\ny = x\nf(y)\n", []),
        ("x = [a, b, c]\ny = x\nf(y[i])\n", []),
        ("x = [a, b, c]\ny = x\ny = g()\nf(y[0])\n", []),
        ("x = [a, b, c]\ny = x\nf(*y)\n", []),
    ],
)  # fmt: skip
def test_packs(before: str, after: list[str]) -> None:
    assert texts(packs.PASS, before) == after


CARRIED = """\
for i, x in range(0, n, init=[a, b]):
    f(i, x[0])
    r = yield [g(x[0]), x[1]]
h(r[0], r[1])
"""


def test_loops_that_name_what_they_carry() -> None:
    assert texts(loops.PASS, CARRIED) == [
        "x = [a, b]\nfor i in range(0, n):\n    f(i, x[0])\n    x = [g(x[0]), x[1]]\nh(x[0], x[1])\n"
    ]
    same = CARRIED.replace("[g(x[0]), x[1]]", "[*x]")
    assert texts(loops.PASS, same) == [
        "x = [a, b]\nfor i in range(0, n):\n    f(i, x[0])\nh(x[0], x[1])\n",
        "x = [a, b]\nfor i in range(0, n):\n    f(i, x[0])\n    x = x\nh(x[0], x[1])\n",
    ]
    assert texts(loops.PASS, CARRIED.replace("r = ", "r, s = ")) == []
    assert texts(loops.PASS, CARRIED.replace("    f(i, x[0])\n", "    yield a\n")) == []
    assert texts(loops.PASS, CARRIED + "x = 1\n") == []
    named = CARRIED.replace("for i, x", "for i, (p, q)").replace("r = ", "").replace("h(r[0], r[1])", "h()")
    assert texts(loops.PASS, named.replace("x[0]", "p").replace("x[1]", "q")) == [
        "p, q = [a, b]\nfor i in range(0, n):\n    f(i, p)\n    p, q = [g(p), q]\nh()\n"
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for i in range(2):\n    f(i)\n", ["f(0)\nf(1)\n", "f(1)\n"]),
        (
            "for i in range(2):\n    f(\n        i,\n    )\n",
            ["f(\n    0,\n)\nf(\n    1,\n)\n", "f(\n    1,\n)\n"],
        ),
        ("for i in range(2, 9, 2):\n    f(i)\n    g(i, i)\n", ["f(8)\ng(8, 8)\n"]),
        ("for i in range(1):\n    f(i)\n", []),
        ("for i in range(n):\n    f(i)\n", []),
        ("for i in range(2):\n    f(i)\ng(i)\n", []),
        ("for i in range(2):\n    if i: f(i)\n", []),
        ("for i in range(2):\n    f(i)\n    break\n", []),
        ("for i in range(2):\n    f('''a\n  b''', i)\n", []),
        ("for i in range(2):\n    f(lambda: i)\n", []),
    ],
)
def test_loops_written_out(before: str, after: list[str]) -> None:
    assert texts(unrolled.PASS, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(0, a)\nf(1, a)\nf(2, a)\nf(3, a)\n", ["for i in range(4):\n    f(i, a)\n"]),
        ("f(4, a)\nf(6, a)\nf(8, a)\nf(10, a)\n", ["for i in range(4):\n    f((4 + 2 * i), a)\n"]),
        ("f(a)\nf(a)\nf(a)\nf(a)\n", ["for i in range(4):\n    f(a)\n"]),
        ("f([g(0, a, b), g(1, a, b), g(2, a, b), g(3, a, b)])\n", ["f([g(i, a, b) for i in range(4)])\n"]),
        ("f(0)\nf(1)\nf(3)\nf(4)\n", []),
        ("f(0)\nf(1)\n", []),
        ("f(0)\ng(1)\nf(2)\ng(3)\n", []),
        ("f(0)\nf(1.0)\nf(2)\nf(3)\n", []),
        ("f([0, 1, 2, 3])\n", []),
        ("def k():\n    f(0)\n    f(1)\n    f(2)\n    f(3)\n", []),
        (
            "from fx import range_constexpr\ndef k():\n    f(0)\n    f(1)\n    f(2)\n    f(3)\n",
            ["from fx import range_constexpr\ndef k():\n    for i in range_constexpr(4):\n        f(i)\n"],
        ),
        (
            "import flydsl.expr as fx\ndef k():\n    f(0)\n    f(1)\n    f(2)\n    f(3)\n",
            ["import flydsl.expr as fx\ndef k():\n    for i in fx.range_constexpr(4):\n        f(i)\n"],
        ),
    ],
)
def test_what_is_rolled_up(before: str, after: list[str]) -> None:
    assert texts(rolled.PASS, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import m.n as x\nfrom m.n import a, b as c\nf(a.d, c)\n", ["import m.n as x\nf(x.a.d, x.b)\n"]),
        ("import m\nfrom m import a\ndef f(): g(a)\n", ["import m\ndef f(): g(m.a)\n"]),
        ("from m import a\nimport m\nf(a)\n", []),
        ("import m.n\nfrom m.n import a\nf(a)\n", []),
        ("import m as x\nfrom m import *\nf(a)\n", []),
        ("import m as x\nfrom m import a\na = 1\nf(a)\n", []),
        ("import m as x\nfrom m import a\ndef f(x): g(a)\n", []),
        ("import m as x\nfrom n import a\nf(a)\n", []),
    ],
)
def test_imports(before: str, after: list[str]) -> None:
    assert texts(imports.PASS, before) == after
