from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given

from flybisect.source.check import syntax_problem
from flybisect.source.instrument import (
    VARIES,
    ObservedTypes,
    agree,
    instrumented,
)
from tests.source.profile import examples
from tests.source.programs import scripts

MODULES = Path(__file__).with_name("modules")


@dataclass(frozen=True)
class Ran:
    code: int
    printed: str
    errors: str


def ran(text: str) -> Ran:
    """In a process of its own, since the copy writes to the file descriptor of stderr."""
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(MODULES)!r}); {STARTER}"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=60, check=False)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


STARTER = "exec(compile(sys.stdin.buffer.read().decode(), 'script', 'exec'), {'__name__': '__main__'})"


def learned(text: str) -> ObservedTypes:
    copy = instrumented(text)
    result = ran(copy.text)
    assert result.code == 0, result.errors
    return copy.read(result.errors)


@given(scripts())
@examples(12)
def test_the_copy_prints_the_same(text: str) -> None:
    plain, copy = ran(text), ran(instrumented(text).text)
    assert (copy.code, copy.printed) == (plain.code, plain.printed) and plain.code == 0


@given(scripts())
@examples(60)
def test_lines_move_by_one(text: str) -> None:
    copy = instrumented(text)
    assert syntax_problem(copy.text) is None
    lines, moved = text.splitlines(), copy.text.splitlines()
    assert len(moved) == len(lines) + 1
    original = [copy.original_lines([at]) for at in range(1, len(moved) + 1)]
    assert [line for each in original for line in sorted(each)] == list(range(1, len(lines) + 1))


SCRIPT = '''\
"""Doc."""
from __future__ import annotations
import math

WIDTH = 4

def scaled(value, by=2):
    return value * by

def main(flag):
    total = 0
    for i in range(3):
        total = scaled(i) + WIDTH
    kind = "wide" if flag else "narrow"
    pair = (total, kind)
    half = total / 2
    print(scaled(3), kind, pair[1], half)
    print(math.pi > 3, [i + 1 for i in range(2)], -WIDTH)
    if total and flag:
        print(scaled("ab"))

main(True)
'''


def test_kinds_and_values() -> None:
    seen = learned(SCRIPT)
    assert seen.values["main", "kind"] == "'wide'"
    assert seen.values["main", "WIDTH"] == "4"
    assert seen.values["main", "flag"] == "True"
    assert seen.values["main", "-WIDTH"] == "-4"
    assert seen.values["main", "half"] == "4.0"
    assert seen.kinds["main", "half"] == "float"
    assert seen.kinds["main", "scaled(i)"] == "int" and ("main", "scaled(i)") not in seen.values
    assert seen.kinds["scaled", "value"] == VARIES and ("scaled", "value") not in seen.values
    assert seen.results["scaled"] == VARIES
    assert seen.results["range"] == "range"
    assert seen.kinds["main", "i"] == "int" and ("main", "i") not in seen.values
    assert ("", "math") not in seen.kinds


def test_kind_of_an_expression_that_has_not_run_comes_from_its_callee() -> None:
    text = "def f(a): return a + 1\nx = f(1)\ny = f(2)\n"
    seen = learned(text)
    call = ast.parse("f(5)", mode="eval").body
    assert seen.of("", call, "f(5)") == "int"
    assert seen.of("", ast.parse("g", mode="eval").body, "g") is None


def test_kind_of_a_call_that_no_run_saw_comes_from_its_namesakes() -> None:
    seen = learned("a = ' x '\nb = a.strip()\nc = b.strip().upper()\nd = [1].pop()\ne = {2}.pop()\n")

    def kind(text: str) -> str | None:
        return seen.exact("", ast.parse(text, mode="eval").body, text)

    assert kind("c.lower().strip()") == "str" == kind("(a + b).upper()")
    assert kind("c.lower()") is None
    assert kind("strip()") is None
    assert kind("f(1).pop()") == "int"


