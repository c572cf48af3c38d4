from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from hypothesis import given

from flybisect.source.argv import reads_arguments
from flybisect.source.check import problem, syntax_problem, unbound_names
from flybisect.source.edit import Edit, apply
from flybisect.source.scopes import Statements
from flybisect.source.source import Source
from tests.source.profile import examples
from tests.source.programs import scripts

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
# fmt: off
REAL = [
    "abc", "argparse", "ast", "base64", "bisect", "cmd", "codecs", "contextlib", "copy", "csv",
    "dataclasses", "difflib", "dis", "enum", "fnmatch", "fractions", "functools", "gettext", "glob", "heapq",
    "keyword", "linecache", "operator", "pprint", "queue", "random", "reprlib", "sched", "selectors", "shlex",
    "string", "textwrap", "tokenize", "traceback", "types", "weakref",
]
# fmt: on


@pytest.mark.parametrize("name", REAL)
def test_real_files_pass(name: str) -> None:
    text = (LIBRARY / f"{name}.py").read_text(encoding="utf-8")
    assert problem(text) is None


@given(scripts())
@examples(25)
def test_no_definition_that_is_needed_may_go(text: str) -> None:
    if "import *" in text:
        return
    table = Statements(Source(text))
    for key, binders in table.binders.items():
        entry = binders[0]
        users = [user for user, use in table.users.get(key, ()) if user.number != entry.number]
        inside = set(table.subtree(entry.number))
        if len(binders) > 1 or not users or all(user.number in inside for user in users):
            continue
        without = apply(text, [Edit(entry.start, entry.end, "pass")])
        said = problem(without)
        assert said is not None
        assert repr(key[1]) in said or len(entry.binds) > 1


@pytest.mark.parametrize(
    "text",
    [
        "a =",
        "return 1",
        "def f():\nreturn",
        "break",
        "def f(a, a): pass",
        "x = 1\n  y = 2",
        "'\n",
        "nonlocal a",
        "def f():\n    x = 1\n    global x",
        "a\0b",
        "(" * 500 + ")" * 500,
        "f(**a, *b)",
        "await f()",
    ],
)
def test_what_is_no_program(text: str) -> None:
    said = syntax_problem(text)
    assert said is not None and "\n" not in said
    assert problem(text) == said


def test_the_first_unbound_name_is_named_with_its_line() -> None:
    assert problem("a = 1\nb = a + c\nd\n") == "line 2: the name 'c' is read and nothing binds it"
    assert (
        problem("a = 1\nb = a + c\nd\n", frozenset({"c"}))
        == "line 3: the name 'd' is read and nothing binds it"
    )
    assert unbound_names("a = 1\nb = a + c\nd\n") == {"c", "d"}


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("import torch\nimport flydsl.compiler as flyc\n", False),
        ("import sys\n", True),
        ("import argparse\n", True),
        ("from helpers import f\n", True),
        ("from . import f\n", True),
        ("import os; os.sys.argv\n", True),
        ("__import__('sys')\n", True),
        ("x = 1\n", False),
    ],
)
def test_whether_arguments_are_read(text: str, reads: bool) -> None:
    assert reads_arguments(text) is reads


def test_names_that_come_by_other_ways_are_let_pass() -> None:
    text = (LIBRARY / "inspect.py").read_text(encoding="utf-8")  # Fills `globals()` in a loop.
    assert "CO_GENERATOR" in unbound_names(text)
    assert problem(text, unbound_names(text)) is None
