"""The comment at the head of a reduced script: how it was made, how to run it, what it shows.

It is made of comments alone, so the tree of the script stays what it is. A `#!` line and an encoding
line have to be the first ones of a file and stay so; that is also why nothing that a user wrote stands
in the first two lines of the comment. It is ASCII, whatever encoding the script names.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from flybisect import __version__
from flybisect.case.case import INSTALLED, Baseline, Case
from flybisect.case.command_paths import relative
from flybisect.case.declared import as_words
from flybisect.case.variables import Variables
from flybisect.observation import Observation, Verdict
from flybisect.oracle.failure_line import failure_line
from flybisect.source.argv import reads_arguments
from flybisect.source.source import count_statements
from flybisect.workflows.figures import table
from flybisect.workflows.prepare import PreparedCase

WIDTH = 100
"""Characters of a line of the failure."""
SHOWN = (
    *("oracle", "arch", "env", "flydsl", "baseline", "when", "figure", "valid_on"),
    *("pattern", "stage", "command", "absent", "same_as"),
)
"""Fields of a case that its command says."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_ENCODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")


AddHeading = Callable[[str, Verdict, Observation], str]
"""From the reduced script, what it shows and how, to the script with a comment at its head."""


@dataclass(frozen=True)
class Heading:
    """What a header says."""

    command: Sequence[str]
    """That reduces the original."""
    run: Sequence[str]
    """That runs the reduced script."""
    flydsl: str
    arch: str
    before: int
    """Statements of the original."""
    after: int
    failure: str | None
    """The line that it fails with; None where it compiles."""
    metrics: Mapping[str, float]
    """As a verdict has them, `base.` before those of what it is compared with."""
    base: str
    """What it is compared with, as `--recast`; empty without a base."""
    env: Variables = ()
    """What the environment has to hold for it."""


def heading_for(prepared: PreparedCase, output: Path, more: Sequence[str]) -> AddHeading:
    """`more`: options of the command that are no part of the case."""

    def add(text: str, verdict: Verdict, observation: Observation) -> str:
        heading = Heading(
            command=command_of(prepared.case, prepared.subject.toolchain.version, more),
            run=["python", output.name, *(prepared.case.arguments if reads_arguments(text) else ())],
            env=prepared.case.env,
            flydsl=prepared.subject.toolchain.version,
            arch=prepared.arch,
            before=count_statements(prepared.source),
            after=count_statements(text),
            failure=failure_line(observation) or _pattern(verdict),
            metrics=verdict.metrics,
            base=prepared.base_name,
        )
        return headed(text, heading)

    return add


def _pattern(verdict: Verdict) -> str | None:
    """What is said in place of a failure; None where the figures say it."""
    signature = verdict.signature
    return None if signature is None or (verdict.metrics and not signature.detail) else str(signature)


def headed(text: str, heading: Heading) -> str:
    """The script with the comment at its head."""
    end = "\r\n" if "\r\n" in text else "\n"
    start = _first_lines(text)
    first = text[:start]
    if first and not first.endswith(("\n", "\r")):
        first += end
    return first + end.join([*_comment(heading), "", ""]) + text[start:]


def _first_lines(text: str) -> int:
    """Offset behind the `#!` line and the encoding line; 0 where there is neither."""
    lines = list(_LINE.finditer(text, 0, 4096))[:2]
    kept = [
        line.end()
        for at, line in enumerate(lines)
        if (at == 0 and line[0].startswith("#!")) or _ENCODING.match(line[0])
    ]
    return max(kept, default=0)


def command_of(case: Case, version: str, more: Sequence[str] = ()) -> list[str]:
    """The command line that says all of a case, without folders. `version` is that of the FlyDSL which the
    case stands for, `more` are further options."""
    named = replace(
        case,
        oracle=_base_name(case.oracle or ""),
        flydsl=version if case.flydsl in (None, INSTALLED) else _base_name(case.flydsl),
        baseline=_without_folders(case.baseline),
        valid_on=tuple(map(_base_name, case.valid_on)),
        command=None if case.command is None else relative(case.command),
    )
    words = ["flybisect", "reduce", case.script.name, *as_words(named, SHOWN), *more]
    return [*words, *(["--", *case.arguments] if case.arguments else [])]


def _without_folders(baseline: Baseline | None) -> Baseline | None:
    if baseline is None or baseline.flydsl is None:
        return baseline
    return replace(baseline, flydsl=_base_name(baseline.flydsl))


def shell(words: Sequence[str]) -> str:
    """As a shell reads it, on one line whatever is in the words."""
    return " ".join(shlex.quote(word) if word.isprintable() else _escaped(word) for word in words)


def assignments(variables: Variables) -> str:
    """In front of a command; empty, or with a space at the end."""
    return "".join(f"{name}={shell([value])} " for name, value in variables)


def _escaped(word: str) -> str:
    """Bash's `$'…'`."""
    text = word.encode("unicode_escape", "surrogatepass").decode("ascii").replace("'", "\\'")
    return f"$'{text}'"


def _base_name(spec: str) -> str:
    return PurePath(spec).name if "/" in spec else spec


def _comment(heading: Heading) -> list[str]:
    lines = [
        f"# Reduced by flybisect {__version__} from {heading.before} statements to {heading.after}.",
        f"# FlyDSL {heading.flydsl}, {heading.arch}. Reduced with:",
        f"#   {shell(heading.command)}",
        "# Run with:",
        f"#   {assignments(heading.env)}{shell(heading.run)}",
        "# Shows:",
    ]
    if heading.failure is not None:
        wrapped = textwrap.wrap(heading.failure, WIDTH, break_long_words=False, break_on_hyphens=False)
        lines += [f"#   {line}" for line in wrapped]
    lines += [f"#   {row}".rstrip() for row in table(heading.metrics, heading.base)]
    return [line.encode("ascii", "backslashreplace").decode("ascii") for line in lines]
