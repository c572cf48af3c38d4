"""One line that says how a script failed, for a comment, a table and a terminal."""

from __future__ import annotations

import re

from flybisect.observation import Observation
from flybisect.oracle.normalize import (
    READ,
    asserted,
    basename,
    function,
    headline,
    one_line,
)
from flybisect.oracle.signatures import FATAL, classify, compiler_errors

LONGEST = 240
"""Most characters of the line."""
SHOWN = 4 * LONGEST
"""Most characters of the message that the line is made of."""

_PATH = re.compile(r"(?<![\w.+@~/-])(?:[\w.+@~-]*/)+([\w.+@~-]+)")
_OPERATION = re.compile(r":? %[\w$.-]+(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)* = |: \"[\w.]+\"\(%")
"""The operation that MLIR prints after a message."""
_SAYS_LITTLE = ("Failure while executing pass pipeline", "DSL Traceback")


def failure_line(observation: Observation) -> str | None:
    """The compiler's own words, with base names for paths. None if nothing failed."""
    signature = classify(observation)
    if signature is None:
        return None
    text = {
        "assertion": _printed_assertion,
        "fatal": _printed_fatal,
        "legalization": _first_error,
        "verifier": _first_error,
        "diagnostic": _first_error,
    }.get(signature.kind, lambda _: None)(observation)
    return clean(text or str(signature))


def clean(text: str) -> str:
    """One printable line without folders, truncated if it is long."""
    plain = _PATH.sub(r"\1", one_line(text)[:READ])[:SHOWN]
    plain = _OPERATION.split(plain, maxsplit=1)[0]
    plain = "".join(char if char.isprintable() else "?" for char in plain)
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1].rstrip() + "…"


def _printed_assertion(observation: Observation) -> str | None:
    """The assertion with only the name of the function, since its C++ signature fills several lines."""
    for line in observation.stderr.splitlines():
        found = asserted(line)
        if found:
            where = f"{basename(found.file)}: {function(found.function)}"
            return f"{where}: Assertion `{found.condition}' failed"
    return None


def _printed_fatal(observation: Observation) -> str | None:
    return next((line for line in observation.stderr.splitlines() if FATAL.match(line)), None)


def _first_error(observation: Observation) -> str | None:
    for text in compiler_errors(observation):
        for line in text.splitlines():
            plain = headline(line)
            if plain and not plain.startswith(_SAYS_LITTLE):
                return plain
    return None
