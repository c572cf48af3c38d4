"""Which kernel's figure a condition means, where it compares. Pure.

It is the kernel that was worst at the start, in the unreduced script, and it stays that one: under the
baseline, and in a candidate that has lost others. Kernels are found by name. FlyDSL puts a number behind it
(`k_0`), which counts what else is compiled, so a name with another number will do where there is none with
this one; and where each side has but one kernel, those are meant, however they are called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from flybisect.observation import Kernel, Observation

Worse = Callable[[Kernel], float]
"""Higher where a kernel is worse."""

_NUMBER = re.compile(r"_\d+$")


def worst(kernels: Sequence[Kernel], worse: Worse) -> Kernel:
    """Of at least one."""
    return max(kernels, key=worse)


def same(kernel: Kernel, of: Observation, among: Observation, worse: Worse) -> Kernel | None:
    """The kernel of one observation in another; of several compiles of it the worst. None: it has none."""
    for called in (lambda each: each.name, _stem):
        found = [each for each in among.kernels if called(each) == called(kernel)]
        if found:
            return worst(found, worse)
    alone = all(len({each.name for each in side.kernels}) == 1 for side in (of, among))
    return worst(among.kernels, worse) if alone else None


def _stem(kernel: Kernel) -> str:
    return _NUMBER.sub("", kernel.name)
