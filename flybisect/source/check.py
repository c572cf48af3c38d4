"""What can be said of a candidate without running it."""

from __future__ import annotations

import ast
import warnings

from flybisect.source.scopes import Statements
from flybisect.source.source import Source


def syntax_problem(text: str) -> str | None:
    """Why the text is no Python program; None where it is one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<candidate>", "exec", dont_inherit=True)
            ast.parse(text)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"cannot be parsed: {error}"
    return None


def problem(text: str, allowed: frozenset[str] = frozenset()) -> str | None:
    """Why the script cannot run, in one sentence; None where nothing speaks against it.

    Found are syntax errors (also those that only compiling shows, as `return` at the top) and
    names that nothing binds before they are read. `allowed` are names to let pass, as those that
    the original script already has this way (`unbound_names`).
    """
    broken = syntax_problem(text)
    if broken is not None:
        return broken
    source = Source(text)
    for _, use in Statements(source).unbound():
        if use.name not in allowed:
            return f"line {source.line_of(use.offset)}: the name {use.name!r} is read and nothing binds it"
    return None


def unbound_names(text: str) -> frozenset[str]:
    """Names that a script which parses seems to read unbound, as those that `exec` or `del` play with."""
    return frozenset(use.name for _, use in Statements(Source(text)).unbound())
