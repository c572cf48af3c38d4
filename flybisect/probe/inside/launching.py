"""Launch paths that would look for a GPU although only a compile is asked for.

`flyc.compile(f, …)` returns something to call. Under `COMPILE_ONLY` newer releases return None
from it, and releases up to 0.4 go on to load the HIP runtime. Scripts call what they get.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any


class NotLaunched:
    """What a compile-only run has in place of a compiled function: calling it does nothing."""

    def __call__(self, *arguments: Any, **named: Any) -> None:
        return None


def install() -> None:
    unit = importlib.import_module("flydsl.compiler.jit_function")
    artifact = getattr(unit, "CompiledArtifact", None)
    if artifact is not None and "_get_func_exe" in vars(artifact):
        artifact._get_func_exe = lambda self: NotLaunched()
    original = getattr(unit, "_compile_impl", None)
    if original is None:
        return

    @functools.wraps(original)
    def compile_impl(*arguments: Any, **named: Any) -> Any:
        compiled = original(*arguments, **named)
        return NotLaunched() if compiled is None else compiled

    unit._compile_impl = compile_impl  # type: ignore[attr-defined]
