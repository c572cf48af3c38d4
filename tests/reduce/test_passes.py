"""What each pass takes away, by example: the texts that its hints give, each alone."""

from __future__ import annotations

import pytest

from flybisect.reduce.hint import Facts
from flybisect.reduce.passes import PASSES as ALL
from flybisect.reduce.passes import (
    annotated,
    arguments,
    bypass,
    carried,
    classes,
    comments,
    constants,
    dead,
    expressions,
    flags,
    folds,
    functions,
    helpers,
    host,
    known,
    layouts,
    names,
    noise,
    pairs,
    parameters,
    results,
    sizes,
    slicing,
    statements,
    sums,
    tidy,
    unexecuted,
    unwrap,
)
from flybisect.script.instrument import Kinds
from flybisect.script.polish import polished
from tests.reduce.hints import texts

MODULES = (
    annotated, arguments, bypass, carried, classes, comments, dead, expressions, flags, folds,
    functions, helpers, host, known, layouts, names, noise, pairs, parameters, results, sizes,
    slicing, statements, sums, tidy, unexecuted, unwrap,
)  # fmt: skip


def test_every_pass_is_tried_here() -> None:
    ours = [module.PASS for module in MODULES] + [constants.TO_ONE, constants.HALVED, bypass.SCALARS]
    assert {each.name for each in ALL} == {each.name for each in ours}


def test_names_of_passes_say_one_thing() -> None:
    assert all(a.summary == b.summary for a in ALL for b in ALL if a.name == b.name)
    assert all(each.summary and "\n" not in each.summary for each in ALL)


def test_statements_go_with_what_reads_them() -> None:
    text = "import a\nb = a.f()\nc = 1\nprint(b)\n"
    found = texts(statements.PASS, text)
    assert "import a\nb = a.f()\nprint(b)\n" in found  # Without `c`.
    assert "import a\nc = 1\n" in found  # Without `b`.
    assert "c = 1\n" in found  # Without `a`.


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if a:\n    b\n", ["b\n"]),
        ("if a:\n    b\nelse:\n    c\n", ["b\n", "c\n"]),
        ("if a:\n    b\nelif c:\n    d\n", ["b\n", "if c:\n    d\n", "if a:\n    b\nelse:\n    d\n"]),
        ("for i in range(4):\n    f(i)\n", ["i = 0\nf(i)\n"]),
        ("for i in range(2, 4):\n    f(i)\n", ["i = 2\nf(i)\n"]),
        ("for i in fx.range_constexpr(4):\n    f(i)\n", ["i = 0\nf(i)\n"]),
        ("for i in (7, 8):\n    f(i)\n", ["i = 7\nf(i)\n"]),
        ("for i in x:\n    f(i)\n", []),
        ("for i in range(4):\n    break\n", []),
        ("for i in range(4):\n    for j in x: break\n", ["i = 0\nfor j in x: break\n"]),
        ("with a:\n    b\n    c\n", ["b\nc\n"]),
        ("with a as b:\n    c(b)\n", []),
        ("with a as b:\n    c\nd(b)\n", ["c\n"]),
        ("try:\n    a\nfinally:\n    b\n", ["a\n"]),
        ("while a:\n    b\n", ["b\n"]),
        ("if a:\n    s = '''\n    x'''\n", ["s = '''\n    x'''\n"]),
        ("if a: b; c\n", ["b; c\n"]),
        (
            "def f(n, s):\n    for i, c in range(0, n, 1, init=s):\n"
            "        d = c + i\n        r = yield d\n    g(r)\n",
            ["def f(n, s):\n    i = 0\n    c = s\n    d = c + i\n    r = d\n    g(r)\n"],
        ),
    ],
)
def test_unwrap(before: str, after: list[str]) -> None:
    assert texts(unwrap.PASS, before) == after


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


def test_sizes() -> None:
    text = "M = 128\nf(M, 64, 64, 3, 128)\n@k(block=[64, 1])\ndef g(): h(64)\n"
    assert texts(sizes.PASS, text) == [text.replace("128", "64"), text.replace("64", "32")]