def test_namesakes_of_several_classes_say_nothing() -> None:
    seen = learned("a = 'x'.strip()\nb = b'x'.strip()\n")
    call = ast.parse("f(1).strip()", mode="eval").body
    assert seen.exact("", call, "f(1).strip()") is None


def test_sequences_say_what_they_hold() -> None:
    seen = learned("a = [1, 2]\nb = ()\nprint(a, b, (a, 'x')[0])\n")
    assert seen.kinds["", "a"] == "list[2] of int"
    assert seen.kinds["", "b"] == "tuple"


def test_what_was_said_before_an_abort_is_kept() -> None:
    copy = instrumented("import os\nx = 7\nprint(x)\nos.abort()\n")
    result = ran(copy.text)
    assert result.code != 0
    assert copy.read(result.errors).values["", "x"] == "7"


def test_foreign_lines_do_no_harm() -> None:
    copy = instrumented("x = 7\nprint(x)\n")
    noise = "\n~kind x\t0\t\tint\n~kind 99\t0\t\tint\n~kind 0\n~kind \t\t\t\nerror: ~kind 0\t0\t\tint\n"
    assert copy.read(noise + ran(copy.text).errors).values == {("", "x"): "7", ("", "print(x)"): "None"}


@pytest.mark.parametrize(
    "text",
    [
        '"""Doc."""; import os\nprint(os.sep)\n',
        "from __future__ import annotations; import os\nprint(os.sep)\n",
        '"""Doc\nof two lines."""; import os\nprint(os.sep)\n',
        '"""Nothing else."""',
        "x = [1, 2]\nx[0] += x[1]\nprint(x, *x, sep='')\n",
        "a, *b = 1, 2, 3\nprint(a, b, b[-1:], b[a:])\n",
        "print((lambda a, b=2: a + b)(1), (y := 3), y)\n",
        "x = 2\nprint(f'{x + 1!r:>{x}}', 'a' 'b'\n      'c')\n",
        "def f():\n    x = yield 1\n    y = yield from g(x)\ndef g(x): yield x\nprint(list(f()))\n",
        "class A:\n    def f(self): return super().__repr__()[:1]\nprint(A().f())\n",
        "x = 3\nwhile x > 1: x -= 1\nassert x, 'no'\nprint(x if x else -x, not x, x < 2 < 3)\n",
        "x = (1 +\n     2) * \\\n    3\nprint(x)\n",
        "def f():\n    global n\n    n = 1\n    return n\nprint(f(), n)\n",
        "print({'a': 1, **{'b': 2}}, {1, 2}, [*range(2)])\n",
        "try:\n    raise ValueError(1)\nexcept ValueError as e:\n    print(e.args[0])\n",
        "x = 'ä'; print(x + 'ö', len(x))\n",
        "print(1)",
        "def f(n): return n and f(n - 1)\nprint(f(3))\n",
    ],
)
def test_forms_of_python(text: str) -> None:
    plain, copy = ran(text), ran(instrumented(text).text)
    assert plain.code == 0, plain.errors
    assert (copy.code, copy.printed) == (0, plain.printed), copy.errors


def test_no_text_at_all() -> None:
    assert ran(instrumented("").text).code == 0
    assert ran(instrumented('"""Doc."""\n').text).code == 0


def test_runs_agree_on_what_all_say() -> None:
    first = ObservedTypes(
        {("", "a"): "int", ("", "b"): "int"}, {("", "a"): "1", ("", "b"): "2"}, {"f": "int"}
    )
    second = ObservedTypes(
        {("", "a"): "int", ("", "b"): "str"}, {("", "a"): "1", ("", "b"): "'x'"}, {"f": "str"}
    )
    both = agree([first, second])
    assert both.values == {("", "a"): "1"}
    assert both.kinds == {("", "a"): "int", ("", "b"): VARIES}
    assert both.results == {"f": VARIES}
    assert agree([]) == ObservedTypes()
    assert agree([first]) == first
