"""Which kernel a condition with a baseline compares. Pure.

It is the kernel that was worst in the unreduced script. The same kernel is compared under the baseline, and
in a candidate that has lost other kernels. Kernels are matched by name. FlyDSL appends a number (`k_0`) that
depends on what else is compiled, so a name with another number matches if no exact name does. If each side
has only one kernel, these two match whatever their names are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from flybisect.observation import Kernel, Observation

Worse = Callable[[Kernel], float]
"""A number that is higher for a worse kernel."""

_NUMBER = re.compile(r"_\d+$")


def worst(kernels: Sequence[Kernel], worse: Worse) -> Kernel:
    """The worst of at least one kernel."""
    return max(kernels, key=worse)


def same(kernel: Kernel, of: Observation, among: Observation, worse: Worse) -> Kernel | None:
    """The matching kernel in the observation `among`; the worst one if it was compiled several times. None if
    there is no match."""
    for called in (lambda each: each.name, _stem):
        found = [each for each in among.kernels if called(each) == called(kernel)]
        if found:
            return worst(found, worse)
    alone = all(len({each.name for each in side.kernels}) == 1 for side in (of, among))
    return worst(among.kernels, worse) if alone else None


def _stem(kernel: Kernel) -> str:
    return _NUMBER.sub("", kernel.name)
