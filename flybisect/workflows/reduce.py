"""One reduction from the pinned script to a checked result, as `flybisect reduce` does it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from flybisect import __version__
from flybisect.case.atomic_file import write_text
from flybisect.case.case import Case
from flybisect.case.flattened_script import FlattenedScript
from flybisect.case.script_file import read_script
from flybisect.case.variables import missing, say_missing
from flybisect.errors import UserError
from flybisect.judge.judge import Judge
from flybisect.judge.statistics import Statistics
from flybisect.observation import Observation, Signature, Verdict
from flybisect.oracle.hint import why_uninteresting
from flybisect.oracle.plugin import Margin, Plugin
from flybisect.oracle.registry import listing
from flybisect.reduce.hint import Pass
from flybisect.reduce.reducer import Reducer, Reduction
from flybisect.reduce.reduction_state import Step
from flybisect.search.reproduction_rate import Rate
from flybisect.session.session import Session, open_session
from flybisect.source.source import count_statements
from flybisect.toolchain.store import Notify
from flybisect.workflows.curve import Curve
from flybisect.workflows.flattened import files_note, notes
from flybisect.workflows.heading import AddHeading, heading_for
from flybisect.workflows.neighbours import hold_to, with_boundary
from flybisect.workflows.output_path import output_path
from flybisect.workflows.prepare import PreparedCase, prepare
from flybisect.workflows.progress import Begun, ShowsReduction

WORTH_PREDICTING = 0.5
"""Seconds of a trial, from which on predicting the next questions takes less than it spares."""

Notice = Callable[[Step], None]


@dataclass(frozen=True)
class AlsoSeen:
    """Another failure of the compiler that a candidate showed."""

    signature: Signature
    script: Path
    """The first such candidate, kept in the session's folder."""


@dataclass(frozen=True)
class Result:
    """What `flybisect reduce` came to. `to_dict` is the object that `--json` prints."""

    input: Path
    output: Path
    session: Path
    oracle: str
    flydsl: str
    arch: str
    argv: tuple[str, ...]
    signature: Signature | None
    verdict: Verdict
    """Of the cold run."""
    observation: Observation
    """Of the reduced script."""
    source: str
    reduced: str
    """Without the comment at its head."""
    minimal: bool
    counts: Statistics
    """Of this run; what an earlier one of the session had tried is among the cache hits."""
    also_seen: tuple[AlsoSeen, ...]
    valid_on: tuple[str, ...] = ()
    """Versions without the bug, on which the reduced script compiles: judged in the cold run, too."""
    rate: Rate | None = None
    """How often the bug showed in runs of one script; None where it was seen in all."""
    missing_variables: tuple[str, ...] = ()
    """That the script reads, and that are set here but not in trials."""
    margins: Mapping[str, Margin] = field(default_factory=dict)
    """By figure: what is left of the difference from the baseline."""

    @property
    def verified_cold(self) -> bool:
        return self.verdict.interesting

    def to_dict(self) -> dict[str, Any]:
        """For `--json` and the session's `result.json`. Keys are kept stable; more may come.

        script, output       absolute path of the reduced script, under both names
        input, session       absolute paths of the script as it was, and of the session's folder
        verdict, why         of the cold run of the reduced script
        metrics              of that run too; `base.NAME` is what it is compared with
        oracle, signature    what was looked for, and what was found
        flydsl, arch, argv   what it was compiled with
        statements_*         `ast.stmt` nodes, before and after, without the comment at the head
        bytes_*              as UTF-8, before and after, without that comment
        compiles             trials of this run that reached FlyDSL, those under the base and the cold ones
                             included, those in `replayed` not; resuming starts from 0
        traced_only          of these, those that ended before MLIR's passes, while a kernel was traced
        replayed             trials without MLIR's passes and LLVM: what they traced had been compiled before
        repeated_compiles    of `compiles`, those of IR that had been compiled before all the same, without
                             those that are to check it (look again, and cold)
        candidates           scripts asked about: rejected_statically (never run), cache_hits (answered by
                             the journal, or equal to one before), and those that were run
        seconds              wall time of this run, without starting up and installing
        minimal              every simplification of every pass that was asked for was tried on the result
        valid_on             versions without the bug on which the reduced script compiles; the cold run is
                             judged by that, too
        verified_cold        the cold run showed the signature again; otherwise the exit code is 1
        margins              {figure: {first, left}}: the difference from the baseline, before and after
        shown                null; where the bug shows in some runs only: how often it did, as "9 of 20 runs"
        also_seen            [{signature, script}]: other failures of the compiler, with a script of each
        missing_variables    that the script reads, and that are set here but not in trials
        python_files         beside the script, that the reduced one still runs: it needs them
        version              flybisect's own
        """
        return {
            "script": str(self.output),
            "input": str(self.input),
            "output": str(self.output),
            "session": str(self.session),
            "verdict": self.verdict.answer.value,
            "why": self.verdict.why,
            "oracle": self.oracle,
            "signature": None if self.signature is None else str(self.signature),
            "metrics": dict(self.verdict.metrics),
            "flydsl": self.flydsl,
            "arch": self.arch,
            "argv": list(self.argv),
            "statements_before": count_statements(self.source),
            "statements_after": count_statements(self.reduced),
            "bytes_before": _bytes(self.source),
            "bytes_after": _bytes(self.reduced),
            "compiles": self.counts.compiles,
            "traced_only": self.counts.traced_only,
            "replayed": self.counts.replayed,
            "repeated_compiles": self.counts.repeated,
            "candidates": self.counts.candidates,
            "rejected_statically": self.counts.rejected_statically,
            "cache_hits": self.counts.cache_hits,
            "seconds": round(self.counts.seconds, 3),
            "minimal": self.minimal,
            "verified_cold": self.verified_cold,
            "margins": {name: asdict(margin) for name, margin in self.margins.items()},
            "valid_on": list(self.valid_on),
            "shown": None if self.rate is None else str(self.rate),
            "also_seen": [
                {"signature": str(also.signature), "script": str(also.script)} for also in self.also_seen
            ],
            "missing_variables": list(self.missing_variables),
            "python_files": list(self.observation.python_files),
            "version": __version__,
        }


