"""Nothing personal in a report."""

from __future__ import annotations

from pathlib import Path

import pytest

from flybisect.report.redaction import Redaction, here

PRIVATE = Redaction(("/data/case", "/home/jane/x"), ("jane", "box-17"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('File "/home/jane/x/kernel.py", line 3', 'File "kernel.py", line 3'),
        ("/usr/lib/python3/site.py:3: bad", "site.py:3: bad"),
        ("at /opt/rocm/llvm/bin/ld.lld", "at ld.lld"),
        ("https://github.com/ROCm/FlyDSL/pull/933", "https://github.com/ROCm/FlyDSL/pull/933"),
        ("$ROCM_PATH/llvm/bin/ld.lld", "$ROCM_PATH/llvm/bin/ld.lld"),
        ("flydsl/compiler/x.py", "flydsl/compiler/x.py"),
        ("by jane on box-17", "by name on name"),
        ("janet", "janet"),
        ("a // b and c/d", "a // b and c/d"),
    ],
)
def test_text(text: str, left: str) -> None:
    assert PRIVATE.text(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("sys.path.insert(0, '/home/jane/x/lib')", "sys.path.insert(0, '/somewhere/lib')"),
        ("open('/home/other/y.txt')", "open('/home/user/y.txt')"),
        ("open('/srv/y.txt')  # /Users/ann/a", "open('/srv/y.txt')  # /home/user/a"),
        ("x = a / home / b", "x = a / home / b"),
    ],
)
def test_script(text: str, left: str) -> None:
    assert PRIVATE.script(text) == left


def test_here_knows_the_folders() -> None:
    found = here([Path("/a/b"), Path("/")])
    assert found.folders == ("/a/b",)
    assert found.text("/a/b/c.py") == "c.py"
