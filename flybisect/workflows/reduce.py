"""One reduction from the pinned script to a checked result, as `flybisect reduce` does it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from flybisect.case.atomic_file import write_text
from flybisect.case.case import Case
from flybisect.case.flattened_script import FlattenedScript
from flybisect.case.script_file import read_script
from flybisect.case.variables import missing, say_missing
from flybisect.errors import UserError
from flybisect.judge.judge import Judge
from flybisect.observation import Signature, Verdict
from flybisect.oracle.figure import empty_note
from flybisect.oracle.follow import sentence
from flybisect.oracle.hint import why_uninteresting
from flybisect.oracle.plugin import Plugin
from flybisect.oracle.registry import listing
from flybisect.reduce.hint import Pass
from flybisect.reduce.reducer import Reducer, Reduction
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.session.session import Session, open_session
from flybisect.toolchain.store import Notify
from flybisect.workflows.curve import Curve
from flybisect.workflows.flattened import files_note, notes
from flybisect.workflows.heading import AddHeading, heading_for
from flybisect.workflows.neighbours import hold_to, with_boundary
from flybisect.workflows.output_path import output_path
from flybisect.workflows.prepare import PreparedCase, prepare
from flybisect.workflows.progress import Begun, ShowsReduction
from flybisect.workflows.reduction_result import AlsoSeen, Result
from flybisect.workflows.symptom import SymptomKeeper

WORTH_PREDICTING = 0.5
"""Seconds of a trial, from which on predicting the next questions takes less than it spares."""

Notice = Callable[[ReductionStep], None]


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
    judge.measure_flakiness(prepared.source)
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
    keeper = SymptomKeeper(judge, session)
    if given is not None:
        found = Reduction(_given(judge, given), minimal=False)
        session.save_best(found.text)
        return finish(judge, session, script.source, found, output, heading, keeper)
    with show.reduction(judge, script.source, passes) as watch:
        drawn = Curve(session.folder, judge, script.source)
        try:
            found = search(judge, session, script.source, passes, keeper.noting(drawn.noting(watch.step)))
        finally:
            drawn.save()
        watch.verifying(found.text)
        return finish(judge, session, script.source, found, output, heading, keeper)


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
    """`check` of its script, with a word about variables that it reads in vain, and the figure to follow.
    Raises UserError also for a condition that a reduction could only follow to an empty kernel."""
    judge.flakiness.notify = notify
    if judge.oracle.interesting_when_empty:
        raise UserError(empty_note(judge.oracle))
    try:
        verdict = check(judge, prepared.source, prepared.case.script.name, listing().plugins)
    finally:
        say_missing(judge.unset, notify)
    if prepared.case.figure is not None:
        notify(sentence(judge.oracle))
    return verdict


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
    judge.measure_flakiness(source)
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
    evidence = judge.first if script.flat is None else judge.observe(script.source)[0]
    return evidence.subject.python_files


def search(judge: Judge, session: Session, source: str, passes: Sequence[Pass], notice: Notice) -> Reduction:
    """Reduce a pinned script, each better one on disk before the next is tried."""
    session.save_best(source)
    saved = source

    def keep(step: ReductionStep) -> None:
        nonlocal saved
        if step.confirmed and step.text != saved:
            session.save_best(step.text)
            saved = step.text
        notice(step)

    predict = judge.jobs > 1 and judge.first is not None and judge.first.subject.seconds >= WORTH_PREDICTING
    return Reducer(judge, passes, keep, predict=predict).run(source, judge.failing_line(source))


def finish(
    judge: Judge,
    session: Session,
    source: str,
    reduction: Reduction,
    output: Path,
    heading: AddHeading,
    keeper: SymptomKeeper | None = None,
) -> Result:
    """Head the script, run it once more cold, write it, and keep the result in the session."""
    evidence, shown = judge.observe(reduction.text)
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
        counts=judge.statistics,
        also_seen=_keep_others(judge.also_seen, session.folder / "also_seen"),
        valid_on=tuple(each.setting.toolchain.version for each in judge.required),
        rate=judge.flakiness.rate,
        missing_variables=tuple(missing(judge.unset, os.environ)),
        margins=judge.oracle.margins(replace(evidence, first=judge.first)),
        condition=judge.oracle.condition,
        followed=None if keeper is None else keeper.followed(evidence),
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
