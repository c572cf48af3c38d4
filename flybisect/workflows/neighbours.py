"""Reducing against releases that do not have the bug."""

from __future__ import annotations

from dataclasses import replace

from flybisect.case.request import CaseRequest
from flybisect.errors import UserError
from flybisect.judge.judge import Judge
from flybisect.session.known_boundaries import known_boundary
from flybisect.toolchain.store import Notify
from flybisect.workflows import reduce as reducing
from flybisect.workflows.prepare import PreparedReduction, prepare, requirement


def with_boundary(
    bench: PreparedReduction, request: CaseRequest, notify: Notify
) -> tuple[PreparedReduction, bool]:
    """The bench with what an earlier search over releases found, and whether neighbours are from there.

    Where the FlyDSL that was asked for does not have the bug any more, that is the last release which has it.
    The neighbours are what a reduced script has to compile on. Raises UserError as `prepare` does.
    """
    known = known_boundary(bench.workdir, bench.case, bench.script)
    if known is None:
        return bench, False
    version = bench.subject.toolchain.version
    if known.fixed is not None and known.fixed_before(version):
        last, first = known.fixed
        notify(f"FlyDSL {version}: the bug was fixed in {first}; reduced on {last}, the last release with it")
        bench = prepare(replace(request, flydsl=last), notify)
    if bench.case.valid_on:
        return bench, False
    names = tuple(name for name in known.neighbours if name != bench.subject.toolchain.version)
    return replace(bench, case=replace(bench.case, valid_on=names)), bool(names)


def hold_to(judge: Judge, bench: PreparedReduction, notify: Notify, *, insist: bool) -> list[str]:
    """Hold candidates to compile on what the case names in `valid_on`.

    Of those that the unreduced script does not compile on itself, a sentence each; UserError where it is to
    `insist`.
    """
    left_out = []
    for spec in bench.case.valid_on:
        try:
            reducing.require(judge, bench.source, requirement(bench, spec, notify))
        except UserError as error:
            if insist:
                raise
            left_out.append(str(error))
            notify(str(error))
    return left_out
