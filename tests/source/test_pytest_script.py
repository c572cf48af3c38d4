"""A plain script does with a test what pytest does with it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.case.pytest_target import target_script
from flybisect.errors import UserError
from tests.source.flattening import lay_out, output
from tests.source.profile import examples


def no_pytest(file: Path, test: str) -> None:
    """Stands for a Python without pytest."""


CONFTEST = """
import pytest
from helpers import SCALE

pytest_plugins = []

def pytest_configure(config):
    pass

@pytest.fixture(autouse=True)
def always(monkeypatch):
    monkeypatch.setenv("SEEN", "yes")
    print("always")

@pytest.fixture(params=[2, 4], ids=["two", "four"])
def width(request):
    return request.param * SCALE

@pytest.fixture
def unused():
    raise AssertionError

@pytest.fixture
def opened(width):
    print("open", width)
    yield [width]
    print("close", width)
"""

FILE = """
import os
import pytest

from helpers import double

pytestmark = [pytest.mark.slow]
KINDS = ("f16", "f32")
PAIRS = [(m, n) for m in (1, 2) for n in (3, 4)]
big = pytest.mark.parametrize("k", [7, pytest.param(8, id="eight", marks=pytest.mark.xfail)])

if False:
    pytest.skip("no GPU", allow_module_level=True)

def helper(x):
    return double(x)

@pytest.mark.skipif(False, reason="not here")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("m, n", PAIRS, ids=lambda v: f"v{v}")
@big
def test_many(k, m, n, kind, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ZeroDivisionError):
        1 / 0
    print("many", k, m, n, kind, helper(k), os.environ["SEEN"])

def test_width(opened, width):
    print("width", opened, width)

@pytest.fixture
def opened2(opened):
    return opened * 2

class TestGroup:
    @pytest.fixture(autouse=True)
    def start(self, opened2):
        self.held = opened2

    def setup_method(self, method):
        print("setup", method.__name__)

    @pytest.mark.parametrize("width", [5], indirect=True)
    def test_held(self, width):
        print("held", self.held, width)

    def test_other(self):
        raise AssertionError

if __name__ == "__main__":
    pytest.main([__file__])
"""

FILES = {
    "pyproject.toml": "",
    "helpers.py": "SCALE = 10\ndef double(x):\n    return 2 * x\n",
    "tests/conftest.py": CONFTEST,
    "tests/test_file.py": FILE,
}

TESTS = [
    ("test_many[7-v1-v3-f16]", "always\nmany 7 1 3 f16 14 yes\n"),
    ("test_many[eight-v2-v4-f32]", "always\nmany 8 2 4 f32 16 yes\n"),
    ("test_width[two]", "always\nopen 20\nwidth [20] 20\nclose 20\n"),
    ("test_width", "always\nopen 20\nwidth [20] 20\nclose 20\nalways\nopen 40\nwidth [40] 40\nclose 40\n"),
    ("TestGroup::test_held[5]", "always\nsetup test_held\nopen 50\nheld [50, 50] 50\nclose 50\n"),
]


@pytest.mark.parametrize(("test", "printed"), TESTS)
def test_targets(test: str, printed: str, tmp_path: Path) -> None:
    lay_out(tmp_path / "there", FILES)
    file = tmp_path / "there" / "tests" / "test_file.py"
    script = target_script(file, FILE, test, no_pytest)
    assert "import pytest" not in script.text
    alone = lay_out(tmp_path / "alone", {"script.py": script.text})
    code, out, err = output(alone)
    assert (code, err) == (0, ""), script.text
    assert out == printed


def test_pytest_does_the_same(tmp_path: Path) -> None:
    lay_out(tmp_path, {**FILES})
    for test, printed in TESTS:
        said = subprocess.run(
            [sys.executable, "-m", "pytest", "-sq", "-p", "no:cacheprovider", f"tests/test_file.py::{test}"],
            capture_output=True, text=True, check=False, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)},
        ).stdout  # fmt: skip
        assert said.replace("\n.", "\n").startswith(printed), said


NUMBERS = st.one_of(st.integers(-3, 30), st.booleans(), st.none(), st.text("ab-", max_size=3))


@given(
    st.lists(st.one_of(st.integers(-3, 30), st.booleans(), st.none(), st.text("ab-", max_size=3)), min_size=1)
)
@examples(30)
def test_each_set_of_parameters_is_found(values: list[object]) -> None:
    text = f"import pytest\n@pytest.mark.parametrize('x', {values!r})\ndef test_x(x):\n    print(repr(x))\n"
    for value in values:
        if values.count(value) == 1 and len({str(each) for each in values}) == len(values):
            script = target_script(Path("/nowhere/test_x.py"), text, f"test_x[{value}]", no_pytest)
            assert script.text.endswith(f"test_x(x={value!r})\n")


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("test_none", "has no test test_none; it has test_many, test_width, TestGroup::test_held"),
        ("test_width[three]", r"has no parameters called [three]; it has [two], [four]"),
        ("test_log", "needs the fixture caplog, which is pytest's own"),
        ("test_computed[1]", "cannot be read without running the file"),
    ],
)
def test_what_cannot_be_made_a_script(test: str, said: str, tmp_path: Path) -> None:
    more = (
        "def test_log(caplog): ...\n"
        "@pytest.mark.parametrize('x', double(3).items)\ndef test_computed(x): ...\n"
    )
    lay_out(tmp_path, {**FILES, "tests/test_file.py": FILE + more})
    with pytest.raises(UserError, match=re.escape(said)):
        target_script(tmp_path / "tests" / "test_file.py", FILE + more, test, no_pytest)


SKIPPING = """
import sys

