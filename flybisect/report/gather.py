"""Everything known about a session's bug. What is missing is compiled, and kept in the session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flybisect.case.atomic_file import read_text
from flybisect.case.workdir import SESSIONS
from flybisect.git.repository import Repository
from flybisect.oracle.follow import FOLLOWED
from flybisect.oracle.plugin import Oracle
from flybisect.probe.runner import Runner
from flybisect.session.listing import SessionEntry, bisections_of, sessions
from flybisect.session.parts import Part, load_part, save_part
from flybisect.toolchain.rocm import find_rocm
from flybisect.toolchain.store import Notify
from flybisect.workflows.curve import curve_of
from flybisect.workflows.dump import Dump, dump
from flybisect.workflows.environment import Environment, environment
from flybisect.workflows.findings import Findings, RunStep, Script
from flybisect.workflows.prepare import PreparedCase, reopened
from flybisect.workflows.shown import as_data, from_data, show


def gather(entry: SessionEntry, workdir: Path, repository: Repository | None, notify: Notify) -> Findings:
    """Raises UserError where the session holds too little, or its toolchain is unavailable."""
    entry = _reduction_of(entry, sessions(workdir))
    bisected = _bisected(entry, sessions(workdir))
    bench = bench_of(entry, workdir, notify, bisected)
    original, reduced, symptom = _scripts(entry, bench, notify)
    commits = bisected.get("commits")
    return Findings(
        folder=entry.folder,
        case=entry.case if followed(entry) else bench.case,
        oracle=bench.oracle.name,
        signature=entry.result.get("signature") or _first(bisected, "signature"),
        condition=_condition(bench.oracle, bisected),
        base=bench.base_name,
        flydsl=bench.subject.toolchain.version,
        arch=bench.subject.arch,
        original=original,
        reduced=reduced,
        symptom=symptom,
        environment=_environment(entry, bench, repository),
        reduction=entry.result if "output" in entry.result else None,
        releases=bisected.get("releases"),
        matrix=load_part(entry.folder, Part.MATRIX),
        variants=tuple(load_part(entry.folder, Part.VARIANTS) or ()),
        commits=commits,
        bisect_log=_log(commits),
        steps=tuple(RunStep(**each) for each in load_part(entry.folder, Part.STEPS) or ()),
        curve=tuple(curve_of(entry.folder)),
        dump=_dump(entry, bench, (reduced or original).text, notify),
        unreduced=tuple((load_part(entry.folder, Part.MATRIX) or {}).get("unreduced", ())),
    )


def bench_of(
    entry: SessionEntry, workdir: Path, notify: Notify, bisected: Mapping[str, Any] | None = None
) -> PreparedCase:
    """What the session's script is compiled with; of a bisection the newest FlyDSL that shows the bug."""
    case = entry.case
    if "oracle" in entry.result and case.oracle == "auto":
        case = replace(case, oracle=entry.result["oracle"])
    if followed(entry):
        case = replace(case, oracle=FOLLOWED, when=entry.result["condition"], figure=None)
    if entry.result.get("valid_on"):
        case = replace(case, valid_on=tuple(entry.result["valid_on"]))
    if not entry.reduces:
        case = replace(case, flydsl=_bad_release(bisected or {}) or case.flydsl)
    return reopened(case, read_text(entry.folder / "input.py"), workdir, notify)


def followed(entry: SessionEntry) -> bool:
    """Whether its reduction followed a figure in place of the oracle's own condition."""
    return entry.result.get("figure") is not None


def _reduction_of(entry: SessionEntry, among: list[SessionEntry]) -> SessionEntry:
    """A bisection of a reduced script belongs to that reduction."""
    if not entry.bisects:
        return entry
    scripts = {entry.case.script.absolute()}
    owners = [each for each in among if each.reduces and Path(each.result.get("output", "")) in scripts]
    return owners[-1] if owners else entry


