"""Files that a script loads by their path become part of it; what it prints stays the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from flybisect.case.flattened_script import flattened_script
from flybisect.source.pathloads import WORDS
from tests.source.flattening import lay_out, output

KERNEL = '''\
"""A kernel."""
SIZE = 3


def build(n):
    return [SIZE] * n


if __name__ == "__main__":
    print("as a script", build(2))
'''
SPEC = """\
import importlib.util
import os
import sys
from pathlib import Path
HERE = os.path.dirname(os.path.abspath(__file__))
"""
BODY = """\
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
"""
GONE = {
    "a function that loads one file": f"""{SPEC}
def load(name="under_test"):
    spec = importlib.util.spec_from_file_location(name, os.path.join(HERE, "kernel.py"))
    if spec is None:
        raise ImportError(name)
{BODY}
def run():
    module = load()
    print(module.build(2))
run()
""",
    "a function that loads the file of its argument": f"""{SPEC}
def load(name, path):
    "Loads it."
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
{BODY}
kernel = load("kernel", Path(__file__).resolve().parent / "kernel.py")
print(kernel.build(2), load("other", f"{{HERE}}/more/other.py").NAME)
""",
    "at the top": f"""{SPEC}
spec = importlib.util.spec_from_file_location("kernel", Path(HERE).joinpath("kernel.py"))
kernel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernel)
print(kernel.build(kernel.SIZE))
""",
    "SourceFileLoader": """
from importlib.machinery import SourceFileLoader
import pathlib
kernel = SourceFileLoader("kernel", str(pathlib.Path(__file__).with_name("kernel.py"))).load_module()
print(kernel.build(1))
""",
    "run_path and one name": """
import os, runpy
build = runpy.run_path(os.path.join(os.path.dirname(__file__), "kernel.py"))["build"]
print(build(2))
""",
    "run_path and its names": """
import os, runpy
names = runpy.run_path(os.path.dirname(os.path.abspath(__file__)) + "/kernel.py")
def go():
    print(names["build"](names["SIZE"]))
go()
""",
    "run_path as a script": """
import os, runpy
runpy.run_path(os.path.join(os.path.dirname(__file__), "kernel.py"), run_name="__main__")
""",
    "exec of what is read": """
from pathlib import Path
FILE = Path(__file__).parent / "kernel.py"
exec(FILE.read_text())
print(build(2))
""",
    "exec of what is compiled": """
import os
source = open(os.path.join(os.path.dirname(__file__), "kernel.py"), encoding="utf-8").read()
exec(compile(source, "kernel.py", "exec"), globals())
print(build(2))
""",
    "exec in a with": """
import os
with open(os.path.join(os.path.dirname(__file__), "kernel.py")) as file:
    exec(file.read())
print(build(2))
""",
    "exec of what a with read": """
import os
with open(os.path.join(os.path.dirname(__file__), "kernel.py"), "rb") as file:
    code = compile(file.read(), "kernel.py", "exec")
exec(code)
print(build(2))
""",
    "exec into a dictionary": """
import os
path = os.path.join(os.path.dirname(__file__), "kernel.py")
def go():
    names = {"__name__": "kernel"}
    exec(compile(open(path).read(), path, "exec"), names)
    return names["build"](2)
print(go())
""",
    "import_module": """
import importlib, os, sys
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "more"))
name = "other"
other = importlib.import_module(name)
print(other.NAME, importlib.import_module("kernel").build(2))
""",
    "__import__": """
kernel = __import__("kernel")
print(kernel.build(2), __import__("more.other").other.NAME)
""",
    "a file that loads a file": """
import kernel, os, runpy
print(runpy.run_path(os.path.join(os.path.dirname(__file__), "loads.py"))["value"])
""",
}
OTHERS = {
    "kernel.py": KERNEL,
    "more/other.py": "NAME = 'other'\n",
    "loads.py": """\