def test_layouts() -> None:
    assert texts(layouts.PASS, "f(((2, 4), 8), ((1, (2, 3)), -1))\n") == [
        "f((2, 8), (1, -1))\n",
        "f(((2, 4),), ((1, (2, 3)),))\n",
    ]
    assert texts(layouts.PASS, "f((1, 2, 3), (4, 5, 6), a)\n") == ["f((1, 2), (4, 5), a)\n"]
    assert texts(layouts.PASS, "f((1,), ())\n") == []
    assert texts(layouts.PASS, "f((1, 2), (4, 5, 6))\nf((n, (2, m)))\n") == []


def test_annotations() -> None:
    text = "def f(a: int, *b: str, c: T = 1) -> list[int]:\n    d: int = a\n    return d\n"
    assert texts(annotated.PASS, text) == [
        "def f(a, *b, c = 1):\n    d: int = a\n    return d\n",
        text.replace("d: int", "d"),
    ]
    assert texts(annotated.PASS, "@k\ndef f(a: int): pass\nclass C:\n    x: int = 1\n") == []
    assert texts(annotated.PASS, "f(f'{a}', f'b')\n") == ["f(\"\", f'b')\n"]


def test_short_calls_that_are_read_twice() -> None:
    assert texts(names.TWICE, "a = g(1)\nf(a)\nh(a, 2)\n") == ["f(g(1))\nh(g(1), 2)\n"]
    long = f"g('{'b' * 45}')"
    assert texts(names.TWICE, f"a = {long}\nf(a, a)\n") == [f"f({long}, {long})\n"]
    assert texts(names.TWICE, f"a = {long}\nfunction_name_long(a, a)\n") == [], "a line would be wrapped"
    assert texts(names.TWICE, f"a = g('{'b' * 60}')\nf(a)\nf(a)\n") == []
    assert texts(names.TWICE, "a = g(1)\nf(a, a)\n") == ["f(g(1), g(1))\n"]
    assert texts(names.TWICE, "a = g(1)\nf(a)\n") == []


def test_folds() -> None:
    assert texts(folds.PASS, "f(2 * 3 + 1, -4 // 2, a * 2, 1 / 2, 3 % 0, 1 << 70)\n") == [
        "f(7, -4 // 2, a * 2, 1 / 2, 3 % 0, 1 << 70)\n",
        "f(2 * 3 + 1, (-2), a * 2, 1 / 2, 3 % 0, 1 << 70)\n",
    ]


SWITCHES = """\
import argparse
p = argparse.ArgumentParser(description="d")
p.add_argument("--the-one", action="store_true")
args = p.parse_args()
f(args.the_one and 2)
"""


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
        ("from m import a, b\na\n", ["from m import b\n", "from m import a\na\n"]),
        ("import a, b.c\nb\n", ["import b.c\nb\n", "import a\n"]),
        ("a, b = 1, 2\nf(a)\n", ["b = 2\n", "a = 1\nf(a)\n"]),
        ("import a\na, b = c\n", []),
    ],
)
def test_pairs(before: str, after: list[str]) -> None:
    assert texts(pairs.PASS, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@d(x=1)\ndef f(): pass\n", ["@d\ndef f(): pass\n", "def f(): pass\n"]),
        ("@d\n@e\ndef f(): pass\n", ["@e\ndef f(): pass\n", "@d\ndef f(): pass\n"]),
        ("if 1:\n    @d\n    def f(): pass\n", ["if 1:\n    def f(): pass\n"]),
        ("f(1, a=2, b=3)\n", ["f(1, b=3)\n", "f(1, a=2)\n"]),
        ("f(**k)\n", ["f()\n"]),
    ],
)
def test_arguments(before: str, after: list[str]) -> None:
    assert texts(arguments.PASS, before) == after


