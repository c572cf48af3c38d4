"""Several at once, with the answers in the order of the questions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int,
    cancel: Callable[[], None] = lambda: None,
) -> list[Result]:
    """`work` of every item, at most `jobs` at once in threads. What the first of them raises comes through.

    Where that happens, or we are interrupted, `cancel` is called, which has the others end soon; they have
    ended when this returns.
    """
    if jobs <= 1 or len(items) <= 1:
        return [work(item) for item in items]
    from joblib import Parallel, delayed  # as long to import as all else that most starts need

    ended = threading.Condition()
    running = 0

    def counted(item: Item) -> Result:
        nonlocal running
        with ended:
            running += 1
        try:
            return work(item)
        finally:
            with ended:
                running -= 1
                ended.notify_all()

    parallel = Parallel(n_jobs=jobs, backend="threading", batch_size=1, pre_dispatch=jobs)
    try:
        results: list[Result] = parallel(delayed(counted)(item) for item in items)
        return results
    except BaseException:
        cancel()
        # joblib does not wait for threads that work.
        with ended:
            ended.wait_for(lambda: running == 0)
        raise
