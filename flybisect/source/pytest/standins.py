"""What stands for pytest's own fixtures in a script that needs no pytest."""

from __future__ import annotations

MONKEYPATCH = '''
class {name}:
    """As pytest's, for as long as the script runs."""

    def setattr(self, target, name, *value, raising=True):
        if not value:
            import importlib
            path, value = target, (name,)
            target, _, name = path.rpartition(".")
            target = importlib.import_module(target)
        setattr(target, name, value[0])

    def delattr(self, target, name, raising=True):
        if raising or hasattr(target, name):
            delattr(target, name)

    def setitem(self, mapping, name, value):
        mapping[name] = value

    def delitem(self, mapping, name, raising=True):
        if raising or name in mapping:
            del mapping[name]

    def setenv(self, name, value, prepend=None):
        import os
        os.environ[name] = str(value) + (prepend + os.environ[name] if prepend and name in os.environ else "")

    def delenv(self, name, raising=True):
        import os
        self.delitem(os.environ, name, raising)

    def syspath_prepend(self, path):
        import sys
        sys.path.insert(0, str(path))

    def chdir(self, path):
        import os
        os.chdir(path)

    def undo(self):
        pass

    def context(self):
        import contextlib
        return contextlib.nullcontext(self)
'''

CAPTURE = '''
class {name}:
    """As pytest's, which reads what was printed."""

    def __init__(self):
        import io
        import sys
        self.out, self.err = io.StringIO(), io.StringIO()
        sys.stdout, sys.stderr = self.out, self.err

    def readouterr(self):
        import collections
        said = collections.namedtuple("CaptureResult", "out err")(self.out.getvalue(), self.err.getvalue())
        for stream in (self.out, self.err):
            stream.seek(0)
            stream.truncate()
        return said

    def disabled(self):
        import contextlib
        return contextlib.nullcontext()
'''

REQUEST = (
    "types.SimpleNamespace(param={param}, node=types.SimpleNamespace(name={node!r}), "
    "addfinalizer=atexit.register, config=types.SimpleNamespace("
    "getoption=lambda name, default=None, skip=False: default))"
)

PLAIN = {
    "tmp_path": "pathlib.Path(tempfile.mkdtemp())",
    "tmpdir": "tempfile.mkdtemp()",
}
"""Fixtures that are one expression."""
IMPORTS = {"tmp_path": ("pathlib", "tempfile"), "tmpdir": ("tempfile",), "request": ("atexit", "types")}
CLASSES = {
    "monkeypatch": ("MonkeyPatch", MONKEYPATCH),
    "capsys": ("Captured", CAPTURE),
    "capfd": ("Captured", CAPTURE),
}
OTHERS = frozenset(
    {
        "cache", "capfdbinary", "caplog", "capsysbinary", "doctest_namespace", "pytestconfig", "recwarn",
        "record_property", "record_testsuite_property", "record_xml_attribute", "subtests", "testdir",
        "pytester", "tmp_path_factory", "tmpdir_factory", "benchmark", "mocker",
    }
)  # fmt: skip
"""Pytest's and well-known plugins' that nothing stands for."""
