"""Several at once, with the answers in the order of the questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int,
    cancel: Callable[[], None] = lambda: None,
) -> list[Result]:
    """`work` of every item, at most `jobs` at once. What the first of them raises comes through.

    Where that happens, or we are interrupted, `cancel` is called, which has the others end soon.
    """
    if jobs <= 1 or len(items) <= 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="bisect") as pool:
        try:
            return list(pool.map(work, items))
        except BaseException:
            cancel()
            raise
