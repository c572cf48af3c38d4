"""What a command line says of a case, and what goes for it where it says nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from flybisect.case.case import (
    NOTHING_MORE,
    Against,
    Case,
    Sought,
)
from flybisect.case.defaults import Defaults
from flybisect.case.variables import Variables, joined

Said = TypeVar("Said")


@dataclass(frozen=True)
class CaseRequest:
    """What the command line says. None: it does not, and the case file or `flybisect.yaml` may."""

    script: Path
    """A script, a folder with a `case.yaml`, a case file, or a test as `test_x.py::test_y[64]`."""
    argv: tuple[str, ...] | None = None
    arch: str | None = None
    flydsl: str | None = None
    oracle: str | None = None
    against: Against | None = None
    when: str | None = None
    timeout: float | None = None
    """Wall seconds per trial."""
    memory: int | None = None
    """MiB per trial."""
    jobs: int | None = None
    workdir: Path | None = None
    sought: Sought = NOTHING_MORE
    scheduler: str | None = None
    """Address of a Dask scheduler, as `tcp://host:8786`; None: trials run on this machine."""
    env: Variables = ()
    """They go before the case's, name by name."""
    valid_on: tuple[str, ...] = ()
    """FlyDSLs that a reduced script has to compile on; empty: the case file may say."""


def settled(case: Case, request: CaseRequest, defaults: Defaults) -> Case:
    """Options go before the case file, which goes before `flybisect.yaml`."""
    flydsl = anchored_folder(request.flydsl)
    if flydsl is None:
        flydsl = case.flydsl if case.flydsl != "installed" else defaults.flydsl or "installed"
    return replace(
        case,
        argv=case.argv if request.argv is None else request.argv,
        env=joined(request.env, case.env),
        flydsl=flydsl,
        oracle=_first(_anchored_file(request.oracle), case.oracle, defaults.oracle),
        against=_first(request.against, case.against),
        when=_first(request.when, case.when),
        valid_on=tuple(anchored_folder(each) or each for each in request.valid_on) or case.valid_on,
        sought=request.sought.before(case.sought),
        timeout=_first(request.timeout, case.timeout, defaults.timeout),
        memory=_first(request.memory, case.memory, defaults.memory),
    )


def _first(*said: Said | None) -> Said | None:
    """The first that says anything; an empty text is wrong, and not the same as none."""
    return next((each for each in said if each is not None), None)


def anchored_folder(spec: str | None) -> str | None:
    """A folder by its absolute path, so that the same command from elsewhere is the same case."""
    if not spec or not (os.sep in spec or Path(spec).is_dir()):
        return spec
    return str(Path(spec).expanduser().absolute())


def _anchored_file(spec: str | None) -> str | None:
    if spec is None or not spec.endswith((".py", ".yaml", ".yml")):
        return spec
    return str(Path(spec).expanduser().absolute())
