"""Passes that take statements away: the texts that their hints give, each alone."""

from __future__ import annotations

import pytest

from flybisect.reduce.hint import DynamicFacts
from flybisect.reduce.passes import (
    bypass,
    dead,
    helpers,
    host,
    known,
    noise,
    pairs,
    slicing,
    statements,
    unexecuted,
    unwrap,
)
from flybisect.source.instrument import ObservedTypes
from tests.reduce.hints import texts, whole

SAME_KIND = ObservedTypes({("f", "a"): "Vector|v", ("f", "b"): "Vector|v", ("f", "g(a)"): "Vector|v"})


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
        ("from m import a, b\na\n", ["from m import b\n", "from m import a\na\n"]),
        ("import a, b.c\nb\n", ["import b.c\nb\n", "import a\n"]),
        ("a, b = 1, 2\nf(a)\n", ["b = 2\n", "a = 1\nf(a)\n"]),
        ("import a\na, b = c\n", []),
    ],
)
def test_pairs(before: str, after: list[str]) -> None:
    assert texts(pairs.PASS, before) == after


def test_host() -> None:
    text = "@d\ndef k(x):\n    g(x)\ndef main():\n    k(1)\n    y = 2\n    if y:\n        k(y)\nmain()\n"
    assert texts(host.PASS, text) == [
        text.replace("    k(1)\n", ""),
        text.replace("    if y:\n        k(y)\n", ""),
        text.replace("    if y:\n        k(y)\n", ""),
        text.removesuffix("main()\n"),
    ]


def test_known_values() -> None:
    facts = DynamicFacts(kinds=ObservedTypes({}, {("f", "a.b"): "'x'", ("f", "c"): "4", ("", "c"): "5"}))
    text = "def f(a, c):\n    g(a.b, c)\n    g(c)\nh(c)\n"
    assert texts(known.PASS, text, facts) == [
        "def f(a, c):\n    g('x', c)\n    g(c)\nh(c)\n",
        "def f(a, c):\n    g(a.b, 4)\n    g(4)\nh(c)\n",
        "def f(a, c):\n    g(a.b, c)\n    g(c)\nh(5)\n",
    ]


def test_known_results() -> None:
    facts = DynamicFacts(kinds=ObservedTypes({}, {("", "f(1)"): "4", ("", "c.m()"): "5", ("", "h(2)"): "6"}))
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
    assert texts(dead.PASS, text) == [text.replace("t = t + 2\n", "")]
    assert whole(dead.PASS, text) == ["g()\n"]


def test_what_only_dead_statements_read_goes_with_the_last_of_them() -> None:
    text = "a = 1\ndef f(n): return n\nb = f(a)\nc = f(a)\nd = c\n"
    assert whole(dead.PASS, text) == [text.replace("b = f(a)\n", ""), text.replace("c = f(a)\nd = c\n", "")]


def test_noise() -> None:
    text = "def f():\n    'Doc.'\n    print(1)\n    assert x\n    return g(print)\n"
    found = texts(noise.PASS, text)
    assert len(found) == 3
    assert "def f():\n    print(1)\n    assert x\n    return g(print)\n" in found


def test_unexecuted() -> None:
    text = "import a\nif a:\n    b\n    if c:\n        d\nelse:\n    e\ndef f():\n    g\nh\n"
    facts = DynamicFacts(lines=frozenset({1, 2, 3, 4, 8, 10}))
    found = texts(unexecuted.PASS, text, facts)
    assert text.replace("\n        d", "\n        pass") in found or text.replace(
        "\n    if c:\n        d", "") in found  # fmt: skip
    assert text.replace("else:\n    e\n", "") in found
    assert text.replace("def f():\n    g\n", "") in found
    assert texts(unexecuted.PASS, text) == []


def test_a_return_that_a_failure_came_before() -> None:
    """Without it the call would go that the failure is in."""
    head = "def run(n):\n    launch(n)\n"
    branch, rest = "    if n:\n        return n\n", "    z = n + 1\n    return z\n"
    main = "def main():\n    y = run(2)\n    print(y)\nmain()\n"
    text = head + branch + rest + main
    lines = frozenset({1, 2, 3, 7, 8, 10})
    assert texts(unexecuted.PASS, text, DynamicFacts(lines=lines)) == [
        text.replace(branch, ""),
        text.replace(rest, ""),
        text.replace("return z", "return None"),
        text.replace("    print(y)\n", ""),
    ]
    alone = head + branch + main
    assert texts(unexecuted.PASS, alone, DynamicFacts(lines=frozenset({1, 2, 5, 6, 8}))) == [
        head + "    return None\n" + main,
        alone.replace("    print(y)\n", ""),
    ]


def test_slice_behind_the_failing_operation() -> None:
    text = "import m\na = 1\nb = 2\nm.f(b)\nc = a + 1\nm.g(c)\n"
    facts = DynamicFacts(failing_line=6, located=True)
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
    facts = DynamicFacts(failing_line=text.split("\n").index("        m.fail(x)") + 1, located=True)
    gone = {"self.unused = m.f(n)", "m.g(at)", "m.g(a)", "other = Loader(3)", "other.store()", "m.g(1)"}
    gone |= {"m.g(twice(4))", "def store(self):", "m.g(self.n)"}
    narrow = texts(slicing.PASS, text, facts)[0].split()
    assert narrow == [word for line in text.split("\n") if line.strip() not in gone for word in line.split()]


def test_bypass_gives_another_value_of_the_kind() -> None:
    text = "def f(a):\n    b = g(a)\n    return h(b)\n"
    assert "def f(a):\n    b = a\n    return h(b)\n" in texts(
        bypass.PASS, text, DynamicFacts(kinds=SAME_KIND)
    )
    assert texts(bypass.PASS, text) == []


def test_helpers_by_a_part_of_their_call() -> None:
    text = "def g(x):\n    return x * 2\ndef f(a):\n    b = g(a)\n    return h(b)\nf(1)\n"
    found = texts(helpers.PASS, text, DynamicFacts(kinds=SAME_KIND))
    assert "    b = a\n" in found[0]


def test_helpers_that_take_nothing_along_are_left_to_others() -> None:
    one, two = "    b = g(a)\n", "    c = g(b)\n"
    text = f"def g(x):\n    return x * 2\ndef f(a):\n{one}{two}    return h(b, c)\nf(1)\n"
    kinds = ObservedTypes({("f", each): "Vector|v" for each in ("a", "b", "g(a)", "g(b)")})
    both = text.replace("g(a)", "a").replace("g(b)", "b")
    assert texts(helpers.PASS, text, DynamicFacts(kinds=kinds)) == [both], (
        "alone, each leaves the other and `g`"
    )
    kept = text.replace("f(a):", "f(a):\n    k(g)")
    assert texts(helpers.PASS, kept, DynamicFacts(kinds=kinds)) == []
