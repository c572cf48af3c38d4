"""Freeing a failure's text of what drifts between runs, scripts and releases. Pure.

SSA numbers, addresses, line numbers, counts and paths go; the operation, the asserted condition, the
base name of its file and the fixed words of a message stay.
"""

from __future__ import annotations

import re

LONGEST = 300
"""Characters of a cleaned text; what comes later is detail."""

_PLACES = re.compile(r"""(?x)
    ^\s*(?:error:\s*)?
    (?:loc\([^)]*\):\s*|(?:"[^"]*"|<unknown>|[^\s:'"()]+\.\w+):\d+(?::\d+)?:\s*)?
    (?:error:\s*)?
""")
_PATH = re.compile(r"(?:/[\w.+@~-]+)+/([\w.+@~-]+)")
_SSA = re.compile(r"%[\w$.-]+(?:#\d+)?(?::\d+)?")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_QUOTED_TYPE = re.compile(r"'(?:[^'\s]*[<(!][^']*|[su]?i\d+|b?f\d+\w*|index)'")
_BARE_TYPE = re.compile(r"[!#]?\b[\w.]+<[^<>]*(?:<[^<>]*>[^<>]*)*>")
_IN_FUNCTION = re.compile(r"\b(in (?:function|kernel)) (?:'[^']*'|\"[^\"]*\"|@?\w+)")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")
_MESSAGE = re.compile(r"""\s*&&\s*\(?\s*(?:"(?:[^"\\]|\\.)*"\s*)+\)?$""")
_QUALIFIERS = frozenset({"const", "noexcept", "volatile"})
_TRIVIAL = frozenset({"false", "0", "!true", "nullptr", "(false)"})
_CASTS = frozenset({"cast", "dyn_cast", "isa", "cast_or_null", "cast_if_present", "dyn_cast_or_null"})


def one_line(text: str) -> str:
    """With every run of white space as one space."""
    return " ".join(text.split())


def headline(text: str) -> str:
    """The first line with words, without `error: "file":3:7:` before it."""
    for line in text.splitlines():
        plain = _PLACES.sub("", line, count=1).strip()
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
    plain = _BARE_TYPE.sub("T", plain)
    return _NUMBER.sub("N", plain)[:LONGEST]


def basename(path: str) -> str:
    """The file's name without its folders."""
    return re.split(r"[/\\]", path.strip())[-1]


def condition(expression: str) -> str:
    """An asserted condition without the message that is and-ed to it, unless that is all it says."""
    plain = one_line(expression)
    bare = _MESSAGE.sub("", plain).strip()
    return plain if not bare or bare in _TRIVIAL else bare


def function(signature: str) -> str:
    """Name of the C++ function in a signature as GCC and Clang write it; `?` where there is none.

    LLVM's casts assert in one place for all types, so for them the type cast to stays: `cast<Type>`.
    """
    head, _, templates = signature.partition(" [with ")
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
    """With everything in (), <>, [] and {} left out."""
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
