"""What a shell offers as the value of an option. Each function imports what it needs when it is asked.

Nothing here asks a package index or starts a process: a key press waits for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import typer


def oracle(incomplete: str) -> list[tuple[str, str]]:
    """Names, each with what it is about; a shell completes paths by itself."""
    from flybisect.oracle.registry import listing

    plugins = listing().plugins
    return [(each.name, each.summary) for each in plugins if each.name.startswith(incomplete)]


def arch(incomplete: str) -> list[str]:
    from flybisect.toolchain.arch import KNOWN

    return _starting(KNOWN, incomplete)


def flydsl(context: typer.Context, incomplete: str) -> list[str]:
    """Releases that are at hand; the index has more."""
    return _starting(("installed", *_at_hand(context)), incomplete)


def versions(context: typer.Context, incomplete: str) -> list[str]:
    """One end of `A..B` after the other."""
    first, dots, last = incomplete.partition("..")
    found = _at_hand(context)
    if not dots:
        return [f"{each}.." for each in _starting(found[:-1], first)]
    later = found[found.index(first) + 1 :] if first in found else found
    return [f"{first}..{each}" for each in _starting(later, last)]


def passes(incomplete: str) -> list[str]:
    """Behind the last comma, what is not there yet."""
    from flybisect.reduce.passes import PASSES

    before, comma, last = incomplete.rpartition(",")
    named = before.split(",")
    names = [each.name for each in PASSES if each.name not in named]
    return [before + comma + name for name in _starting(names, last)]


def session(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Those of the working folder, the latest first."""
    from flybisect.session.listing import sessions

    found = reversed(sessions(_workdir(context)))
    return [(each.name, f"{each.state}, {each.when}") for each in found if each.name.startswith(incomplete)]


def _at_hand(context: typer.Context) -> list[str]:
    from flybisect.toolchain.index import at_hand

    return list(at_hand(_workdir(context)).versions)


def _workdir(context: typer.Context) -> Path:
    from flybisect.workflows.prepare import workdir_of

    given = context.params.get("workdir")
    return workdir_of(None if given is None else Path(given), Path.cwd())


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
