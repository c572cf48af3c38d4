"""Normalises the text of a failure: removes what differs between runs, scripts and releases. Pure.

Removed are SSA numbers, addresses, line numbers, counts and paths. Kept are the operation, the asserted
condition, the base name of its file and the fixed words of a message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 300
"""Most characters of a normalised text; the rest is detail."""
READ = 16384
"""Most characters of a message that are read. The patterns below take time in proportion to its length: a
pattern that fails does so from one place of a run of characters, not from each."""

_HEAD_OF_ASSERTION = re.compile(r"(?<![^\s:])(?P<file>[^\s:]+):\d+: ")
_ASSERTION = re.compile(r": Assertion [`'\u2018\"]")
_FAILED = re.compile(r"['\u2019\"] failed")

_PLACES = re.compile(r"""(?x)
    ^\s*(?:error:\s*)?
    (?:loc\([^)]*\):\s*|(?:"[^"]*"|<unknown>|[^\s:'"()]+\.\w+):\d+(?::\d+)?:\s*)?
    (?:error:\s*)?
""")
_PATH = re.compile(r"(?:/[\w.+@~-]+)+/([\w.+@~-]+)")
_SSA = re.compile(r"%[\w$.-]+(?:#\d+)?(?::\d+)?")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_QUOTED_TYPE = re.compile(r"'(?:[^'\s<(!]*[<(!][^']*|[su]?i\d+|b?f\d+\w*|index)'")
_NAME_OR_TYPE = re.compile(
    r"(?P<before>[!#]?(?<![\w.])\.*)(?P<name>\w[\w.]*)(?P<type><[^<>]*(?:<[^<>]*>[^<>]*)*>)?"
)
_IN_FUNCTION = re.compile(r"\b(in (?:function|kernel)) (?:'[^']*'|\"[^\"]*\"|@?\w+)")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?=\.*(?![\w.]))")
_MESSAGE = re.compile(r"""\s*&&\s*\(?\s*(?:"(?:[^"\\]|\\.)*"\s*)+\)?$""")
_QUALIFIERS = frozenset({"const", "noexcept", "volatile"})
_TRIVIAL = frozenset({"false", "0", "!true", "nullptr", "(false)"})
_CASTS = frozenset({"cast", "dyn_cast", "isa", "cast_or_null", "cast_if_present", "dyn_cast_or_null"})


def one_line(text: str) -> str:
    """The text with each run of white space replaced by one space."""
    return " ".join(text.split())


def headline(text: str) -> str:
    """The first line with words, without a leading `error: "file":3:7:`."""
    for line in text[: 4 * READ].splitlines():
        plain = _PLACES.sub("", line[:READ], count=1).strip()
        if plain:
            return one_line(plain)
    return ""


def words(text: str) -> str:
    """The fixed words of a message: types become `T`, numbers `N`, SSA values `%`."""
    plain = headline(text)
    plain = _PATH.sub(r"\1", plain)
    plain = _IN_FUNCTION.sub(r"\1", plain)
    plain = _SSA.sub("%", plain)
    plain = _ADDRESS.sub("N", plain)
    plain = _QUOTED_TYPE.sub("'T'", plain)
    plain = _NAME_OR_TYPE.sub(_without_type, plain)
    return _NUMBER.sub("N", plain)[:LONGEST]


def _without_type(found: re.Match[str]) -> str:
    """`T` for a type such as `!fly.layout<…>`; a name without brackets stays."""
    if found["type"] is None:
        return found[0]
    return (found["before"] if "." in found["before"] else "") + "T"


@dataclass(frozen=True)
class Asserted:
    """A C++ assertion as printed."""

    file: str
    function: str
    condition: str


def asserted(line: str) -> Asserted | None:
    """Parses `FILE:LINE: FUNCTION: Assertion `CONDITION' failed` anywhere in a line; None without one."""
    if (head := _HEAD_OF_ASSERTION.search(line)) is None:
        return None
    mark = _ASSERTION.search(line, head.end())
    if mark is None:
        return None
    ends = [found.start() for found in _FAILED.finditer(line, mark.end())]
    if not ends:
        return None
    return Asserted(head["file"], line[head.end() : mark.start()], line[mark.end() : ends[-1]])


def basename(path: str) -> str:
    """The file's name without its folders."""
    return re.split(r"[/\\]", path.strip())[-1]


def condition(expression: str) -> str:
    """An asserted condition without `&& "message"`, unless the message is all that it says."""
    plain = one_line(expression[:READ])
    bare = _MESSAGE.sub("", plain).strip()
    return plain if not bare or bare in _TRIVIAL else bare


def function(signature: str) -> str:
    """The name of the C++ function in a signature as GCC and Clang write it; `?` if there is none.

    LLVM's casts assert in one place for all types, so their target type is kept: `cast<Type>`.
    """
    head, _, templates = signature[:READ].partition(" [with ")
    plain = _without_brackets(re.sub(r"\boperator\s*[^\w\s(]+", "operator", head))
    names = [name for name in re.findall(r"~?\w+", plain) if name not in _QUALIFIERS]
    if not names:
        return "?"
    name = str(names[-1])
    target = re.search(r"\bTo = ([\w:]+)", templates) or re.search(r"\[To = ([\w:]+)", head)
    if name in _CASTS and target:
        return f"{name}<{target.group(1).rsplit('::', 1)[-1]}>"
    return name


def _without_brackets(text: str) -> str:
    """The text without everything in (), <>, [] and {}."""
    kept: list[str] = []
    depth = 0
    for character in text:
        if character in "(<[{":
            depth += 1
        elif character in ")>]}":
            depth = max(0, depth - 1)
        elif depth == 0:
            kept.append(character)
    return "".join(kept)
