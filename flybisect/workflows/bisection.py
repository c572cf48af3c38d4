"""From a command line to what a bisection needs: the case, its session, an observer."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from flybisect.bisect.endpoints import EndpointOracle
from flybisect.bisect.observer import Observer
from flybisect.case.case import UNNAMED, Case, merge
from flybisect.case.workdir import SESSIONS
from flybisect.errors import UserError
from flybisect.git.repository import Repository
from flybisect.observation import Answer, Signature, Verdict
from flybisect.oracle.plugin import Evidence, Oracle
from flybisect.probe.prober import Prober
from flybisect.probe.smoke import smoke_test
from flybisect.session.last_reduction import last_reduction
from flybisect.session.session import Session, open_session
from flybisect.toolchain.index import releases
from flybisect.toolchain.source import SourceBuilder
from flybisect.toolchain.store import Notify
from flybisect.workflows.prepare import PreparedCase, workdir_of
from flybisect.workflows.workers import Stoppable, building, probing

SESSION = ("bisection",)
"""In place of toolchain keys: bisections of one case share a journal, whatever range they are about."""


@dataclass(frozen=True)
class OpenBisection:
    """A bisection that can begin."""

    session: Session
    observer: Observer
    measure: EndpointOracle
    runner: Prober


def studied(options: Case) -> Case:
    """Options that name a script: theirs, else that of the last reduction with all that is known of it.

    Raises UserError where no script is named and nothing was reduced.
    """
    if options.script != UNNAMED:
        return options
    last = last_reduction(workdir_of(options.workdir, Path.cwd()))
    return merge(options, replace(last, flydsl=None, valid_on=()))


def versions_in(
    text: str, prepared: PreparedCase, *, pre: bool, extra_index_url: str | None, notify: Notify
) -> Sequence[str]:
    """The releases of a range `A..B`, oldest first, at least two. Raises UserError."""
    first, dots, last = text.partition("..")
    if not dots or not first or not last:
        raise UserError(f"{text!r} is no range of releases; write it as 0.2.4..0.5.0")
    known = releases(prepared.workdir, extra_index_url=extra_index_url, notify=notify)
    return known.between(first, last, pre=pre)


@contextmanager
def open_bisection(
    prepared: PreparedCase, notify: Notify, wanted: Signature | None = None
) -> Iterator[OpenBisection]:
    """`wanted`: of the bug, where it is known. Raises UserError where no oracle is named or another run has
    the session."""
    measure = EndpointOracle(prepared.known_plugin, prepared.options, wanted)
    with _opened(prepared, measure.observer(), notify) as (session, observer, runner):
        yield OpenBisection(session, observer, measure, runner)


def source_builder(
    repository: Repository,
    prepared: PreparedCase,
    study: OpenBisection,
    mlir_path: Path | None,
    notify: Notify,
) -> Stoppable:
    """What builds commits of the clone; a new build has to compile a kernel before it is believed."""
    cores = len(os.sched_getaffinity(0))
    local = SourceBuilder(
        repo=repository.folder,
        workdir=prepared.workdir,
        mlir_path=mlir_path,
        jobs=max(1, cores // prepared.jobs),
        notify=notify,
        rocm=prepared.toolchains.rocm(),
        smoke=smoke_test(study.runner),
    )
    return building(study.runner, local)


@contextmanager
def open_table(prepared: PreparedCase, notify: Notify) -> Iterator[tuple[Observer, EndpointOracle | None]]:
    """The same where an oracle may be missing: then nothing but failures and figures is looked at."""
    measure = None
    if prepared.plugin is not None:
        measure = EndpointOracle(prepared.plugin, prepared.options)
    elif prepared.options.given() or prepared.options.compares:
        names = ", ".join(f"--{name}" for name in sorted(prepared.options.given())) or "--against-…"
        raise UserError(f"{names} is for an oracle, and none is named; add one, as --oracle auto")
    oracle = Anything() if measure is None else measure.observer()
    with _opened(prepared, oracle, notify) as (_, observer, _):
        yield observer, measure


@dataclass(frozen=True)
class Anything(Oracle):
    """Stands for an oracle where only failures and figures are wanted."""

    name: str = "anything"

    def judge(self, evidence: Evidence) -> Verdict:
        return Verdict(Answer.UNRESOLVED)


@contextmanager
def _opened(
    prepared: PreparedCase, oracle: Oracle, notify: Notify
) -> Iterator[tuple[Session, Observer, Prober]]:
    with (
        open_session(prepared.workdir, prepared.case, prepared.source, SESSION) as session,
        probing(prepared.case.scheduler, prepared.jobs, hidden=[prepared.workdir / SESSIONS]) as (runner, _),
    ):
        for warning in session.warnings:
            notify(warning)
        yield session, Observer(prepared.studied, oracle, runner, session.journal), runner