import pytest
from pytest import mark

HERE = "gfx942"
elsewhere = mark.skipif(HERE != "gfx950", reason=f"{HERE} has no such load")
pytestmark = mark.skipif(sys.platform == "nowhere", reason="not on nowhere")

@mark.skip
def test_bare(): print("ran")

@mark.skip("broken")
def test_positional(): print("ran")

@mark.skipif("HERE != 'gfx950' and sys.platform")
def test_text(): print("ran")

@elsewhere
def test_named(): print("ran")

@mark.skipif(HERE == "gfx950", HERE == "gfx942", reason="either")
def test_either(): print("ran")

@mark.skipif(HERE == "gfx950", reason="not this one")
@mark.xfail(reason="known")
def test_here(): print("ran")

@mark.parametrize("n", [1, pytest.param(2, marks=mark.skip(reason="too many")), pytest.param(3, marks=[elsewhere])])
def test_sets(n): print("ran", n)

@mark.parametrize("n", [pytest.param(n, marks=mark.skipif(n > 1, reason="of n")) for n in (1, 2)])
def test_bound(n): print("ran", n)

@mark.skip(reason="the whole group")
class TestGroup:
    def test_inside(self): print("ran")

def test_by_itself():
    pytest.skip("says the test")
"""  # noqa: E501


@pytest.mark.parametrize(
    ("test", "printed", "why"),
    [
        ("test_bare", "", "by its marks"),
        ("test_positional", "", "broken"),
        ("test_text", "", "by its marks"),
        ("test_named", "", "gfx942 has no such load"),
        ("test_either", "", "either"),
        ("test_here", "ran\n", None),
        ("test_sets", "ran 1\nran 3\n", None),
        ("test_sets[1]", "ran 1\n", None),
        ("test_sets[2]", "", "too many"),
        ("test_sets[3]", "", "gfx942 has no such load"),
        ("test_bound[2]", "ran 2\n", None),
        ("TestGroup::test_inside", "", "the whole group"),
        ("test_by_itself", "", "says the test"),
    ],
)
def test_what_its_marks_rule_out_skips_itself(
    test: str, printed: str, why: str | None, tmp_path: Path
) -> None:
    lay_out(tmp_path, {"test_file.py": SKIPPING})
    script = target_script(tmp_path / "test_file.py", SKIPPING, test, no_pytest)
    _, out, err = output(lay_out(tmp_path / "alone", {"script.py": script.text}))
    assert out == printed, script.text
    said = err.strip().splitlines()[-1:]
    assert said == ([] if why is None else [f"unittest.case.SkipTest: {why}"]), script.text
