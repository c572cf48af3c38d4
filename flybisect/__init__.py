"""flybisect: minimal repros and first bad commits for FlyDSL compiler bugs.

What stands in `__all__` is the Python API, see docs/api.md. A name is imported when it is first used, so that
`import flybisect` and the command line start quickly.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flybisect.case.case import Baseline, Case
    from flybisect.errors import UserError
    from flybisect.reduce.minimize import minimize
    from flybisect.reduce.reduction_state import ReductionStep
    from flybisect.workflows.api import (
        BisectedCommits,
        BisectedReleases,
        CheckResult,
        Comparison,
        Matrix,
        Reduction,
        bisect_commits,
        bisect_releases,
        check,
        compare,
        load_case,
        matrix,
        reduce,
    )

__version__ = "0.1.0"
__all__ = [
    "Baseline",
    "BisectedCommits",
    "BisectedReleases",
    "Case",
    "CheckResult",
    "Comparison",
    "Matrix",
    "Reduction",
    "ReductionStep",
    "UserError",
    "__version__",
    "bisect_commits",
    "bisect_releases",
    "check",
    "compare",
    "load_case",
    "matrix",
    "minimize",
    "reduce",
]
_ELSEWHERE = {
    **dict.fromkeys(("Baseline", "Case"), "flybisect.case.case"),
    "UserError": "flybisect.errors",
    "minimize": "flybisect.reduce.minimize",
    "ReductionStep": "flybisect.reduce.reduction_state",
}
"""Modules of the names that are not in `flybisect.workflows.api`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_ELSEWHERE.get(name, "flybisect.workflows.api")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _CallableRoom(ModuleType):
    """The room `reduce/`, which is called as the function of its name.

    Importing anything of the room binds `flybisect.reduce` to the room, and a function of that name would be
    gone. So the name always stands for the room, from the start, and calling it calls the function.
    """

    @property
    def __wrapped__(self) -> Any:
        """The function; `inspect.signature` looks here."""
        return import_module("flybisect.workflows.api").reduce

    __call__ = __wrapped__


import_module("flybisect.reduce").__class__ = _CallableRoom
