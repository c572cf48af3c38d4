"""The tool's settings, held in the environment against whatever the script does to it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

FAMILIES = ("FLYDSL_DUMP_", "FLYDSL_DEBUG_", "FLYDSL_RUNTIME_", "FLYDSL_AUTOTUNE")

SCRIPT_OWNED = frozenset(
    {"FLYDSL_DEBUG_ENABLE_DEBUG_INFO", "FLYDSL_DEBUG_ENABLE_VERIFIER", "FLYDSL_DEBUG_MAX_LOC_DEPTH"}
)
"""Of those families, what changes the code that is compiled: part of the script's bug, not of the tool."""


SPREAD = ("OMP_", "KMP_", "MKL_", "OPENBLAS_", "HSA_TOOLS_", "ROCPROFILER_", "CUDA_INJECTION")
"""Beginnings of names that libraries read when they are loaded; the worker has loaded them before."""


def values(arch: str, folder: str, rocm: str | None) -> dict[str, str]:
    """What is held for a trial in `folder`."""
    held = {
        "COMPILE_ONLY": "1",
        "ARCH": arch,
        "FLYDSL_GPU_ARCH": arch,
        "FLYDSL_RUNTIME_ENABLE_CACHE": "0",
        "FLYDSL_RUNTIME_CACHE_DIR": f"{folder}/cache",
        "FLYDSL_RUNTIME_RUN_ONLY": "0",
        "FLYDSL_AUTOTUNE": "0",
        "FLYDSL_AUTOTUNE_CACHE_DIR": f"{folder}/autotune",
        "FLYDSL_DUMP_IR": "0",
        "FLYDSL_DUMP_DIR": f"{folder}/dump",
        "FLYDSL_DEBUG_DUMP_ASM": "0",
        "FLYDSL_DEBUG_AST_DIFF": "0",
        "FLYDSL_DEBUG_PRINT_ORIGIN_IR": "0",
        "FLYDSL_DEBUG_PRINT_AFTER_ALL": "0",
        "FLYDSL_DEBUG_LOG_TO_FILE": "",
        "FLYDSL_DEBUG_LOG_TO_CONSOLE": "0",
        "FLYDSL_DEBUG_SHOW_STACKTRACE": "0",
        "FLYDSL_DEBUG_LOG_LEVEL": "WARNING",
        "HOME": f"{folder}/home",
        "TMPDIR": f"{folder}/tmp",
    }
    if rocm is not None:
        # MLIR asks these three, in this order.
        held.update(ROCM_PATH=rocm, ROCM_ROOT=rocm, ROCM_HOME=rocm)
    return held


def hold(held: Mapping[str, str], unset: Callable[[str], None] = lambda name: None) -> None:
    """Set `held` in this process's environment; from now on nothing in Python changes it.

    `unset` is told the name of each variable that is read and is not there.
    """
    os.environ.update(held)
    environ: Any = os.environ
    names = frozenset(os.fsencode(name) for name in held)
    # FlyDSL reads `os.environ._data` directly too, and `os.environb` shares it.
    environ._data = _HeldData(environ._data, names, unset)
    os.environb._data = environ._data  # type: ignore[attr-defined]
    environ.__class__ = os.environb.__class__ = _held_environ()
    _hold_native(names)


def _is_held(name: bytes, names: frozenset[bytes]) -> bool:
    if name in names:
        return True
    text = os.fsdecode(name)
    return text.startswith(FAMILIES) and text not in SCRIPT_OWNED


class _HeldData(dict):  # type: ignore[type-arg]
    """`os.environ._data`: a plain dict to a reader, deaf to changes of what is held."""

    def __init__(
        self, data: Mapping[bytes, bytes], names: frozenset[bytes], unset: Callable[[str], None]
    ) -> None:
        super().__init__(data)
        self.names = names
        self.unset = unset

    def __missing__(self, key: bytes) -> bytes:
        self.unset(os.fsdecode(key))
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        there = super().__contains__(key)
        if not there and isinstance(key, bytes):
            self.unset(os.fsdecode(key))
        return there

    def __setitem__(self, key: bytes, value: bytes) -> None:
        if not _is_held(key, self.names):
            super().__setitem__(key, value)

    def __delitem__(self, key: bytes) -> None:
        if not _is_held(key, self.names):
            super().__delitem__(key)

    def free(self) -> Iterator[bytes]:
        return (key for key in list(self) if not _is_held(key, self.names))

    def clear(self) -> None:
        for key in self.free():
            super().__delitem__(key)

    def pop(self, key: bytes, *default: Any) -> Any:
        if _is_held(key, self.names):
            return self.get(key, *default)
        return super().pop(key, *default)

    def popitem(self) -> Any:
        for key in self.free():
            return key, super().pop(key)
        raise KeyError("nothing left that is not held")

    def update(self, *others: Any, **named: Any) -> None:
        for key, value in dict(*others, **named).items():
            self[key] = value

    def setdefault(self, key: bytes, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self.get(key, default)


def _held_environ() -> type:
    class HeldEnviron(type(os.environ)):  # type: ignore[misc]
        """`os.environ`, whose `clear` and `popitem` end although something always stays."""

        def clear(self) -> None:
            for key in self._data.free():
                del self[self.decodekey(key)]

        def popitem(self) -> Any:
            for key in self._data.free():
                name = self.decodekey(key)
                return name, self.pop(name)
            raise KeyError("nothing left that is not held")

    return HeldEnviron


def _hold_native(names: frozenset[bytes]) -> None:
    """Native code asks `getenv`: the two functions that change what it sees are guarded too."""
    putenv, unsetenv = os.putenv, os.unsetenv

    def held_putenv(name: Any, value: Any, /) -> None:
        if not _is_held(os.fsencode(name), names):
            putenv(name, value)

    def held_unsetenv(name: Any, /) -> None:
        if not _is_held(os.fsencode(name), names):
            unsetenv(name)

    # `os.environ` itself calls these two through the module's globals.
    os.putenv = held_putenv
    os.unsetenv = held_unsetenv
