"""Which calls may launch something."""

from __future__ import annotations

import pytest

from flybisect.source.effects import Effects
from flybisect.source.scopes import Statements
from flybisect.source.source import Source

BEFORE = """\
import a.b as ab
from c import d
exp = ab.math.exp
@ab.jit
def launcher(x): k(x)
def plain(n): return n + d(n)
def runs(fn):
    return fn(2)
def wraps(n):
    if n: return launcher(n)
def builds():
    def inner(x): launcher(x)
    return inner
def circle(n): return circle(n - 1)
class Plan:
    def __init__(self, n): self.n = d(n)
    def size(self): return plain(self.n)
    def start(self): launcher(self.n)
plan = plain(1)
made = builds()
"""


@pytest.mark.parametrize(
    ("statement", "has"),
    [
        ("x = ab.c(1)", False),
        ("x = d(1).e(2)", False),
        ("x = ab.make(1)(2)", False),
        ("x = exp(1)", False),
        ("x = len(d)", False),
        ("x = plain(1)", False),
        ("x = circle(1)", False),
        ("x = plan.view(1)", False),
        ("x = plan.size()", False),
        ("x = [plain(i) for i in d]", False),
        ("x = plan", False),
        ("x = launcher(1)", True),
        ("x = ab.k(1).launch(2)", True),
        ("x = wraps(1)", True),
        ("x = plain(plan.start())", True),
        ("x = made(1)", True),
        ("x = plan(1)", True),
        ("x = builds()(1)", True),
        ("x = runs(d)", True),
        ("x = ab.compile(launcher, 1)", True),
        ("x = ab.compile(fn=launcher)", True),
        ("x = [launcher, d][0](1)", True),
    ],
)
def test_effects(statement: str, has: bool) -> None:
    table = Statements(Source(f"{BEFORE}{statement}\n"))
    assert Effects(table).has(table.all[-1]) is has