import importlib.util, os
spec = importlib.util.spec_from_file_location("x", os.path.join(os.path.dirname(__file__), "more/other.py"))
x = importlib.util.module_from_spec(spec)
spec.loader.exec_module(x)
value = x.NAME
""",
}


@pytest.mark.parametrize("name", GONE)
def test_it_is_part_of_the_script(name: str, tmp_path: Path) -> None:
    script = lay_out(tmp_path / "whole", {"script.py": GONE[name], **OTHERS})
    one = flattened_script(script, GONE[name])
    assert one.flat is not None and not one.left
    there = output(script)
    assert there[0] == 0, there
    assert output(lay_out(tmp_path / "alone", {"script.py": one.flat})) == there, one.flat


LEFT = {
    "a path that only running tells": """
import glob, os, runpy
for path in glob.glob(os.path.dirname(os.path.abspath(__file__)) + "/ker*.py"):
    print(runpy.run_path(path)["SIZE"])
""",
    "names that are looked through": """
import os, runpy
names = runpy.run_path(os.path.join(os.path.dirname(__file__), "kernel.py"))
print(sorted(name for name in names if not name.startswith("_")))
""",
    "exec in a function": """
import os
def go():
    exec(open(os.path.join(os.path.dirname(__file__), "more/other.py")).read())
    print(sorted(locals()))
go()
""",
    "one of several": """
import os, runpy, sys
path = os.path.join(os.path.dirname(__file__), "kernel.py")
if len(sys.argv) > 1:
    path = sys.argv[1]
print(runpy.run_path(path)["SIZE"])
""",
    "a file that is not there": """
import runpy
try:
    runpy.run_path("/nowhere/kernel.py")
except OSError:
    print("none")
""",
    "a name that is bound again": """
import importlib.util, os
def load(path):
    spec = importlib.util.spec_from_file_location("kernel", path)
    kernel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernel)
    print("loaded", path[-9:])
    return kernel
print(load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.py")).SIZE)
""",
}


@pytest.mark.parametrize("name", LEFT)
def test_what_the_text_does_not_say_stays(name: str, tmp_path: Path) -> None:
    script = lay_out(tmp_path, {"script.py": LEFT[name], **OTHERS})
    assert output(script)[0] == 0
    assert any(word in LEFT[name] for word in WORDS)
    assert flattened_script(script, LEFT[name]).flat is None


def test_a_file_above_the_script_is_part_of_what_is_tried(tmp_path: Path) -> None:
    text = f"""{SPEC}
spec = importlib.util.spec_from_file_location("kernel", os.path.join(HERE, "..", "kernel.py"))
kernel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernel)
print(kernel.build(2))
"""
    lay_out(tmp_path, OTHERS)
    script = lay_out(tmp_path / "tests", {"script.py": text})
    one = flattened_script(script, text)
    assert one.source == one.text and "def build" in one.source and one.modules == ("kernel",)


def test_names_that_collide(tmp_path: Path) -> None:
    text = """
import os, runpy
SIZE = "mine"
def build(n):
    return n
print(build(1), SIZE, runpy.run_path(os.path.join(os.path.dirname(__file__), "torch.py"))["build"](2))
"""
    script = lay_out(tmp_path / "whole", {"script.py": text, "torch.py": KERNEL})
    one = flattened_script(script, text)
    assert one.flat is not None
    assert output(lay_out(tmp_path / "alone", {"script.py": one.flat})) == output(script)


def test_a_file_that_cannot_be_part_is_loaded_as_before(tmp_path: Path) -> None:
    text = """
import os, runpy
SIZE = "mine"
print(SIZE, runpy.run_path(os.path.join(os.path.dirname(__file__), "odd.py"))["build"](2))
"""
    odd = (
        "SIZE = 2\ndef build(n):\n    return [globals()['SIZE']] * n\ndef __getattr__(name):\n    return 1\n"
    )
    script = lay_out(tmp_path, {"script.py": text, "odd.py": odd})
    one = flattened_script(script, text)
    assert one.problem is None
    alone = (
        script if one.flat is None else lay_out(tmp_path / "alone", {"script.py": one.flat, "odd.py": odd})
    )
    assert output(alone) == output(script)
