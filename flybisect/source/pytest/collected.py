"""What pytest collects in a test file: asked of pytest itself, in a trial.

`PROGRAM` is the script of that trial; it prints what `collected` reads. A value is told by a text that means
the same in the file itself, where there is one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MARK = "flybisect-collected: "
MOST = 65
"""Sets of parameters that are told."""

PROGRAM = """\
import enum, json, math, sys, types

MARK, FILE, TEST, MOST = {mark!r}, {file!r}, {test!r}, {most!r}


def text_of(value, names):
    kind = type(value)
    if value is None or kind in (bool, int, str, bytes):
        return repr(value)
    if kind is float:
        return repr(value) if math.isfinite(value) else f"float({{str(value)!r}})"
    if kind in (tuple, list, set, frozenset):
        parts = [text_of(each, names) for each in value]
        if None in parts:
            return None
        inner = ", ".join(parts)
        if kind is tuple:
            return f"({{inner}},)" if len(parts) == 1 else f"({{inner}})"
        if kind is list:
            return f"[{{inner}}]"
        return f"{{kind.__name__}}([{{inner}}])"
    if kind is dict:
        parts = [(text_of(key, names), text_of(each, names)) for key, each in value.items()]
        if any(None in part for part in parts):
            return None
        return "{{" + ", ".join(f"{{key}}: {{each}}" for key, each in parts) + "}}"
    if kind is range:
        return repr(value)
    if isinstance(value, enum.Enum) and value.name is not None:
        holder = named(type(value), names)
        if holder is not None and getattr(type(value), value.name, None) is value:
            return f"{{holder}}.{{value.name}}"
    return named(value, names)


def named(value, names):
    for name, held in names.items():
        if held is value and not name.startswith("@") and name.isidentifier():
            return name
    tails = [getattr(value, "__name__", None), repr(value).rpartition(".")[2]]
    for name, held in names.items():
        if isinstance(held, types.ModuleType) and name.isidentifier():
            for tail in tails:
                if isinstance(tail, str) and tail.isidentifier() and getattr(held, tail, None) is value:
                    return f"{{name}}.{{tail}}"
    return None


def is_direct(item, name):
    if name in getattr(item.callspec, "funcargs", {{}}):
        return True
    made = item._fixtureinfo.name2fixturedefs.get(name) or [None]
    return getattr(getattr(made[-1], "func", None), "__name__", "") == "get_direct_param_fixture_func"


def place(item, name, value, every):
    # Where the value stands among those of its parameter, and whether it stands in a pytest.param(...).
    for mark in item.iter_markers("parametrize"):
        given = dict(zip(("argnames", "argvalues"), mark.args), **mark.kwargs)
        listed = given.get("argnames", "")
        names = [each.strip() for each in listed.split(",")] if isinstance(listed, str) else list(listed)
        names = [each for each in names if each]
        if name not in names or not isinstance(given.get("argvalues"), (list, tuple)):
            continue
        for at, found in enumerate(given["argvalues"]):
            held = type(found).__name__ == "ParameterSet"
            values = found.values if held else found if len(names) > 1 else (found,)
            if list(values)[names.index(name)] is value:
                return at, held
    # A generator is used up by now; its values come in the order of the tests.
    seen = []
    for each in every:
        other = each.callspec.params.get(name)
        if all(other is not known for known in seen):
            seen.append(other)
    return next((at for at, known in enumerate(seen) if known is value), 0), None


def skips(item):
    # The marks of the set of parameters alone; the file's text has the others.
    for mark in getattr(getattr(item, "callspec", None), "marks", ()):
        reason = str(mark.kwargs.get("reason", "by its marks"))
        if mark.name == "skip":
            return str(mark.args[0]) if mark.args else reason
        conditions = mark.args if mark.name == "skipif" else ()
        if any(not isinstance(each, str) and each for each in conditions):
            return reason
    return None


