"""Every binding form of Python, as programs where all is bound, and where one name is not."""

from __future__ import annotations

import sys

import pytest

from flybisect.source.check import problem, unbound_names
from flybisect.source.scopes import Statements, qualified
from flybisect.source.source import Source

BOUND = r"""
x = 1; x
x: int = 1; x
a, (b, *c) = 1, (2, 3); a, b, c
[a, b] = 1, 2; a + b
x = y = 1; x, y
import os; os
import os.path; os.path
import os.path as p; p
from os import path as p, sep; p, sep
from os import *; anything_at_all
def f(): return f; f()
class C: pass; C
for i in range(3): i
for i, (j, k) in []: i, j, k
for i in []: pass else: i
while (n := 1): n
with open('f') as f: f
with open('f') as f, open(f) as g: g
with open('f') as (a, b): a, b
if (m := 1) and m: m
[i for i in range(3)]
[j for i in range(3) for j in range(i)]
{k: v for k, v in {}.items()}
{i for i in range(3) if i}
list(i for i in range(3))
[last := i for i in range(3)]; last
[[i * j for j in range(i)] for i in range(3)]
lambda a, *b, c=1, **d: (a, b, c, d)
x = 1; f = lambda a=x: a
f = lambda: later; later = 1
def f(): return later\nlater = 1
def f(a, /, b, *c, d=1, **e): return a, b, c, d, e
def f():\n x = 1\n def g(): return x\n return g
def f():\n x = 1\n def g():\n  nonlocal x\n  x += 1\n return g
x = 1\ndef f():\n global x\n x += 1
def f():\n global x\n x = 1\nf()\nx
class C:\n a = 1\n b = a
class C:\n a = 1\n def f(self): return self.a
class C:\n def f(self): return __class__
class C(object, metaclass=type): x: int = 1
x = 1\nclass C: x = x
while (n := 1) and n: n
with open('f') as f, open(f): f
x = (n := 1) + n; x
if (n := 1): pass\nelif n: pass
try: pass\nexcept ValueError as e: e
try: import a\nexcept ImportError: a = None\na
try: x = 1\nfinally: x
try: pass\nexcept (ValueError, OSError): pass\nelse: pass
match 1:\n case int(x): x
match {}:\n case {'a': a, **rest}: a, rest
match []:\n case [a, *others]: a, others
match 1:\n case (1 | 2) as n if n: n
match 1:\n case other: other
match None:\n case object(real=r, imag=i): r, i
x = 1; x += 1; x
x = []; x[0] += 1
x = 1; del x
for i in range(2):\n if i: later\n later = 1
while True:\n try: seen\n except NameError: pass\n seen = 1
import functools\n@functools.cache\ndef f(): pass
def d(f): return f\n@d\n@d\nclass C: pass
T = int\ndef f(a: T, *b: T, c: T = T()) -> T: pass
f'{1 + 1}'; x = 1; f'{x!r:>{x}}'
async def f():\n async with f() as g: g\n async for i in g: await i\n return [i async for i in g]
print(__name__, __file__, __doc__, len)
x = 1\nif x: y = 1\nelse: y = 2\ny
if 0: y = 1\ny
print = print
def print_(): print = 1; print
""".strip().split("\n")

UNBOUND = r"""
z | z
z = z | z
z += 1 | z
z: z = 1 | z
x: z | z
z; z = 1 | z
print(z); import z | z
del z | z
z.a = 1 | z
z[0] = 1 | z
a[z] = 1 | a z
for i in z: pass | z
for z in z: pass | z
while z: pass | z
with z as y: y | z
with open(z) as z: pass | z
while (z := z + 1): pass | z
z = z + (z := 1) | z
def f(): return [(z := 1), z]\nz | z
def f(a=z): pass | z
def f(a: z): pass | z
def f() -> z: pass | z
def f(*a: z, **b: y): pass | z y
@z\ndef f(): pass | z
@z(1)\nclass C: pass | z
class C(z): pass | z
class C(metaclass=z): pass | z
def f(): return z | z
def f(): z; z = 1 | z
def f(): z += 1 | z
z = 1\ndef f(): z += 1 | z
z = 1\ndef f():\n z\n z = 2 | z
def f(z): pass\nz | z
def f():\n g()\n def g(): pass | g
lambda a=z: a | z
lambda a: z | z
[i for i in range(3)]; i | i
[z for i in range(3)] | z
[i for i in z] | z
[i for i in i] | i
[i for i in range(3) if z] | z
{z: 1 for i in []} | z
class C:\n a = 1\n def f(self): return a | a
class C:\n a = 1\n b = [a for i in range(3)] | a
class C:\n a = b\n b = 1 | b
try: pass\nexcept z: pass | z
match z:\n case 1: pass | z
match 1:\n case z.a: pass | z
match 1:\n case z(): pass | z
match 1:\n case int() if z: pass | z
def f():\n global z\nz | z
def f():\n global z\n z | z
def f():\n z = 1\n def g():\n  nonlocal z\n  z = 2\nz | z
def f():\n x = 1\nf()\nx | x
f'{z}' | z
f'{1:{z}}' | z
assert z, y | z y
raise z from y | z y
return_ = yield_ = z | z
import os as z\nos | os
import os.path as z\nos | os
from os import path as z\npath | path
print(z if z else y) | z y
f(x := 1); x | f
""".strip().split("\n")


