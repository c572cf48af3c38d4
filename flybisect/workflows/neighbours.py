"""Reducing against releases that do not have the bug."""

from __future__ import annotations

from dataclasses import replace

from flybisect.case.case import Case
from flybisect.errors import UserError
from flybisect.judge.judge import Judge
from flybisect.judge.requirement import Requirement
from flybisect.session.known_boundaries import known_boundary
from flybisect.toolchain.store import Notify
from flybisect.workflows.prepare import PreparedCase, prepare


def with_boundary(prepared: PreparedCase, options: Case, notify: Notify) -> tuple[PreparedCase, bool]:
    """The case with what an earlier search over releases found, and whether neighbours are from there.

    Where the FlyDSL that was asked for does not have the bug any more, that is the last release which has it.
    The neighbours are what a reduced script has to compile on. Raises UserError as `prepare` does.
    """
    known = known_boundary(prepared.workdir, prepared.case, prepared.script)
    if known is None:
        return prepared, False
    version = prepared.subject.toolchain.version
    if known.fixed is not None and known.fixed_before(version):
        last, first = known.fixed
        notify(f"FlyDSL {version}: the bug was fixed in {first}; reduced on {last}, the last release with it")
        prepared = prepare(replace(options, flydsl=last), notify)
    if prepared.case.valid_on:
        return prepared, False
    names = tuple(name for name in known.neighbours if name != prepared.subject.toolchain.version)
    return replace(prepared, case=replace(prepared.case, valid_on=names)), bool(names)


def hold_to(judge: Judge, prepared: PreparedCase, notify: Notify, *, insist: bool) -> list[str]:
    """Hold candidates to compile on what the case names in `valid_on`.

    Of those that the unreduced script does not compile on itself, a sentence each; UserError where it is to
    `insist`.
    """
    left_out = []
    for spec in prepared.case.valid_on:
        try:
            require(judge, prepared.source, prepared.requirement(spec))
        except UserError as error:
            if insist:
                raise
            left_out.append(str(error))
            notify(str(error))
    return left_out


def require(judge: Judge, source: str, requirement: Requirement) -> None:
    """Hold candidates to it. Raises UserError where the unreduced script does not meet it itself."""
    problem = judge.require(source, requirement)
    if problem is not None:
        version = requirement.setting.toolchain.version
        raise UserError(
            f"the script can't be required to compile on FlyDSL {version}: there {problem}; "
            "name a FlyDSL on which it compiles with --valid-on"
        )