class Uninteresting(UserError):
    """The unreduced script does not show a bug."""


def reduce(
    options: Case,
    passes: Sequence[Pass],
    show: ShowsReduction,
    *,
    output: Path | None = None,
    more: Sequence[str] = (),
    begun: Begun = lambda session: None,
) -> Result:
    """Reduce what the options name, in a session of its own, which `begun` gets.

    `output`: None for the session's folder. `more`: further options for the command that the reduced script
    names. Raises UserError where the script does not show its bug.
    """
    found = prepare(options, show.notify)
    prepared, assumed = with_boundary(found, options, show.notify)
    with open_session(prepared.workdir, prepared.case, prepared.source, prepared.toolchain_keys) as session:
        begun(session)
        path = output_path(output, session.folder, prepared.case)
        for warning in session.warnings:
            show.notify(warning)
        with prepared.judge(session.journal) as judge:
            check_prepared(judge, prepared, show.notify)
            hold_to(judge, prepared, show.notify, insist=not assumed)
            return reduce_pinned(judge, prepared, session, passes, path, show, more)


def reduce_pinned(
    judge: Judge,
    prepared: PreparedCase,
    session: Session,
    passes: Sequence[Pass],
    output: Path,
    show: ShowsReduction,
    more: Sequence[str] = (),
    given: Path | None = None,
) -> Result:
    """From a script that was found interesting to a checked result.

    `given`: a script that was reduced already, in place of a search. Raises UserError where that does not
    show the bug. Where an earlier run had come to its end, the journal answers all but the cold run.
    """
    judge.look_again(prepared.source)
    script = flattened(judge, prepared.script)
    for note in (*notes(script), *files_note(files_beside(judge, script))):
        show.notify(note)
    named = replace(
        prepared.case,
        oracle=pinned_oracle(judge, prepared.case),
        script=script.called(prepared.case.script),
        valid_on=tuple(each.setting.toolchain.spec for each in judge.required),
    )
    heading = heading_for(replace(prepared, case=named, script=script), output, more)
    if given is not None:
        found = Reduction(_given(judge, given), minimal=False)
        session.save_best(found.text)
        return finish(judge, session, script.source, found, output, heading)
    with show.reduction(judge, script.source, passes) as watch:
        drawn = Curve(session.folder, judge, script.source)
        try:
            found = search(judge, session, script.source, passes, drawn.noting(watch.step))
        finally:
            drawn.save()
        watch.verifying(found.text)
        return finish(judge, session, script.source, found, output, heading)


def pinned_oracle(judge: Judge, case: Case) -> str | None:
    """The oracle as a command names it: `auto` is by now another one."""
    return judge.oracle.name if case.oracle == "auto" else case.oracle


