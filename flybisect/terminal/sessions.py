"""What `flybisect sessions`, `show` and `clean` print for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flybisect.session.disk import StoredFolder, format_size
from flybisect.session.listing import SessionEntry


def print_sessions(entries: Sequence[SessionEntry]) -> None:
    """The latest last."""
    rows = [(entry.name, entry.when, entry.state, brief(entry)) for entry in entries]
    _print(rows)


def print_items(items: Sequence[StoredFolder]) -> None:
    _print([(item.name, format_size(item.size), "in use" if item.busy else "") for item in items])


def print_session(entry: SessionEntry) -> None:
    """Everything known about a session without a compile."""
    data = as_dict(entry)
    width = max(map(len, data))
    for name, value in data.items():
        if isinstance(value, list):
            for each in value:
                print(f"{name.ljust(width)}  {each}")
        elif value not in (None, ""):
            print(f"{name.ljust(width)}  {value}")


def brief(entry: SessionEntry) -> str:
    """A session in a few words."""
    result = entry.result
    parts = [f"{entry.case.oracle or 'no oracle'}, {entry.case.arch}"]
    if "output" in result:
        parts.append(f"{result['statements_before']} → {result['statements_after']} statements")
        parts.append(result.get("signature") or "")
    parts += [part for part in (boundary(result.get("releases")), culprit(result.get("commits"))) if part]
    return "; ".join(part for part in parts if part)


def boundary(releases: Any) -> str:
    """The last and first releases around the bug; empty when unknown."""
    if not releases:
        return ""
    keys = [key for key in ("last_good", "first_bad", "last_bad", "first_good") if key in releases]
    return ", ".join(f"{key.replace('_', ' ')} {releases[key]}" for key in keys)


def culprit(commits: Any) -> str:
    """The commit, or the range of commits; empty when unknown."""
    if not commits:
        return ""
    found = commits["culprits"]
    first = f"{found[0]['hash'][:8]} {found[0]['subject']}"
    return first if len(found) == 1 else commits.get("range") or f"one of {len(found)} commits"


def as_dict(entry: SessionEntry) -> dict[str, Any]:
    """For `--json`, and for `show` line by line."""
    result, case = entry.result, entry.case
    return {
        "session": str(entry.folder),
        "state": entry.state,
        "changed": entry.when,
        "script": str(case.script),
        "args": list(case.arguments),
        "env": [f"{name}={value}" for name, value in case.env],
        "oracle": case.oracle,
        "arch": case.arch,
        "flydsl": result.get("flydsl", case.flydsl),
        "signature": result.get("signature"),
        "statements_before": result.get("statements_before"),
        "statements_after": result.get("statements_after"),
        "reduced": result.get("output"),
        "minimal": result.get("minimal"),
        "verified_cold": result.get("verified_cold"),
        "releases": boundary(result.get("releases")) or None,
        "commits": culprit(result.get("commits")) or None,
        "also_seen": [each["signature"] for each in result.get("also_seen", ())],
    }


def _print(rows: Sequence[Sequence[str]]) -> None:
    if not rows:
        return
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
