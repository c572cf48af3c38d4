"""What the generated scripts import. It has the form of a kernel DSL and computes with plain integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

needles: list[int] = []
"""What `needle` was given, in order."""
thread_idx = SimpleNamespace(x=3, y=5)


class Kernel:
    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *arguments: Any, **named: Any) -> SimpleNamespace:
        return SimpleNamespace(launch=lambda grid=(), block=(): self._function(*arguments, **named))


def kernel(function: Callable[..., Any] | None = None, *, hints: Any = None, size: Any = None) -> Any:
    return Kernel if function is None else Kernel(function)


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def range_constexpr(*bounds: int) -> range:
    return range(*bounds)


def mix(first: int, second: int = 1, *, third: int = 0) -> int:
    return (first * 7 + second * 3 + third) % 1009


def note(*values: object) -> None:
    print(*values)


def needle(value: int) -> int:
    if not isinstance(value, int):
        raise TypeError("an integer is wanted")
    needles.append(value)
    print("needle", value)
    return value


@contextmanager
def region(size: int = 1) -> Iterator[int]:
    yield size