def text_of(line: str) -> str:
    """A table's line as a program: `;` between a definition and what follows it cannot stand."""
    text = line.replace("\\n", "\n")
    for head in ("def f(): return f", "class C: pass"):
        text = text.replace(head + "; ", head + "\n")
    return text.replace(" else: i", "\nelse: i").replace("1): n", "1): n") + "\n"


@pytest.mark.parametrize("line", BOUND)
def test_all_is_bound(line: str) -> None:
    assert problem(text_of(line)) is None
    assert unbound_names(text_of(line)) == frozenset()


@pytest.mark.parametrize("line", UNBOUND)
def test_one_is_not(line: str) -> None:
    program, _, names = line.rpartition(" | ")
    text = text_of(program)
    assert unbound_names(text) == frozenset(names.split())
    said = problem(text)
    assert said is not None and any(repr(name) in said for name in names.split())
    assert problem(text, allowed=frozenset(names.split())) is None


STAR = "try: pass\nexcept* ValueError as e: e\nexcept* z: pass\n"
GENERIC = "def f[T: int](a: T) -> T: return a\nclass C[*Ts, **P]: x: P\ntype A[K] = dict[K, A]\nA\n"
DEFAULTS = "def f[T = z](a: T): pass\n"
NESTED_QUOTES = "a = {}\nf'{a['x']:{a['y']}}'\nf'{z['x']}'\n"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="except* came with Python 3.11")
def test_exception_groups() -> None:
    assert unbound_names(STAR) == {"z"}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with Python 3.12")
def test_type_parameters() -> None:
    assert unbound_names(GENERIC) == frozenset()
    assert unbound_names(GENERIC + "T\n") == {"T"}
    assert unbound_names("def f[T: z](): pass\n") == {"z"}
    assert unbound_names("type A = z\n") == {"z"}


@pytest.mark.skipif(sys.version_info < (3, 13), reason="their defaults came with Python 3.13")
def test_defaults_of_type_parameters() -> None:
    assert unbound_names(DEFAULTS) == {"z"}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="such quotes came with Python 3.12")
def test_quotes_in_formatted_strings() -> None:
    assert unbound_names(NESTED_QUOTES) == {"z"}


@pytest.mark.skipif(sys.version_info < (3, 14), reason="template strings came with Python 3.14")
def test_template_strings() -> None:
    assert unbound_names("x = 1\nt'{x} {z}'\n") == {"z"}


PROGRAM = """\
import os
N = 4
def outer(a):
    total = 0
    for i in range(a):
        if i:
            total += i
        else:
            total = N
    def inner():
        return total
    return inner
class C:
    def m(self):
        return N
"""


def test_statements_are_in_text_order_with_their_place() -> None:
    table = Statements(Source(PROGRAM))
    assert [entry.number for entry in table.all] == list(range(len(table.all)))
    starts = [entry.start for entry in table.all]
    assert starts == sorted(starts)
    returned = table.all[[e.node for e in table.all].index(table.all[-1].node)]
    assert qualified(table, returned) == "C.m"
    assert [table.all[n].start for n in table.ancestors(returned.number)] == [
        PROGRAM.index("def m"),
        PROGRAM.index("class C"),
    ]
    loop = next(e for e in table.all if PROGRAM.startswith("for", e.start))
    inside = [table.source.segment(table.all[n].node) for n in table.subtree(loop.number)]
    assert inside[1:] == ["if i:\n            total += i\n        else:\n            total = N", "total += i",
                          "total = N"]  # fmt: skip
    assert [table.all[n].block for n in table.subtree(loop.number)][1:] == ["body", "body", "orelse"]


def test_users_and_binders_by_variable() -> None:
    table = Statements(Source(PROGRAM))
    constant = table.owner("N", table.module)
    assert [PROGRAM.count("\n", 0, user.start) + 1 for user, _ in table.users[constant]] == [9, 15]
    total = next(key for key in table.binders if key[1] == "total")
    assert [table.source.segment(b.node) for b in table.binders[total]] == ["total = 0", "total = N"]


def test_innermost_statement_of_a_line() -> None:
    table = Statements(Source(PROGRAM))
    found = table.at_line(7)
    assert found is not None and table.source.segment(found.node) == "total += i"
    assert table.at_line(99) is None