def test_constants() -> None:
    text = "f(64, 1, 0, 2.5, True, 'x', [3])\n"
    assert texts(constants.TO_ONE, text) == [text.replace("64", "1")]
    failed = Facts(failed=frozenset({": f(# number 0: 64 -> 32"}))
    assert texts(constants.TO_ONE, text, failed) == []
    assert texts(constants.HALVED, text) == [
        text.replace("64", "32"), text.replace("2.5", "1.0"), text.replace("3", "1")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = a + b\n", {"x = a\n", "x = b\n", "x = 0\n"}),
        ("x = f(a) or b\n", {"x = f(a)\n", "x = b\n", "x = a or b\n"}),
        ("x = a if b else c\n", {"x = a\n", "x = c\n"}),
        ("x = -a\n", {"x = a\n"}),
        ("f(a)\n", set()),
        ("x = k(a).launch(b)\n", {"x = a.launch(b)\n"}),
        ("import fx\nx = fx.thread_idx.x\n", {"import fx\nx = 0\n"}),
        ("import fx\nx = f(fx.Int32, a)\n", {"import fx\nx = a\n"}),
        ("x = f('a'\n      'b', c)\n", {"x = c\n"}),
        ("a, b = (i for i in (x, y))\n", {"a, b = (x, y)\n"}),
        ("x = [i + 1 for i in f(y)]\n", {"x = [i for i in f(y)]\n", "x = [0 for i in f(y)]\n",
                                         "x = [i + 1 for i in y]\n"}),
    ],
)  # fmt: skip
def test_expressions(before: str, after: set[str]) -> None:
    assert set(texts(expressions.PASS, before)) == after


def test_expressions_of_another_kind_are_left_out() -> None:
    facts = Facts(kinds=Kinds({("", "f(a)"): "Vector", ("", "a"): "Tensor", ("", "b"): "Vector"}))
    assert texts(expressions.PASS, "x = f(a)\n", facts) == []
    facts = Facts(kinds=Kinds({("", "f(a, b)"): "Vector", ("", "a"): "Tensor", ("", "b"): "Vector"}))
    assert texts(expressions.PASS, "x = f(a, b)\n", facts) == ["x = b\n"]


RECORD = "class C:\n    def __init__(self, a, b=2):\n        self.a = a\n        self.c = self.a + b\n\n\n"


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


def test_host() -> None:
    text = "@d\ndef k(x):\n    g(x)\ndef main():\n    k(1)\n    y = 2\n    if y:\n        k(y)\nmain()\n"
    assert texts(host.PASS, text) == [
        text.replace("    k(1)\n", ""),
        text.replace("    if y:\n        k(y)\n", ""),
        text.replace("    if y:\n        k(y)\n", ""),
        text.removesuffix("main()\n"),
    ]


def test_known_values() -> None:
    facts = Facts(kinds=Kinds({}, {("f", "a.b"): "'x'", ("f", "c"): "4", ("", "c"): "5"}))
    text = "def f(a, c):\n    g(a.b, c)\n    g(c)\nh(c)\n"
    assert texts(known.PASS, text, facts) == [
        "def f(a, c):\n    g('x', c)\n    g(c)\nh(c)\n",
        "def f(a, c):\n    g(a.b, 4)\n    g(4)\nh(c)\n",
        "def f(a, c):\n    g(a.b, c)\n    g(c)\nh(5)\n",
    ]


def test_known_results() -> None:
    facts = Facts(kinds=Kinds({}, {("", "f(1)"): "4", ("", "c.m()"): "5", ("", "h(2)"): "6"}))
    text = "def f(a): return 4\nclass C:\n    def m(self): return 5\nc = C()\ng(f(1), c.m(), h(2))\nf(1)\n"
    assert texts(known.PASS, text, facts) == [
        text.replace("f(1),", "4,"),
        text.replace("c.m(),", "5,"),
    ]


def test_dead_definitions() -> None:
    text = "import a, b\nc = a.x\ndef f(): return c\ndef g(): return g()\nd = {}\nd['k'] = 1\nh()\n"
    found = texts(dead.PASS, text)
    assert text.replace("def f(): return c\n", "") in found
    assert text.replace("def g(): return g()\n", "") in found
    assert all("d = {}\nd['k'] = 1\nh()\n" in each for each in found)
    assert texts(dead.PASS, "from __future__ import annotations\nfrom a import *\nh()\n") == []


