"""From a command line to what a bisection needs: the case, its session, an observer."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flybisect.bisect.endpoints import EndpointOracle
from flybisect.bisect.observer import Observer, StudiedCase
from flybisect.case.case import NOTHING_MORE, Against, Sought
from flybisect.case.request import CaseRequest
from flybisect.case.variables import Variables, joined
from flybisect.case.workdir import SESSIONS
from flybisect.errors import UserError
from flybisect.git.repository import Repository
from flybisect.observation import Answer, Signature, Verdict
from flybisect.oracle.plugin import Evidence, Oracle
from flybisect.oracle.registry import listing
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


def case_request(
    given: Path | None,
    workdir: Path | None,
    *,
    argv: tuple[str, ...] | None,
    arch: str | None,
    oracle: str | None,
    against: Against | None,
    when: str | None,
    timeout: float | None,
    memory: int | None,
    jobs: int | None,
    sought: Sought = NOTHING_MORE,
    scheduler: str | None = None,
    env: Variables = (),
) -> CaseRequest:
    """What is studied: what `given` names, else what was reduced last. Options go before its own.

    Raises UserError where nothing was named and nothing reduced.
    """
    if given is not None:
        return CaseRequest(
            given,
            argv,
            arch,
            None,
            oracle,
            against,
            when,
            timeout,
            memory,
            jobs,
            workdir,
            sought,
            scheduler,
            env,
        )
    last = last_reduction(workdir_of(workdir, Path.cwd()))
    return CaseRequest(
        script=last.script,
        argv=last.argv if argv is None else argv,
        arch=arch or last.arch,
        oracle=oracle or last.oracle,
        against=against or last.against,
        when=when or last.when,
        timeout=last.timeout if timeout is None else timeout,
        memory=last.memory if memory is None else memory,
        jobs=jobs,
        workdir=workdir,
        sought=sought.before(last.sought),
        scheduler=scheduler,
        env=joined(env, last.env),
    )


def versions_in(
    text: str, stand: PreparedCase, *, pre: bool, extra_index_url: str | None, notify: Notify
) -> Sequence[str]:
    """The releases of a range `A..B`, oldest first, at least two. Raises UserError."""
    first, dots, last = text.partition("..")
    if not dots or not first or not last:
        raise UserError(f"{text!r} is no range of releases; write it as 0.2.4..0.5.0")
    known = releases(stand.workdir, extra_index_url=extra_index_url, notify=notify)
    return known.between(first, last, pre=pre)


@contextmanager
def open_bisection(
    stand: PreparedCase, notify: Notify, wanted: Signature | None = None
) -> Iterator[OpenBisection]:
    """`wanted`: of the bug, where it is known. Raises UserError where no oracle is named or another run has
    the session."""
    if stand.plugin is None:
        names = ", ".join(plugin.name for plugin in listing().plugins)
        raise UserError(
            f"which oracle judges is not known: the command line and the case file name none; add --oracle, "
            f"one of {names}, or the path of a .py or .yaml"
        )
    measure = EndpointOracle(stand.plugin, stand.options, wanted)
    with _opened(stand, measure.observer(), notify) as (session, observer, runner):
        yield OpenBisection(session, observer, measure, runner)


def source_builder(
    repository: Repository, stand: PreparedCase, study: OpenBisection, mlir_path: Path | None, notify: Notify
) -> Stoppable:
    """What builds commits of the clone; a new build has to compile a kernel before it is believed."""
    cores = len(os.sched_getaffinity(0))
    local = SourceBuilder(
        repo=repository.folder,
        workdir=stand.workdir,
        mlir_path=mlir_path,
        jobs=max(1, cores // stand.jobs),
        notify=notify,
        rocm=stand.toolchains.rocm(),
        smoke=smoke_test(study.runner),
    )
    return building(study.runner, local)


@contextmanager
def open_table(stand: PreparedCase, notify: Notify) -> Iterator[tuple[Observer, EndpointOracle | None]]:
    """The same where an oracle may be missing: then nothing but failures and figures is looked at."""
    measure = None
    if stand.plugin is not None:
        measure = EndpointOracle(stand.plugin, stand.options)
    elif stand.options.given() or stand.options.compares:
        names = ", ".join(f"--{name}" for name in sorted(stand.options.given())) or "--against-…"
        raise UserError(f"{names} is for an oracle, and none is named; add one, as --oracle auto")
    oracle = Anything() if measure is None else measure.observer()
    with _opened(stand, oracle, notify) as (_, observer, _):
        yield observer, measure


@dataclass(frozen=True)
class Anything(Oracle):
    """Stands for an oracle where only failures and figures are wanted."""

    name: str = "anything"

    def judge(self, evidence: Evidence) -> Verdict:
        return Verdict(Answer.UNRESOLVED)


@contextmanager
def _opened(
    stand: PreparedCase, oracle: Oracle, notify: Notify
) -> Iterator[tuple[Session, Observer, Prober]]:
    study = StudiedCase(stand.case, stand.source, stand.case.argv, stand.arch, stand.base)
    with (
        open_session(stand.workdir, stand.case, stand.source, SESSION) as session,
        probing(stand.scheduler, stand.jobs, hidden=[stand.workdir / SESSIONS]) as (runner, _),
    ):
        for warning in session.warnings:
            notify(warning)
        yield session, Observer(study, oracle, runner, session.journal), runner
