"""Parameters that only running a test file tells: pytest collects it, and the script has their texts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from flybisect.case.pytest_target import only_tests, target_script
from flybisect.errors import UserError
from flybisect.source.pytest.collected import (
    MARK,
    CollectedTest,
    collected,
    program,
)
from tests.source.flattening import lay_out, output

FILE = """\
import enum
import math

import pytest


class Kind(enum.Enum):
    SMALL = 1
    LARGE = 2


class Shape:
    def __init__(self, n):
        self.n = n


def double(x):
    return 2 * x


def cases():
    for n in (2, 4):
        yield pytest.param(n, Kind.SMALL, id=f"n{n}")


def shapes():
    return [Shape(n) for n in (1, 5)]


def plain(*values):
    return list(values)


@pytest.mark.parametrize("n, kind", cases())
def test_generated(n, kind):
    print(n, kind)


@pytest.mark.parametrize("value", plain(True, "a", (1, [2.5]), {"k": None}, double, math.inf, math.sin))
def test_values(value):
    print(value(3) if callable(value) else value)


@pytest.mark.parametrize("shape", shapes(), ids=lambda shape: f"s{shape.n}")
@pytest.mark.parametrize("n", plain(7, 8))
def test_objects(shape, n):
    print(shape.n, n)


@pytest.mark.parametrize("shape, n", [(each, each.n) for each in shapes()] + plain(pytest.param(Shape(3), 4)))
def test_pairs(shape, n):
    print(shape.n, n)


@pytest.mark.parametrize("n", (1, 2))
@pytest.mark.parametrize("shape", (each for each in shapes()), ids=["a", "b"])
def test_generator(shape, n):
    print(shape.n, n)


@pytest.fixture(params=plain(3, 6))
def of_function(request):
    return request.param * 10


def test_fixture(of_function):
    print(of_function)


@pytest.mark.parametrize("of_function", plain(1, 2), indirect=True)
def test_indirect(of_function):
    print(of_function)


@pytest.mark.parametrize("of_function", plain(1, 2))
def test_over_fixture(of_function):
    print(of_function)


def pytest_generate_tests(metafunc):
    if "made" in metafunc.fixturenames:
        metafunc.parametrize("made", [11, 12], ids=["first", "second"])


def test_made(made):
    print(made)


def test_by_conftest(by_conftest):
    print(by_conftest)


class TestGroup:
    @pytest.mark.parametrize("n", plain(1, 2))
    def test_held(self, n):
        print("held", n)
"""
CONFTEST = """\
def pytest_generate_tests(metafunc):
    if "by_conftest" in metafunc.fixturenames:
        metafunc.parametrize("by_conftest", ["x", "y"])


def pytest_make_parametrize_id(config, val, argname):
    return f"{argname}={val}" if argname == "by_conftest" else None
"""
FILES = {"conftest.py": CONFTEST, "test_file.py": FILE}


def collect(file: Path, test: str) -> Sequence[CollectedTest] | None:
    """As a trial does, without one."""
    ran = subprocess.run(
        [sys.executable, "-c", program(str(file), test)], capture_output=True, text=True, check=False
    )
    return collected(ran.stdout)


@pytest.mark.parametrize(
    ("test", "printed"),
    [
        ("test_generated[n4]", "4 Kind.SMALL\n"),
        ("test_values[True]", "True\n"),
        ("test_values[value2]", "(1, [2.5])\n"),
        ("test_values[value3]", "{'k': None}\n"),
        ("test_values[double]", "6\n"),
        ("test_values[inf]", "inf\n"),
        ("test_objects[8-s5]", "5 8\n"),
        ("test_pairs[shape1-5]", "5 5\n"),
        ("test_pairs[shape2-4]", "3 4\n"),
        ("test_generator[b-2]", "5 2\n"),
        ("test_fixture[6]", "60\n"),
        ("test_fixture", "30\n60\n"),
        ("test_indirect[2]", "20\n"),
        ("test_over_fixture[2]", "2\n"),
        ("test_made[second]", "12\n"),
        ("test_by_conftest[by_conftest=y]", "y\n"),
        ("TestGroup::test_held[2]", "held 2\n"),
        ("test_generated", "2 Kind.SMALL\n4 Kind.SMALL\n"),
    ],
)
def test_the_script_prints_what_the_test_prints(test: str, printed: str, tmp_path: Path) -> None:
    lay_out(tmp_path / "there", FILES)
    script = target_script(tmp_path / "there" / "test_file.py", FILE, test, collect)
    ran = subprocess.run(
        [sys.executable, str(lay_out(tmp_path / "alone", {"script.py": script.text}))],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, printed), ran.stderr + script.text


def test_ids_that_are_not_there_are_told(tmp_path: Path) -> None:
    lay_out(tmp_path, FILES)
    with pytest.raises(UserError, match=r"no parameters called \[n3\]; it has \[n2\], \[n4\]"):
        target_script(tmp_path / "test_file.py", FILE, "test_generated[n3]", collect)


def test_a_fixture_of_a_plugin_is_pytests_to_make(tmp_path: Path) -> None:
    text = "import logging\ndef test_log(caplog):\n    logging.warning('x')\n    print('seen', caplog.text)\n"
    lay_out(tmp_path, {"test_log.py": text})
    script = target_script(tmp_path / "test_log.py", text, "test_log", collect)
    ran = lay_out(tmp_path / "alone", {"script.py": "", "test_log.py": script.text})
    printed = subprocess.run(
        [sys.executable, str(ran.with_name("test_log.py"))], capture_output=True, text=True, check=False
    ).stdout
    assert "seen WARNING" in printed


def test_without_pytest(tmp_path: Path) -> None:
    assert collected(f"{MARK}null\n") is None
    with pytest.raises(UserError, match="which could collect it, is not installed"):
        target_script(tmp_path / "test_file.py", FILE, "test_generated[n2]", lambda file, test: None)


@pytest.mark.parametrize("said", ["", "pytest died\n", f"{MARK}[1]\n", f"{MARK}[{{}}]\n", f"{MARK}{{]\n"])
def test_what_is_no_collection(said: str) -> None:
    with pytest.raises(ValueError):
        collected(said)


ONLY_TESTS = [
    "import pytest, sys\nsys.path.insert(0, '.')\ndef test_a(): ...\nclass TestB:\n    def test_c(x): ...\n",
    "def test_a(): ...\nif __name__ == '__main__':\n    import pytest\n    pytest.main([__file__])\n",
]
NOT_ONLY = [
    "def test_a(): ...\ntest_a()\n",
    "import pytest\ndef test_a(): ...\nif __name__ == '__main__':\n    test_a()\n",
    "def test_a(): ...\nfor n in range(3):\n    print(n)\n",
    "import pytest\nprint(1)\n",
]


@pytest.mark.parametrize("text", ONLY_TESTS)
def test_a_file_of_tests_alone(text: str) -> None:
    said = only_tests(Path("/there/test_x.py"), text)
    assert said is not None and "test_x.py::test_a" in said and "name a test" in said


@pytest.mark.parametrize("text", NOT_ONLY)
def test_a_file_that_does_something(text: str) -> None:
    assert only_tests(Path("/there/test_x.py"), text) is None


def test_output_is_unchanged_where_the_text_says_it(tmp_path: Path) -> None:
    text = "import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n):\n    print(n)\n"
    script = target_script(tmp_path / "test_n.py", text, "test_n[2]", lambda file, test: pytest.fail("ran"))
    assert output(lay_out(tmp_path, {"script.py": script.text})) == (0, "2\n", "")
