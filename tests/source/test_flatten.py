"""A flattened script does what the script did among its modules."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given

from flybisect.source.flatten.flatten import FlattenError
from tests.source.flattening import (
    both,
    flattened,
    lay_out,
    output,
)
from tests.source.packages import packages
from tests.source.profile import examples

CASES = yaml.safe_load((Path(__file__).parent.parent / "data" / "flatten.yaml").read_text(encoding="utf-8"))


@given(packages())
@examples(25)
def test_random_packages(files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        script = lay_out(Path(folder) / "whole", files)
        if output(script)[0] == 0:
            assert both(Path(folder), files).left == ()


def test_a_script_without_modules_stays_as_it_is(tmp_path: Path) -> None:
    text = "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\nimport os, sys\nfrom math import *\n\nprint(pi)"
    flat = flattened(lay_out(tmp_path, {"script.py": text}))
    assert (flat.text, flat.modules) == (text, ())


def test_only_what_has_to_change_does(tmp_path: Path) -> None:
    files = {
        "script.py": '"""Doc."""\nimport os  # why\nfrom part import double, HALF  # 2\n\nprint( HALF )\n',
        "part.py": '"""Part."""\n\nHALF   = 2\ndef double(x): return x  *  HALF  # odd\n',
    }
    flat = both(tmp_path, files)
    assert flat.text == (
        '"""Doc."""\nimport os  # why\n# from part.py\n'
        "HALF   = 2\ndef double(x): return x  *  HALF  # odd\n\n\nprint( HALF )\n"
    )


@pytest.mark.parametrize("name", CASES["same"])
def test_the_same_is_printed(name: str, tmp_path: Path) -> None:
    flat = both(tmp_path, CASES["same"][name])
    assert flat.left == () or name == "optional imports"


@pytest.mark.parametrize("name", CASES["left"])
def test_what_cannot_be_flattened_stays_imported(name: str, tmp_path: Path) -> None:
    case = CASES["left"][name]
    script = lay_out(tmp_path, case["files"])
    flat = flattened(script)
    assert [module for module, _ in flat.left] == case["left"]
    there = output(script)
    script.write_text(flat.text, encoding="utf-8")
    assert output(script) == there


@pytest.mark.parametrize("name", CASES["wrong"])
def test_what_python_could_not_import(name: str, tmp_path: Path) -> None:
    case = CASES["wrong"][name]
    script = lay_out(tmp_path, case["files"])
    with pytest.raises(FlattenError, match=case["said"]):
        flattened(script)
    assert output(script)[0] != 0
