"""Patterns that a user gives: regular expressions as `re` has them, whose time and memory are bounded."""

from __future__ import annotations

import json
import re
import select
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flybisect.errors import UserError
from flybisect.probe import matcher

LONGEST_PATTERN = 1000
"""Characters of a pattern."""
LONGEST_LINE = 16384
"""Characters of a line that are searched."""
PATIENCE = 60.0
"""Wall seconds after which the other program is ended, whatever it does."""


class TooSlow(UserError):
    """A pattern met its limits."""


@dataclass(frozen=True)
class PatternMatch:
    """What a pattern matched."""

    line: str
    text: str
    groups: Mapping[str, str]
    """The named ones; empty where one took no part."""


class Patterns:
    """Some of them, searched line by line; of those that match a line the first counts. Thread-safe."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Raises UserError where one is no regular expression, or matches an empty text."""
        self.texts = tuple(texts)
        self.groups = frozenset(name for text in texts for name in _groups(text))
        """Names of groups."""
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        if any(self._matches_nothing(text) for text in self.texts):
            raise UserError(f"the pattern {self} matches an empty text, so it says nothing")

    def __str__(self) -> str:
        return " or ".join(map(repr, self.texts))

    def found(self, texts: Iterable[str]) -> list[PatternMatch]:
        """In order; what matched in the same words before is left out. Raises TooSlow."""
        lines = [line[:LONGEST_LINE] for text in texts for line in text.splitlines()]
        if not self.texts or not lines:
            return []
        return [PatternMatch(lines[number], text, groups) for number, text, groups in self._matches(lines)]

    def _matches_nothing(self, text: str) -> bool:
        """Where nothing is counted, an empty text takes no time, and no other program."""
        return bool(self._matches([""])) if "{" in text else re.search(text, "") is not None

    def _matches(self, lines: Sequence[str]) -> list[tuple[int, str, dict[str, str]]]:
        answer = self._asked(lines)
        if "error" in answer:
            raise TooSlow(f"the pattern {self} {answer['error']}; give one that repeats less")
        return [(number, text, groups) for number, text, groups in answer["matches"]]

    def _asked(self, lines: Sequence[str]) -> dict[str, Any]:
        request = json.dumps({"patterns": self.texts, "lines": lines})
        with self._lock:
            process = self._process or self._start()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(request + "\n")
                process.stdin.flush()
                ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
                line = process.stdout.readline() if ready else ""
                return dict(json.loads(line)) if line else self._lost(process)
            except OSError:
                return self._lost(process)
            except BaseException:  # Its answer would be taken for that of the next question.
                self._lost(process)
                raise

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(matcher.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="ascii",
        )
        weakref.finalize(self, _end, self._process)
        return self._process

    def _lost(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        _end(process)
        self._process = None
        return {"error": f"took more than {matcher.SECONDS:g} s on this text"}


def _groups(text: str) -> Iterable[str]:
    if not text or len(text) > LONGEST_PATTERN:
        raise UserError(f"pattern should be a text of at most {LONGEST_PATTERN} characters")
    try:
        return re.compile(text).groupindex
    except (re.error, RecursionError, OverflowError) as error:
        raise UserError(f"the pattern {text!r} cannot be parsed: {error}") from error


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                pass
