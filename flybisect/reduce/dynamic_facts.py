"""Learning what the reducer may know of a script, in one trial of an instrumented copy."""

from __future__ import annotations

import ast
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from flybisect.judge.question import Question, Reply
from flybisect.observation import Observation, Want
from flybisect.reduce.hint import DynamicFacts
from flybisect.source.instrument import ObservedTypes, agree, instrumented


def learn(
    text: str, line: int | None, before: DynamicFacts | None = None
) -> Generator[Question, Reply, DynamicFacts]:
    """Coverage and kinds of a script whose `line` the compiler names. Where instrumenting changes how the
    script ends, coverage alone. What was known before, but for the lines, where nothing is shown."""
    copy = instrumented(text)
    wants = frozenset({Want.COVERAGE})
    seen = (yield Question(copy.text, wants=wants)).shown
    if not seen:
        return replace(before or DynamicFacts(), lines=None)
    plain = (yield Question(text, wants=frozenset())).shown
    if [_ending(o) for o in seen] == [_ending(o) for o in plain]:
        lines = [copy.original_lines(o.lines) for o in seen]
        kinds = agree(copy.read(o.stderr) for o in seen)
        launched = [copy.launches(o.stderr) for o in seen]
        launches = tuple(each for each in launched[0] if all(each in other for other in launched))
    else:
        lines = [frozenset(o.lines) for o in (yield Question(text, wants=wants)).shown]
        kinds, launches = ObservedTypes(), ()
    every = frozenset[int]().union(*lines) if all(lines) else None
    return DynamicFacts(every, line, line is not None, kinds, launches, _markers(text, lines))


def _ending(seen: Observation) -> tuple[object, ...]:
    return seen.outcome, seen.stage, seen.signal, len(seen.kernels)


def _markers(text: str, lines: Sequence[frozenset[int]]) -> frozenset[str]:
    """Names that stand only in lines which not all runs reached; the lines themselves where none do."""
    if not all(lines):
        return frozenset()
    apart = frozenset[int]().union(*lines) - frozenset.intersection(*lines)
    here: set[str] = set()
    elsewhere: set[str] = set()
    for name, line in _names(text):
        (here if line in apart else elsewhere).add(name)
    every = text.splitlines()
    return frozenset(here - elsewhere or {every[line - 1].strip() for line in apart if line <= len(every)})


def has_markers(text: str, markers: frozenset[str]) -> bool:
    """True where a script has all markers; a name in a string or a comment is none."""
    names = {name for name, _ in _names(text)}
    return all(marker in names if marker.isidentifier() else marker in text for marker in markers)


def _names(text: str) -> Iterator[tuple[str, int]]:
    """Every name and attribute of the code, with the line it ends on."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Name, ast.Attribute)):
            yield (node.id if isinstance(node, ast.Name) else node.attr), node.end_lineno or node.lineno
