"""LLVM's options as FlyDSL or the script has set them: they are global, and decide how is compiled."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

SETTERS = ("set_llvm_option_bool", "set_llvm_option_int", "set_llvm_option_str")


class LlvmOptions:
    """Of this process, from now on."""

    def __init__(self) -> None:
        self._first: dict[str, Any] = {}
        self._now: dict[str, Any] = {}
        try:
            native = importlib.import_module("flydsl._mlir._mlir_libs._mlirDialectsFly")
        except ImportError:
            return  # a release without
        for name in SETTERS:
            original = getattr(native, name, None)
            if original is not None:
                setattr(native, name, self._noting(original))

    def set(self) -> list[tuple[str, Any]]:
        """Those that are not as they were in the beginning, by name."""
        return sorted((name, value) for name, value in self._now.items() if value != self._first[name])

    def _noting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def setter(name: str, value: Any) -> Any:
            before = original(name, value)
            self._first.setdefault(name, before)
            self._now[name] = value
            return before

        return setter