def _bisected(entry: SessionEntry, among: list[SessionEntry]) -> dict[str, Any]:
    """`releases` and `commits`: those of `flybisect run`, else the latest of the same script."""
    found: dict[str, Any] = {}
    own = [Path(entry.result["output"])] if "output" in entry.result else []
    for scripts in ([entry.case.script], own):
        for each in bisections_of(scripts, among):
            found.update({name: each.result[name] for name in ("releases", "commits") if name in each.result})
    for name, part in (("releases", Part.RELEASES), ("commits", Part.COMMITS)):
        stored = load_part(entry.folder, part)
        if stored is not None:
            found[name] = stored
    return found


def _bad_release(bisected: Mapping[str, Any]) -> str | None:
    tests = (bisected.get("releases") or {}).get("tests", ())
    bad = [test["name"] for test in tests if test["side"] == "bad"]
    return bad[-1] if bad else None


def _scripts(
    entry: SessionEntry, bench: PreparedCase, notify: Notify
) -> tuple[Script, Script | None, Script | None]:
    """The unreduced one, the reduced one, and the one with the symptom."""
    best = entry.folder / "best.py" if "output" in entry.result else None
    symptom = (entry.result.get("figure") or {}).get("symptom_script")
    paths = [best, None if symptom is None else entry.folder / "symptom.py"]
    others = [read_text(path) if path is not None and path.is_file() else None for path in paths]
    texts = [bench.source, *(text for text in others if text is not None)]
    stored = [from_data(each) for each in load_part(entry.folder, Part.SHOWN) or ()]
    known = {each.text: each for each in stored if each is not None and _fits(each, bench)}
    if any(text not in known for text in texts):
        notify("compiling the script to read its figures and failures")
        with _prober(bench.workdir) as prober:
            for text in texts:
                if text not in known:
                    title = bench.base_name
                    known[text] = show(bench.case, text, bench.subject, bench.base, title, prober)
        save_part(entry.folder, Part.SHOWN, [as_data(known[text]) for text in texts])
    reduced, with_symptom = (None if text is None else known[text] for text in others)
    return known[bench.source], reduced, with_symptom


def _dump(entry: SessionEntry, bench: PreparedCase, text: str, notify: Notify) -> Dump | None:
    """Kept with the text that it is of; `null` where there is none."""
    stored = load_part(entry.folder, Part.DUMP)
    if isinstance(stored, dict) and stored.get("text") == text:
        return Dump.from_dict(stored["dump"])
    notify("finding the stage at which the script fails")
    with _prober(bench.workdir) as prober:
        found = dump(bench, text, prober)
    save_part(entry.folder, Part.DUMP, {"text": text, "dump": None if found is None else found.to_dict()})
    return found


@contextmanager
def _prober(workdir: Path) -> Iterator[Runner]:
    with (
        TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as scratch,
        Runner(Path(scratch), jobs=1, hidden=[workdir / SESSIONS]) as runner,
    ):
        yield runner


def _fits(script: Script, bench: PreparedCase) -> bool:
    columns = 1 if bench.base is None else 2
    return len(script.columns) == columns and script.observation.flydsl == bench.subject.toolchain.version


def _environment(entry: SessionEntry, bench: PreparedCase, repository: Repository | None) -> Environment:
    stored = load_part(entry.folder, Part.ENVIRONMENT)
    if isinstance(stored, dict):
        try:
            known = Environment.from_dict(stored)
            if known.flydsl == bench.subject.toolchain.version and (known.flydsl_commit or not repository):
                return known
        except TypeError:
            pass
    found = environment(bench.subject.toolchain, find_rocm(bench.workdir).version, repository)
    save_part(entry.folder, Part.ENVIRONMENT, found.to_dict())
    return found


def _condition(oracle: Oracle, bisected: Mapping[str, Any]) -> str | None:
    return oracle.condition or _first(bisected, "bound")


def _first(bisected: Mapping[str, Any], name: str) -> str | None:
    return next((found[name] for found in bisected.values() if found and found.get(name)), None)


def _log(commits: Mapping[str, Any] | None) -> str | None:
    try:
        return read_text(Path(commits["log"])) if commits and commits.get("log") else None
    except OSError:
        return None
