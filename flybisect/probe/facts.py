"""What a trial wrote down about itself, checked: the script that runs in it can write there too.

Every fact is a JSON object with a `kind`; one of an unknown kind, or with a field that is missing or of
another type, is left out. Nothing here is executed or unpickled, and the worker bounds what is read.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from flybisect.observation import Stage

Fact = Mapping[str, Any]
Test = Callable[[object], bool]

LARGEST_NUMBER = 10**9
"""Of lines and counts; more is no fact about a script."""


def checked(facts: object) -> tuple[list[Fact], int]:
    """Those that can be relied on to have their form, in order, and how many can't."""
    listed = facts if isinstance(facts, list) else []
    kept = [fact for fact in listed if _is_fact(fact)]
    return kept, len(listed) - len(kept)


def _is_fact(fact: object) -> bool:
    if not isinstance(fact, dict):
        return False
    kind = fact.get("kind")
    form = _FORMS.get(kind) if isinstance(kind, str) else None
    return form is not None and all(name in fact and test(fact[name]) for name, test in form.items())


def _text(value: object) -> bool:
    return isinstance(value, str)


def _number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST_NUMBER


def is_time(value: object) -> bool:
    """True for seconds on a clock, which a stage may say when it began."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < LARGEST_NUMBER


def _number_or_none(value: object) -> bool:
    return value is None or _number(value)


def _bytes(value: object) -> bool:
    try:
        base64.b64decode(value if isinstance(value, str) else "?", validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _stage(value: object) -> bool:
    return isinstance(value, str) and value in {stage.value for stage in Stage}


def _list_of(test: Test) -> Test:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _record_of(form: Iterable[tuple[str, Test]]) -> Test:
    fields = tuple(form)
    return lambda value: (
        isinstance(value, dict) and all(name in value and test(value[name]) for name, test in fields)
    )


def _lines_by_line(value: object) -> bool:
    return isinstance(value, dict) and all(map(_number, value.values()))


def _operations(value: object) -> bool:
    return value is None or (isinstance(value, list) and all(map(_number, value)))


_SAID = [("text", _text), ("operations", _operations)]
_WITH_NOTES = _record_of([*_SAID, ("notes", _list_of(_record_of(_SAID)))])
_pass_error = _record_of([("message", _text), ("diagnostics", _list_of(_WITH_NOTES))])
_PLACE = _record_of([("file", _text), ("line", _number)])
_DIAGNOSTIC = _record_of([("text", _text), ("notes", _list_of(_text)), ("chain", _list_of(_PLACE))])
_EXCEPTION: dict[str, Test] = {
    "type": _text,
    "module": _text,
    "message": _text,
    "line": _number_or_none,
    "innermost": _text,
    "during": _text,
    "diagnostics": _list_of(_DIAGNOSTIC),
    "ir_lines": _lines_by_line,
    "script": _text,
}
_FORMS: dict[str, dict[str, Test]] = {
    "raised": {**_EXCEPTION, "number": _number},
    "uncaught": {**_EXCEPTION, "ends": _list_of(_number)},
    "confined": {"landlock": _number, "inside": lambda value: isinstance(value, bool)},
    "stage": {"stage": _stage},
    "stages": {"names": _list_of(_text)},
    "traced": {"sha256": _text},
    "compile": {"number": _number, "sha256": _text},
    "compiled": {
        "number": _number,
        "end": lambda value: value in ("ok", "raised"),
        "module": _bytes,
        "error": lambda value: value is None or _pass_error(value),
    },
    "replayed": {"sha256": _text},
    "line": {"line": _number},
    "object": {"data": _bytes},
    "assembly": {"data": _bytes},
    "ir": {"data": _bytes},
    "left": {},
    "missing": {"text": _text},
    "read": {"path": _text},
    "note": {"text": _text},
    "unset": {"name": _text},
    "broken": {"text": _text},
}
"""Fields that are relied on, by kind; see `flybisect.probe.inside`, where each is written."""