def test_imports_that_repeat_others() -> None:
    first = "import a.b as b\nfrom c import d, e\n"
    text = f"{first}import a.b as b\nfrom c import e\nfrom c import d, f\nb(d, e, f)\n"
    assert texts(dead.PASS, text) == [
        text.replace("e\nimport a.b as b\n", "e\n"),
        text.replace("from c import e\n", ""),
    ]
    other = "from c import e\nimport e\nfrom .c import e\nfrom c import e as f\ng(e, f)\n"
    assert texts(dead.PASS, other) == []


def test_attributes_that_nothing_reads() -> None:
    one, two = "        self.a = g(n)\n", "    x.b = 1\n"
    stores = "        self.c = n\n        self.d = n\n        m.e = n\n        self.f = run(n)\n"
    runs = "@m.jit\ndef run(n): pass\n"
    init = f"class C:\n    def __init__(self, n):\n{one}{stores}"
    text = f"import m\n{runs}{init}def h(x):\n{two}    return x.c, getattr(x, 'd')\nh(C(1))\n"
    assert texts(dead.PASS, text) == [text.replace(one, "")]


def test_a_sum_that_nothing_reads_is_dead() -> None:
    text = "t = 0\nt = t + 1\nt = t + 2\ng()\n"
    assert texts(dead.PASS, text) == [
        "g()\n",
        text.replace("t = t + 1\n", ""),
        text.replace("t = t + 2\n", ""),
    ]


def test_noise() -> None:
    text = "def f():\n    'Doc.'\n    print(1)\n    assert x\n    return g(print)\n"
    found = texts(noise.PASS, text)
    assert len(found) == 3
    assert "def f():\n    print(1)\n    assert x\n    return g(print)\n" in found


def test_unexecuted() -> None:
    text = "import a\nif a:\n    b\n    if c:\n        d\nelse:\n    e\ndef f():\n    g\nh\n"
    facts = Facts(lines=frozenset({1, 2, 3, 4, 8, 10}))
    found = texts(unexecuted.PASS, text, facts)
    assert text.replace("\n        d", "\n        pass") in found or text.replace(
        "\n    if c:\n        d", "") in found  # fmt: skip
    assert text.replace("else:\n    e\n", "") in found
    assert text.replace("def f():\n    g\n", "") in found
    assert texts(unexecuted.PASS, text) == []


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


def test_a_return_that_a_failure_came_before() -> None:
    """Without it the call would go that the failure is in."""
    head = "def run(n):\n    launch(n)\n"
    branch, rest = "    if n:\n        return n\n", "    z = n + 1\n    return z\n"
    main = "def main():\n    y = run(2)\n    print(y)\nmain()\n"
    text = head + branch + rest + main
    lines = frozenset({1, 2, 3, 7, 8, 10})
    assert texts(unexecuted.PASS, text, Facts(lines=lines)) == [
        text.replace(branch, ""),
        text.replace(rest, ""),
        text.replace("return z", "return None"),
        text.replace("    print(y)\n", ""),
    ]
    alone = head + branch + main
    assert texts(unexecuted.PASS, alone, Facts(lines=frozenset({1, 2, 5, 6, 8}))) == [
        head + "    return None\n" + main,
        alone.replace("    print(y)\n", ""),
    ]


def test_slice_behind_the_failing_operation() -> None:
    text = "import m\na = 1\nb = 2\nm.f(b)\nc = a + 1\nm.g(c)\n"
    facts = Facts(failing_line=6, located=True)
    assert texts(slicing.PASS, text, facts)[0] == "import m\na = 1\nc = a + 1\nm.g(c)\n"
    assert texts(slicing.PASS, text) == []


def test_slice_through_methods_and_attributes() -> None:
    text = """\
import m

class Loader:
    size = 1

    def __init__(self, n):
        super().__init__()
        self.n = n
        self.unused = m.f(n)

    def load(self, at):
        m.g(at)
        x = self.n + at
        m.fail(x)
        return x

    def store(self):
        m.g(self.n)

def twice(a):
    m.g(a)
    return a * 2

def kernel(count):
    one = Loader(count)
    other = Loader(3)
    other.store()
    m.g(twice(4))
    k = twice(count)
    return one.load(k)

m.g(1)
kernel(2)
"""
    facts = Facts(failing_line=text.split("\n").index("        m.fail(x)") + 1, located=True)
    gone = {"self.unused = m.f(n)", "m.g(at)", "m.g(a)", "other = Loader(3)", "other.store()", "m.g(1)"}
    gone |= {"m.g(twice(4))", "def store(self):", "m.g(self.n)"}
    narrow = texts(slicing.PASS, text, facts)[0].split()
    assert narrow == [word for line in text.split("\n") if line.strip() not in gone for word in line.split()]


