"""The steps of a run that are about releases: the boundary, the table, other arguments."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flybisect.bisecting import matrix
from flybisect.bisecting.looks import Looks
from flybisect.bisecting.observer import Observer, Study
from flybisect.bisecting.releases import ReleaseAnswer, ReleaseSearch
from flybisect.bisecting.sides import Find
from flybisect.bisecting.start import Anything, Open
from flybisect.bisecting.tried import Tried
from flybisect.errors import UserError
from flybisect.observation import Signature
from flybisect.report.failure import failure_line
from flybisect.running.falling import Falling, Watch
from flybisect.search.bisect import Side
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.store import Notify
from flybisect.workbench import Stand


@dataclass(frozen=True)
class Scripts:
    """The reduced script and the unreduced one, each with what is known of its case."""

    reduced: Stand
    whole: Stand | None
    """None where nothing was reduced: then `reduced` is the script as it is."""
    signature: Signature | None
    """The pinned one."""


def falling(scripts: Scripts, study: Open, watch: Watch) -> Falling:
    """The unreduced script stands in only where the oracle judges by itself: with a bound that the ends
    give, figures of two scripts would be compared."""
    own = study.measure.own()
    whole = None
    if scripts.whole is not None and own is not None:
        whole = whole_observer(scripts, study)
    return Falling(study.observer, whole, own or study.measure.observer(), scripts.signature, watch)


def whole_observer(scripts: Scripts, study: Open) -> Observer:
    """Of the unreduced script. Its observations go into the same journal: a probe holds its script."""
    stand = scripts.whole or scripts.reduced
    whole = Study(stand.case, stand.source, stand.case.argv, stand.arch, stand.base)
    return Observer(whole, study.measure.observer(), study.runner, study.session.journal)


def bisect_releases(
    versions: Sequence[str],
    scripts: Scripts,
    study: Open,
    find: Find | None,
    watch: Watch,
    notify: Notify,
) -> tuple[ReleaseAnswer, Falling, str]:
    """The answer, who judged, and a sentence about that. Raises UserError.

    A reduced script shows the bug by a narrow margin at times. So the two releases of the boundary are
    judged by the unreduced script as well, and where it says otherwise, it judges them all.
    """
    judged = falling(scripts, study, watch)
    answer = _search(versions, scripts.reduced, study, judged, find, notify)
    if scripts.whole is None or study.measure.own() is None:
        return answer, judged, ""
    whole = whole_observer(scripts, study)
    looks = Looks(whole, answer.rule, notify, study.session.journal)
    looks.settler.runs = answer.steadiness.runs
    sides = []
    for version in (answer.before, answer.after):
        toolchain = scripts.reduced.toolchains.get(version)
        watch(toolchain)
        sides.append(looks.again(toolchain)[0])
    expected = [answer.side(version) for version in (answer.before, answer.after)]
    if sides == expected or Side.SKIP in sides:
        agrees = "; the unreduced script says the same of both" if sides == expected else ""
        return answer, judged, agrees
    alone = Falling(whole, None, study.measure.observer(), scripts.signature, watch)
    answer = _search(versions, scripts.reduced, study, alone, find, notify)
    alone.fell.update({each.toolchain.key: each.name for each in answer.tried if each.toolchain is not None})
    return answer, alone, "; by the unreduced script, since the reduced one tells them apart elsewhere"


def _search(
    versions: Sequence[str],
    stand: Stand,
    study: Open,
    observer: Observer,
    find: Find | None,
    notify: Notify,
) -> ReleaseAnswer:
    search = ReleaseSearch(versions, stand.toolchains, observer, study.measure, notify, study.session.journal)
    return search.run(find, stand.jobs)


def table(versions: Sequence[str], stand: Stand, study: Open, judged: Falling) -> dict[str, Any]:
    """Each release by itself, as `flybisect matrix` has it, with the base's figures."""

    def row(at: int, version: str, toolchain: Toolchain) -> dict[str, Any]:
        evidence = judged.observe(toolchain)
        data = _data(matrix.row(at, version, toolchain, evidence, study.measure))
        if evidence.base is not None:
            data["metrics"] |= {f"base.{k}": v for k, v in evidence.base.metrics().items()}
        return data

    rows = _each(versions, stand, row)
    fell = [version for version in versions if version in judged.fell.values()]
    return {"releases": rows, "unreduced": fell}


def variant(versions: Sequence[str], argv: tuple[str, ...], scripts: Scripts, study: Open) -> dict[str, Any]:
    """The unreduced script under other arguments: what it gives, judged by nothing but failure."""
    stand = scripts.whole or scripts.reduced
    case = replace(stand.case, argv=argv, against=None)
    study_of = Study(case, stand.source, argv, stand.arch)
    observer = Observer(study_of, Anything(), study.runner, study.session.journal)
    # Both ends first: how long a trial takes there bounds the others.
    observer.ends(*(stand.toolchains.get(version) for version in (versions[0], versions[-1])))

    def row(at: int, version: str, toolchain: Toolchain) -> dict[str, Any]:
        return _data(matrix.row(at, version, toolchain, observer.observe(toolchain), None))

    return {"args": shlex.join(argv), "releases": _each(versions, stand, row)}


def _each(
    versions: Sequence[str], stand: Stand, row: Callable[[int, str, Toolchain], dict[str, Any]]
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


def _data(row: Tried) -> dict[str, Any]:
    failure = None if row.observation is None else failure_line(row.observation)
    return {"version": row.name, **row.to_dict(), "failure": failure}


def _missing(version: str, why: str) -> dict[str, Any]:
    return {"version": version, "side": "skip", "why": why, "signature": None, "metrics": {}, "failure": None}