def described(item, every):
    found = {{}}
    spec = getattr(item, "callspec", None)
    for name, value in (spec.params if spec is not None else {{}}).items():
        direct = is_direct(item, name)
        at, holds = place(item, name, value, every) if direct else (spec.indices.get(name, 0), None)
        found[name] = {{
            "text": text_of(value, vars(item.module)),
            "index": at,
            "kind": type(value).__name__,
            "direct": direct,
            "holds": holds,
        }}
    return {{"id": item.nodeid.partition("::")[2], "values": found, "skips": skips(item)}}


class Plugin:
    def pytest_collection_finish(self, session):
        path = TEST.partition("[")[0]
        every = [each for each in session.items if each.nodeid.partition("::")[2].partition("[")[0] == path]
        wanted = [each for each in every if each.nodeid.partition("::")[2] == TEST] or every
        print("\\n" + MARK + json.dumps([described(each, every) for each in wanted[:MOST]]), flush=True)


try:
    import pytest
except ImportError:
    print("\\n" + MARK + "null", flush=True)
    sys.exit(0)
sys.dont_write_bytecode = True
words = ["--collect-only", "-q", "-s", "-p", "no:cacheprovider", "-o", "addopts=", FILE]
sys.exit(pytest.main(words, plugins=[Plugin()]))
"""


@dataclass(frozen=True)
class Value:
    """What one parameter of a test is."""

    text: str | None
    """Python for it, in the test's file; None where there is none."""
    index: int
    """Its place among the values that the parameter has."""
    kind: str
    """Name of its class."""
    direct: bool
    """It goes to the test itself, and not to a fixture of that name."""
    holds: bool | None
    """Whether the file has it within a `pytest.param(…)`; None where that is not known."""


@dataclass(frozen=True)
class CollectedTest:
    """One test with its parameters."""

    id: str
    """As `TestX::test_y[64-f16]`."""
    values: Mapping[str, Value]
    skips: str | None = None
    """Why a mark of the set of parameters rules it out."""


def program(file: str, test: str) -> str:
    """The script that collects a test, or else every set of its parameters. `file`: its absolute path."""
    return PROGRAM.format(mark=MARK, file=file, test=test, most=MOST)


def collected(printed: str) -> list[CollectedTest] | None:
    """What the program said; None where there is no pytest. Raises ValueError where it said nothing."""
    for line in reversed(printed.splitlines()):
        if line.startswith(MARK):
            return _items(json.loads(line.removeprefix(MARK)))
    raise ValueError("pytest collected nothing")


def element(values: str, value: Value, names: Sequence[str], name: str) -> str:
    """An expression for a value: the one of `names` called `name`, of what the text `values` stands for."""
    found = f"list({values})[{value.index}]"
    if value.holds is None:
        # `pytest.param(…)` has its values in an attribute, and a plain value stands for itself.
        whole = found if len(names) > 1 else f"[{found}]"
        found = f"({found}.values if type({found}).__name__ == 'ParameterSet' else {whole})"
    elif value.holds:
        found = f"{found}.values"
    elif len(names) == 1:
        return found
    return f"{found}[{list(names).index(name)}]"


def _items(data: Any) -> list[CollectedTest] | None:
    if data is None:
        return None
    found = []
    for each in data if isinstance(data, list) else [data]:
        try:
            values = {str(name): _value(value) for name, value in each["values"].items()}
            skips = each["skips"]
            found.append(CollectedTest(str(each["id"]), values, None if skips is None else str(skips)))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("the test file wrote into what pytest collected") from error
    return found


def _value(data: Mapping[str, object]) -> Value:
    text, holds, index = data["text"], data["holds"], data["index"]
    if not isinstance(index, int):
        raise TypeError("an index is a number")
    return Value(
        text=None if text is None else str(text),
        index=index,
        kind=str(data["kind"]),
        direct=bool(data["direct"]),
        holds=None if holds is None else bool(holds),
    )
