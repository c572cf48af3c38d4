"""Messages of the compiler: out of printed text, and out of what was attached to an exception. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from flybisect.observation import Diagnostic

_SEVERITY = re.compile(r"^(?P<place>.*?)\b(?P<severity>error|warning|note|remark): (?P<text>.*)$")
_PLACE_BEFORE = re.compile(r'^(?:(?:[\w./+-]+|<[^<>]*>|"[^"]*"|loc\(.*\))(?::\d+)*:\s+)?$')
_PLACE_AFTER = re.compile(r'^(?:"[^"]*"|<unknown>|[\w./-]+)(?::\d+){2}:\s*')
# The first `Assertion` and the last `failed`: a look-ahead is not tried again, so that a line is read once.
_ASSERTION = re.compile(
    r"^\S+: (?P<text>\S+:\d+: (?=(?P<lead>.*?Assertion [`'\u2018]))(?P=lead).*['\u2019] failed\.?.*)$"
)
_FATAL = re.compile(r"^(?P<text>LLVM ERROR: .*)$")
_UNREACHABLE = re.compile(r"^(?P<text>UNREACHABLE executed at .*|Unreachable.*executed at .*)$")
_IR_PLACE = re.compile(r'"-":(\d{1,9}):\d+')
_TRACEBACK = re.compile(
    r"(?<!\n)\n*^DSL Traceback \(most recent operation last\):.*", re.MULTILINE | re.DOTALL
)
_DSL_FRAME = re.compile(r'^[ \t]*File "(?P<file>[^"]+)", line (?P<line>\d{1,9})', re.MULTILINE)

_CONTINUED = 40
"""Most lines that one message goes on for."""


def from_text(text: str, script: str = "", source: str = "stderr") -> tuple[Diagnostic, ...]:
    """What LLVM, MLIR and the linker printed, in order; a message goes on over indented lines.

    `script`: path or name of the script, whose lines are recognised.
    """
    found: list[Diagnostic] = []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        begun = _begin(lines[at])
        at += 1
        if begun is None:
            continue
        severity, place, said = begun
        block = [said]
        while at < len(lines) and len(block) < _CONTINUED and _goes_on(lines[at]):
            block.append(lines[at].rstrip())
            at += 1
        found.append(Diagnostic(severity, "\n".join(block).rstrip(), source, _script_line(place, script)))
    return tuple(found)


def _begin(line: str) -> tuple[str, str, str] | None:
    """Severity, place and text, where a message begins on this line."""
    for pattern in (_ASSERTION, _FATAL, _UNREACHABLE):
        if match := pattern.match(line):
            return "error", "", match["text"]
    match = _SEVERITY.match(line.strip())
    if match is None or not _PLACE_BEFORE.match(match["place"]):
        return None
    place, said = match["place"], match["text"]
    if after := _PLACE_AFTER.match(said):
        place += after.group(0)
        said = said[after.end() :]
    if "ld.lld" in match["place"]:
        said = "ld.lld: " + said
    return match["severity"], place, said


def _goes_on(line: str) -> bool:
    return line[:1] in (" ", "\t") and bool(line.strip()) and _begin(line) is None


def _script_line(place: str, script: str) -> int | None:
    if not script:
        return None
    match = re.search(re.escape(script) + r'"?:(\d{1,9})', place)
    return int(match.group(1)) if match else None


def from_exception(fact: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """What a compile error carries: its records where it has them, else its message taken apart.

    `fact`: an exception as the worker describes it. Empty for an exception that is no compiler's.
    """
    if fact["diagnostics"]:
        return tuple(_records(fact))
    if not _of_compiler(fact):
        return ()
    lines = fact["ir_lines"]
    found = from_text(_TRACEBACK.sub("", fact["message"]), fact["script"], "mlir")
    errors = [d for d in found if d.severity == "error"]
    if not errors:
        text = _TRACEBACK.sub("", fact["message"]).strip()
        return (Diagnostic("error", text, "mlir", _named_line(fact, fact["message"])),)
    line = next(iter(lines.values()), None)
    first = errors[0]
    return tuple(replace(d, line=line) if d is first and d.line is None else d for d in found)


def _of_compiler(fact: Mapping[str, Any]) -> bool:
    return fact["type"] in ("MLIRError", "FlyDSLCompileError", "DSLCompileError")


def _records(fact: Mapping[str, Any]) -> Iterator[Diagnostic]:
    for record in fact["diagnostics"]:
        text = record["text"].strip()
        line = _chain_line(record["chain"], fact) or _named_line(fact, text)
        begun = _begin(text.split("\n", 1)[0])
        if begun is not None:
            rest = text.split("\n", 1)[1:]
            text = "\n".join([begun[2], *rest])
        yield Diagnostic("error", _TRACEBACK.sub("", text), "mlir", line)
        for note in record["notes"]:
            yield Diagnostic("note", note.strip(), "mlir")


def _chain_line(chain: Iterable[Mapping[str, Any]], fact: Mapping[str, Any]) -> int | None:
    """The innermost place in the script of a location chain, which is innermost first."""
    for frame in chain:
        if frame["file"] == fact["script"]:
            return int(frame["line"])
        if frame["file"] == "-" and str(frame["line"]) in fact["ir_lines"]:
            return int(fact["ir_lines"][str(frame["line"])])
    return None


def _named_line(fact: Mapping[str, Any], text: str) -> int | None:
    """The place in the script that a message names, in FlyDSL's own traceback or by a line of IR."""
    frames = [int(m["line"]) for m in _DSL_FRAME.finditer(text) if m["file"] == fact["script"]]
    if frames:
        return frames[-1]
    for ir_line in _IR_PLACE.findall(text):
        if ir_line in fact["ir_lines"]:
            return int(fact["ir_lines"][ir_line])
    return next(iter(fact["ir_lines"].values()), None)
