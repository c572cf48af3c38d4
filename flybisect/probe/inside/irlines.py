"""From a line of FlyDSL's IR text to a line of the script.

Releases up to 0.4.1 lower a module that they print and parse again, so that a message says
`"-":66:7`, a place in that text. Printing the module with locations gives the same text line for
line, each operation with the place in the script that built it.
"""

from __future__ import annotations

import re

_IR_PLACE = re.compile(r'"-":(\d+):\d+')
_DEFINITION = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_USE = re.compile(r"#loc\d*\b|loc\(")
_ALIAS = re.compile(r"#loc\d*\b")
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+|(#loc\d*)\b')
_DEPTH = 64


def places(message: str) -> list[int]:
    """The 1-based IR lines that a message names, in order, each once."""
    return list(dict.fromkeys(int(line) for line in _IR_PLACE.findall(message)))


def script_line(located: str, ir_line: int, script: str) -> int | None:
    """The innermost line of `script` in the location of the operation on `ir_line`; None without one.

    `located`: the module printed with locations (not in their pretty form).
    """
    aliases, lines = _parse(located)
    if not 1 <= ir_line <= len(lines):
        return None
    text = lines[ir_line - 1]
    at = text.rfind(" loc(")
    return None if at < 0 else _resolve(text[at:], aliases, script, _DEPTH)


def _parse(located: str) -> tuple[dict[str, str], list[str]]:
    """Definitions of locations apart from the lines of the module."""
    aliases = {}
    lines = []
    for line in located.split("\n"):
        match = _DEFINITION.match(line)
        if match:
            aliases[match.group(1)] = match.group(2)
        else:
            lines.append(line)
    return aliases, lines


def _resolve(text: str, aliases: dict[str, str], script: str, depth: int) -> int | None:
    if depth == 0:
        return None
    for file, line, alias in _TOKEN.findall(text):
        if alias:
            found = _resolve(aliases.get(alias, ""), aliases, script, depth - 1)
            if found is not None:
                return found
        elif file == script:
            return int(line)
    return None
