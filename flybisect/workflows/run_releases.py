"""The steps of a run that are about releases: who judges, the table, other arguments."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flybisect.bisect import matrix
from flybisect.bisect.around import Around
from flybisect.bisect.endpoints import EndpointRule, Find
from flybisect.bisect.observer import FIRST_LOOK, Observer
from flybisect.bisect.test_record import TestRecord
from flybisect.case.limits import FACTOR
from flybisect.observation import Outcome, Signature
from flybisect.oracle.failure_line import failure_line
from flybisect.oracle.plugin import Evidence
from flybisect.search.bisect import Side
from flybisect.toolchain.model import Toolchain
from flybisect.workflows.bisection import Anything, OpenBisection
from flybisect.workflows.fallback import Fallback, Watch
from flybisect.workflows.matrix import record_of, try_ends
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
    prepared = scripts.whole or scripts.reduced
    case, first = prepared.case, None if scripts.first is None else scripts.first.subject
    if case.timeout is None and first is not None and first.outcome is not Outcome.TIMEOUT:
        case = replace(case, timeout=max(FIRST_LOOK, FACTOR * first.seconds))
    return Observer(
        replace(prepared, case=case).studied, study.measure.observer(), study.runner, study.session.journal
    )


def judging(
    versions: Sequence[str], scripts: Scripts, study: OpenBisection, found: Around | None, watch: Watch
) -> tuple[Fallback, str]:
    """Who judges the releases of a table, and a sentence about that.

    A reduced script shows the bug by a narrow margin at times. So the releases beside each boundary are
    judged by it first, and where it says otherwise than the unreduced one, that judges them all.
    """
    judged = falling(scripts, study, watch)
    try_ends(versions, scripts.reduced.toolchains, judged)
    rule = _rule(scripts, study)
    if scripts.whole is None or found is None or rule is None:
        return judged, ""
    for answer in found.answers:
        for version in (answer.before, answer.after):
            side = rule.judge(judged.observe(scripts.reduced.toolchains.get(version)))[0]
            if side not in (answer.side(version), Side.SKIP):
                why = ", because the reduced one shows the boundary at another place"
                return falling(scripts, study, watch, alone=True), why
    return judged, ""


def table(
    versions: Sequence[str], scripts: Scripts, study: OpenBisection, judged: Fallback
) -> dict[str, Any]:
    """Each release by itself, as `flybisect matrix` has it, with the base's figures. One shows the bug where
    it shows the pinned signature; another failure is another one."""
    prepared, rule = scripts.reduced, _rule(scripts, study)

    def row(at: int, version: str, toolchain: Toolchain) -> TestRecord:
        evidence = judged.observe(toolchain)
        if evidence.baseline is not None:
            base[version] = {f"base.{key}": value for key, value in evidence.baseline.metrics().items()}
        found = matrix.row(at, version, toolchain, evidence, study.measure)
        if rule is None:
            return found
        side, verdict = rule.judge(evidence)
        return replace(found, side=side, verdict=verdict)

    base: dict[str, dict[str, float]] = {}
    rows = _each(versions, prepared, row)
    for data in rows:
        data["metrics"] |= base.get(data["version"], {})
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
    prepared = scripts.whole or scripts.reduced
    other = replace(prepared, case=replace(prepared.case, argv=argv, baseline=None))
    observer = Observer(other.studied, Anything(), study.runner, study.session.journal)
    try_ends(versions, prepared.toolchains, observer)

    def row(at: int, version: str, toolchain: Toolchain) -> TestRecord:
        return matrix.row(at, version, toolchain, observer.observe(toolchain), None)

    return {"args": shlex.join(argv), "releases": _each(versions, prepared, row)}


def _each(
    versions: Sequence[str], prepared: PreparedCase, row: Callable[[int, str, Toolchain], TestRecord]
) -> list[dict[str, Any]]:
    found = [record_of(at, version, prepared.toolchains, row) for at, version in enumerate(versions)]
    return [_data(each) for each in found]


def _data(row: TestRecord) -> dict[str, Any]:
    failure = None if row.observation is None else failure_line(row.observation)
    return {"version": row.name, **row.to_dict(), "failure": failure}
