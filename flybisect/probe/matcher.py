"""A program of its own that searches patterns of the user's, so that none of them can take the tool's time.

Reads requests as lines of JSON and answers each with one: `{"matches": …}`, or `{"error": …}`. The limit is
of CPU time, so that a busy machine makes no difference; `re` looks for signals while it matches.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import sys
from types import FrameType
from typing import Any

SECONDS = 1.0
"""CPU time of one request. Where `re` looks for no signal, as in counted repeats of nothing, the process
itself is ended a little later (SIGVTALRM)."""
MEMORY = 1 << 30
MOST = 1000
"""Different matches that are told."""


def matches(patterns: list[str], lines: list[str]) -> list[tuple[int, str, dict[str, str]]]:
    """Of each line the first pattern that matches: the line's number, what matched, and the named groups."""
    compiled = [re.compile(pattern) for pattern in patterns]
    found: dict[str, tuple[int, str, dict[str, str]]] = {}
    for number, line in enumerate(lines):
        match = next((m for pattern in compiled if (m := pattern.search(line))), None)
        if match is not None and match.group(0) not in found:
            groups = {name: value or "" for name, value in match.groupdict().items()}
            found[match.group(0)] = number, match.group(0), groups
            if len(found) == MOST:
                break
    return list(found.values())


def answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.setitimer(signal.ITIMER_VIRTUAL, 1.5 * SECONDS)
        try:
            return {"matches": matches(request["patterns"], request["lines"])}
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except TimeoutError:
        return {"error": f"took more than {SECONDS:g} s on this text"}
    except (MemoryError, RecursionError):
        return {"error": "took too much memory on this text"}


def _expired(number: int, frame: FrameType | None) -> None:
    raise TimeoutError


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _expired)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that asks, whose end is ours.
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
