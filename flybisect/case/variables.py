"""Environment variables that a case hands to its script: `--env NAME[=VALUE]`, and `env:` in a case file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from flybisect.errors import UserError
from flybisect.probe.inside.settings import FAMILIES, SCRIPT_OWNED, SPREAD, values

Variables = tuple[tuple[str, str], ...]
"""Names with their values, sorted by name."""

_NAME = re.compile(r"[^\W\d]\w*", re.ASCII)
_BY_OPTION = {
    "ARCH": "use --arch",
    "FLYDSL_GPU_ARCH": "use --arch",
    "COMPILE_ONLY": "a trial always compiles only",
    "HOME": "every trial has a home folder of its own",
    "TMPDIR": "every trial has a folder for temporary files of its own",
}
"""Of what flybisect sets itself: what to do instead."""
_OF_ROCM = frozenset({"ROCM_PATH", "ROCM_ROOT", "ROCM_HOME"})
_AT_START = ("LD_", "PYTHON", "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "MALLOC_", *SPREAD)
"""Beginnings of names that are read when a process starts; a trial is forked from one that has started.
What loads a library into a process is among them: nothing of it may happen before a trial is confined."""


def given(options: Iterable[str], caller: Mapping[str, str]) -> Variables:
    """What `--env` options say. `NAME` alone takes the value of `caller`. Raises UserError."""
    found: dict[str, str] = {}
    for option in options:
        name, has_value, value = option.partition("=")
        _check(name, f"--env {option}")
        if not has_value and name not in caller:
            raise UserError(f"--env {name}: {name} is not set here; write --env {name}=VALUE")
        found[name] = value if has_value else caller[name]
        _check_value(found[name], f"--env {name}")
    return tuple(sorted(found.items()))


def in_file(value: object, origin: str) -> Variables:
    """What `env:` of a case file says. Raises UserError."""
    if value is None:
        return ()
    if not isinstance(value, dict):
        raise UserError(f"{origin} should be names with values, as {{NAME: text}}, not {value!r}")
    return tuple(sorted((_name(name, origin), _value(name, each, origin)) for name, each in value.items()))


def joined(first: Variables, second: Variables) -> Variables:
    """Both; the value of `first` holds where both have a name."""
    return tuple(sorted({**dict(second), **dict(first)}.items()))


def written_out(words: Sequence[str], caller: Mapping[str, str]) -> list[str]:
    """A command line whose `--env NAME` has the value that `NAME` has now: it may be another one later."""
    found: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*found, word, *rest]
        if word == "--env" and rest:
            found += [word, _with_value(rest.pop(0), caller)]
        elif word.startswith("--env="):
            found.append("--env=" + _with_value(word.removeprefix("--env="), caller))
        else:
            found.append(word)
    return found


def missing(unset: Iterable[str], caller: Mapping[str, str]) -> list[str]:
    """Of the variables that a script read in vain, those that `caller` has and that may be handed on."""
    return sorted(name for name in set(unset) if name in caller and _refusal(name) is None)


def say_missing(unset: Iterable[str], notify: Callable[[str], None]) -> list[str]:
    """`missing` of this process's environment; where there are any, `notify` gets a sentence."""
    names = missing(unset, os.environ)
    if names:
        are = "are" if len(names) > 1 else "is"
        options = " ".join(f"--env {name}" for name in names)
        notify(f"the script reads {', '.join(names)}, which {are} set here but not in trials; add {options}")
    return names


def _with_value(option: str, caller: Mapping[str, str]) -> str:
    return option if "=" in option or option not in caller else f"{option}={caller[option]}"


def _name(name: object, origin: str) -> str:
    if not isinstance(name, str):
        raise UserError(f"{origin}: {name!r} is no name of a variable; put it in quotes")
    _check(name, origin)
    return name


def _value(name: object, value: Any, origin: str) -> str:
    if value is None or isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise UserError(f"{origin}: {name} should be a text, not {value!r}; put it in quotes")
    _check_value(str(value), f"{origin}: {name}")
    return str(value)


def _check(name: str, origin: str) -> None:
    if not _NAME.fullmatch(name):
        raise UserError(f"{origin}: {name!r} is no name of a variable; write NAME or NAME=VALUE")
    refusal = _refusal(name)
    if refusal is not None:
        raise UserError(f"{origin}: {refusal}")


def _check_value(value: str, origin: str) -> None:
    if "\0" in value:
        raise UserError(f"{origin}: a value cannot hold a zero byte")


def _refusal(name: str) -> str | None:
    """Why a trial cannot have that variable from the user; None where it can."""
    if name in _OF_ROCM:
        return f"{name} is set by flybisect to the ROCm that it found; set it for flybisect itself"
    if name in _BY_OPTION:
        return f"{name} is set by flybisect itself; {_BY_OPTION[name]}"
    if name in values("", "", None) or (name.startswith(FAMILIES) and name not in SCRIPT_OWNED):
        return f"{name} is set by flybisect itself: it holds FlyDSL's caches, dumps and logs"
    if name.startswith(_AT_START):
        return (
            f"{name} is read when a process or a library starts, before a trial is confined; set it in "
            "the script, or for flybisect itself (it hands PYTHONPATH and LD_LIBRARY_PATH on)"
        )
    return None
