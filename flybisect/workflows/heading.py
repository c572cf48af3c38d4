"""The comment at the head of a reduced script: how it was made, how to run it, what it shows. Pure.

It is made of comments alone, so the tree of the script stays what it is. A `#!` line and an encoding
line have to be the first ones of a file and stay so; that is also why nothing that a user wrote stands
in the first two lines of the comment. It is ASCII, whatever encoding the script names.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from flybisect import __version__
from flybisect.case.case import Case, Sought
from flybisect.case.command_paths import relative
from flybisect.case.variables import Variables, as_options
from flybisect.workflows.figures import table

WIDTH = 100
"""Characters of a line that a failure is told in."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_ENCODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")


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
    found = ["flybisect", "reduce", case.script.name, "--oracle", _base_name(case.oracle or "")]
    found += ["--arch", case.arch or "", *as_options(case.env)]
    found += ["--flydsl", version if case.flydsl == "installed" else _base_name(case.flydsl)]
    if case.against is not None:
        if case.against.argv is not None:
            found += ["--against-args", shlex.join(case.against.argv)]
        if case.against.flydsl is not None:
            found += ["--against-flydsl", _base_name(case.against.flydsl)]
        if case.against.arch is not None:
            found += ["--against-arch", case.against.arch]
    if case.when is not None:
        found += ["--when", case.when]
    found += [word for spec in case.valid_on for word in ("--valid-on", _base_name(spec))]
    found += _sought(case.sought)
    return [*found, *more, *(["--", *case.argv] if case.argv else [])]


def _sought(sought: Sought) -> list[str]:
    command = None if sought.command is None else relative(sought.command)
    said = {"--pattern": sought.pattern, "--stage": sought.stage, "--command": command}
    found = [word for option, text in said.items() if text is not None for word in (option, text)]
    found += ["--absent"] if sought.absent else []
    return found + [word for text in sought.same_as for word in ("--same-as", text)]


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