def test_comments_and_blank_lines() -> None:
    text = "# a\nx = '# b'  # c\n\n\n\n\nif x:\n\n    # d\n    y\n"
    found = texts(comments.PASS, text)
    assert found[0] == "x = '# b'\n\n\n\n\nif x:\n\n    y\n"
    assert found[1] == "# a\nx = '# b'  # c\n\n\nif x:\n    # d\n    y\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(\n    a,\n    b,\n)\n", ["f(a, b)\n"]),
        ("def f(\n    a,\n    b=1,\n): pass\n", ["def f(a, b=1): pass\n"]),
        ("x = f(a, \\\n      b)\n", ["x = f(a, b)\n"]),
        ("f(\n    a,  # why\n)\n", []),
        ("f('''\n''')\n", []),
        ("f(a, b)\n", []),
        ("f((a), ((b)))\nx = (y)\n", ["f(a, b)\nx = y\n"]),
        ("x = a - ((b + c))\n", ["x = a - (b + c)\n"]),
        ("f((a + 1) * 2, (yield_ + 1), (c, d))\n", ["f((a + 1) * 2, yield_ + 1, (c, d))\n"]),
        (f"f(\n    {'a' * 60},\n    {'b' * 60},\n)\n", []),
        (f"f({'a' * 60}, {'b' * 60})\n", [f"f(\n    {'a' * 60},\n    {'b' * 60},\n)\n"]),
        (
            f"for i in f({'a' * 60}, b={'b' * 60}): g\n",
            [f"for i in f(\n    {'a' * 60},\n    b={'b' * 60},\n): g\n"],
        ),
    ],
)
def test_tidy(before: str, after: list[str]) -> None:
    assert texts(tidy.PASS, before) == after
    assert texts(tidy.PASS, before, Facts(original=before)) == []


def test_brackets_that_a_call_of_the_original_has_too() -> None:
    assert texts(tidy.PASS, "x = [(r)]\ny = (a)\n", Facts(original="f(r)\ny = (a)\n")) == [
        "x = [r]\ny = (a)\n"
    ]


SAME_KIND = Kinds({("f", "a"): "Vector|v", ("f", "b"): "Vector|v", ("f", "g(a)"): "Vector|v"})


def test_bypass_gives_another_value_of_the_kind() -> None:
    text = "def f(a):\n    b = g(a)\n    return h(b)\n"
    assert "def f(a):\n    b = a\n    return h(b)\n" in texts(bypass.PASS, text, Facts(kinds=SAME_KIND))
    assert texts(bypass.PASS, text) == []


def test_helpers_by_a_part_of_their_call() -> None:
    text = "def g(x):\n    return x * 2\ndef f(a):\n    b = g(a)\n    return h(b)\nf(1)\n"
    found = texts(helpers.PASS, text, Facts(kinds=SAME_KIND))
    assert "    b = a\n" in found[0]


def test_helpers_that_take_nothing_along_are_left_to_others() -> None:
    one, two = "    b = g(a)\n", "    c = g(b)\n"
    text = f"def g(x):\n    return x * 2\ndef f(a):\n{one}{two}    return h(b, c)\nf(1)\n"
    kinds = Kinds({("f", each): "Vector|v" for each in ("a", "b", "g(a)", "g(b)")})
    both = text.replace("g(a)", "a").replace("g(b)", "b")
    assert texts(helpers.PASS, text, Facts(kinds=kinds)) == [both], "alone, each leaves the other and `g`"
    kept = text.replace("f(a):", "f(a):\n    k(g)")
    assert texts(helpers.PASS, kept, Facts(kinds=kinds)) == []
