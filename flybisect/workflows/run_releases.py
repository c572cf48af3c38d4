"""The steps of a run that are about releases: who judges, the table, other arguments."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flybisect.bisect import matrix
from flybisect.bisect.around import Around
from flybisect.bisect.endpoints import EndpointRule, Find
from flybisect.bisect.observer import FIRST_LOOK, Observer, StudiedCase
from flybisect.bisect.test_record import TestRecord
from flybisect.case.limits import FACTOR
from flybisect.errors import UserError
from flybisect.observation import Outcome, Signature
from flybisect.oracle.failure_line import failure_line
from flybisect.oracle.plugin import Evidence
from flybisect.search.bisect import Side
from flybisect.toolchain.model import Toolchain
from flybisect.workflows.bisection import Anything, OpenBisection
from flybisect.workflows.fallback import Fallback, Watch
from flybisect.workflows.prepare import PreparedCase


@dataclass(frozen=True)
class Scripts:
    """The reduced script and the unreduced one, each with what is known of its case."""

    reduced: PreparedCase
    whole: PreparedCase | None
    """None where nothing was reduced: then `reduced` is the script as it is."""
    signature: Signature | None
    """The pinned one."""
    first: Evidence | None = None
    """What the unreduced script shows under study, where that is the bug."""


def falling(scripts: Scripts, study: OpenBisection, watch: Watch, *, alone: bool = False) -> Fallback:
    """The unreduced script stands in only where the oracle judges by itself: with a bound that the ends
    give, figures of two scripts would be compared. `alone`: it judges everything."""
    own = study.measure.own()
    oracle = own or study.measure.observer()
    if alone:
        return Fallback(whole_observer(scripts, study), None, oracle, scripts.signature, watch, alone=True)
    whole = None
    if scripts.whole is not None and own is not None:
        whole = whole_observer(scripts, study)
    return Fallback(study.observer, whole, oracle, scripts.signature, watch)


def whole_observer(scripts: Scripts, study: OpenBisection) -> Observer:
    """Of the unreduced script. Its observations go into the same journal: a probe holds its script."""
    stand = scripts.whole or scripts.reduced
    case, first = stand.case, None if scripts.first is None else scripts.first.subject
    if case.timeout is None and first is not None and first.outcome is not Outcome.TIMEOUT:
        case = replace(case, timeout=max(FIRST_LOOK, FACTOR * first.seconds))
    whole = StudiedCase(case, stand.source, case.argv, stand.arch, stand.base)
    return Observer(whole, study.measure.observer(), study.runner, study.session.journal)


def judging(
    versions: Sequence[str], scripts: Scripts, study: OpenBisection, found: Around | None, watch: Watch
) -> tuple[Fallback, str]:
    """Who judges the releases of a table, and a sentence about that.

    A reduced script shows the bug by a narrow margin at times. So the releases beside each boundary are
    judged by it first, and where it says otherwise than the unreduced one, that judges them all.
    """
    judged = falling(scripts, study, watch)
    # Both ends first: how long a trial takes there bounds the others.
    judged.ends(*(scripts.reduced.toolchains.get(version) for version in (versions[0], versions[-1])))
    rule = _rule(scripts, study)
    if scripts.whole is None or found is None or rule is None:
        return judged, ""
    for answer in found.answers:
        for version in (answer.before, answer.after):
            side = rule.judge(judged.observe(scripts.reduced.toolchains.get(version)))[0]
            if side not in (answer.side(version), Side.SKIP):
                told = ", since the reduced one tells releases apart elsewhere"
                return falling(scripts, study, watch, alone=True), told
    return judged, ""


def table(
    versions: Sequence[str], scripts: Scripts, study: OpenBisection, judged: Fallback
) -> dict[str, Any]:
    """Each release by itself, as `flybisect matrix` has it, with the base's figures. One shows the bug where
    it shows the pinned signature; another failure is another one."""
    stand, rule = scripts.reduced, _rule(scripts, study)

    def row(at: int, version: str, toolchain: Toolchain) -> dict[str, Any]:
        evidence = judged.observe(toolchain)
        tried = matrix.row(at, version, toolchain, evidence, study.measure)
        if rule is not None:
            side, verdict = rule.judge(evidence)
            tried = replace(tried, side=side, verdict=verdict)
        data = _data(tried)
        if evidence.baseline is not None:
            data["metrics"] |= {f"base.{k}": v for k, v in evidence.baseline.metrics().items()}
        return data

    rows = _each(versions, stand, row)
    fell = [version for version in versions if judged.alone or version in judged.fell.values()]
    return {"releases": rows, "unreduced": fell}


def _rule(scripts: Scripts, study: OpenBisection) -> EndpointRule | None:
    """By what the unreduced script shows under study; None where that is not known, or the oracle does not
    judge by itself."""
    own = study.measure.own()
    if own is None or scripts.first is None:
        return None
    return EndpointRule(own, scripts.first, scripts.signature, Find.BUG)


def variant(
    versions: Sequence[str], argv: tuple[str, ...], scripts: Scripts, study: OpenBisection
) -> dict[str, Any]:
    """The unreduced script under other arguments: what it gives, judged by nothing but failure."""
    stand = scripts.whole or scripts.reduced
    case = replace(stand.case, argv=argv, against=None)
    study_of = StudiedCase(case, stand.source, argv, stand.arch)
    observer = Observer(study_of, Anything(), study.runner, study.session.journal)
    # Both ends first: how long a trial takes there bounds the others.
    observer.ends(*(stand.toolchains.get(version) for version in (versions[0], versions[-1])))

    def row(at: int, version: str, toolchain: Toolchain) -> dict[str, Any]:
        return _data(matrix.row(at, version, toolchain, observer.observe(toolchain), None))

    return {"args": shlex.join(argv), "releases": _each(versions, stand, row)}


def _each(
    versions: Sequence[str], stand: PreparedCase, row: Callable[[int, str, Toolchain], dict[str, Any]]
) -> list[dict[str, Any]]:
    """A row for each release; one that can't be had says why in its own."""
    rows = []
    for at, version in enumerate(versions):
        try:
            toolchain = stand.toolchains.get(version)
        except UserError as error:
            rows.append(_missing(version, str(error)))
        else:
            rows.append(row(at, version, toolchain))
    return rows


def _data(row: TestRecord) -> dict[str, Any]:
    failure = None if row.observation is None else failure_line(row.observation)
    return {"version": row.name, **row.to_dict(), "failure": failure}


def _missing(version: str, why: str) -> dict[str, Any]:
    return {"version": version, "side": "skip", "why": why, "signature": None, "metrics": {}, "failure": None}