def _given(judge: Judge, path: Path) -> str:
    text = read_script(path, path)
    verdict = judge.judge(text)
    if not verdict.interesting:
        raise UserError(f"{path} does not show the bug of the script: {verdict.why}")
    return text


def check_prepared(judge: Judge, prepared: PreparedCase, notify: Notify) -> Verdict:
    """`check` of its script, with a word about variables that it reads in vain."""
    judge.repeats.notify = notify
    try:
        return check(judge, prepared.source, prepared.case.script.name, listing().plugins)
    finally:
        say_missing(judge.unset, notify)


def check(judge: Judge, source: str, shown: str, plugins: Iterable[Plugin]) -> Verdict:
    """Judge the unreduced script. Raises Uninteresting, saying what was seen, where it is not interesting."""
    verdict = judge.pin(source)
    if not verdict.interesting:
        assert judge.first is not None
        raise Uninteresting(why_uninteresting(shown, judge.oracle.name, verdict, judge.first, plugins))
    return verdict


def pin(judge: Judge, source: str, shown: str, plugins: Iterable[Plugin]) -> Verdict:
    """`check`, and then run the script some more, lest it show its bug now and then only."""
    verdict = check(judge, source, shown, plugins)
    judge.look_again(source)
    return verdict


def flattened(judge: Judge, script: FlattenedScript) -> FlattenedScript:
    """The script with its modules in `source`, where that shows the pinned bug just as well.

    Else as it was, with a `problem` that says so: it then still needs the modules beside it.
    """
    if script.flat is None:
        return script
    verdict = judge.judge(script.flat)
    if verdict.interesting:
        return replace(script, source=script.flat)
    why = f"with its modules in it the script does not show the same ({verdict.why})"
    return replace(script, flat=None, modules=(), problem=why)


def files_beside(judge: Judge, script: FlattenedScript) -> tuple[str, ...]:
    """Python files that the script still runs from beside it; of a script that was found interesting."""
    assert judge.first is not None
    evidence = judge.first if script.flat is None else judge.look(script.source)[0]
    return evidence.subject.python_files


def search(judge: Judge, session: Session, source: str, passes: Sequence[Pass], notice: Notice) -> Reduction:
    """Reduce a pinned script, each better one on disk before the next is tried."""
    session.save_best(source)
    saved = source

    def keep(step: Step) -> None:
        nonlocal saved
        if step.confirmed and step.text != saved:
            session.save_best(step.text)
            saved = step.text
        notice(step)

    predict = judge.jobs > 1 and judge.first is not None and judge.first.subject.seconds >= WORTH_PREDICTING
    return Reducer(judge, passes, keep, predict=predict).run(source, judge.failing_line(source))


def finish(
    judge: Judge, session: Session, source: str, reduction: Reduction, output: Path, heading: AddHeading
) -> Result:
    """Head the script, run it once more cold, write it, and keep the result in the session."""
    evidence, shown = judge.look(reduction.text)
    text = heading(reduction.text, shown, evidence.subject)
    verdict = judge.confirm_cold(text)
    write_text(output, text)
    result = Result(
        input=judge.case.script,
        output=output,
        session=session.folder,
        oracle=judge.oracle.name,
        flydsl=judge.subject.toolchain.version,
        arch=judge.subject.arch,
        argv=judge.subject.argv,
        signature=judge.signature,
        verdict=verdict,
        observation=evidence.subject,
        source=source,
        reduced=reduction.text,
        minimal=reduction.minimal,
        counts=judge.counts,
        also_seen=_keep_others(judge.also_seen, session.folder / "also_seen"),
        valid_on=tuple(each.setting.toolchain.version for each in judge.required),
        rate=judge.repeats.rate,
        missing_variables=tuple(missing(judge.unset, os.environ)),
        margins=judge.oracle.margins(replace(evidence, first=judge.first)),
    )
    session.save_result(result.to_dict())
    return result


def _keep_others(seen: Mapping[Signature, str], folder: Path) -> tuple[AlsoSeen, ...]:
    if not seen:
        return ()
    folder.mkdir(exist_ok=True)
    kept = []
    for number, (signature, source) in enumerate(seen.items(), start=1):
        path = folder / f"{number:02d}-{signature.kind}.py"
        write_text(path, source)
        kept.append(AlsoSeen(signature, path))
    return tuple(kept)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
