"""The contents of a report, in words and tables, before they become Markdown or HTML. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flybisect.oracle.differences import difference, in_words
from flybisect.oracle.failure_line import failure_line
from flybisect.oracle.plugin import Evidence
from flybisect.report import command
from flybisect.report.condition import settled
from flybisect.report.failure_text import failure_text
from flybisect.source.argv import reads_arguments
from flybisect.terminal.progress import duration
from flybisect.workflows.figures import number
from flybisect.workflows.findings import Findings, Script
from flybisect.workflows.heading import command_of, shell

UPSTREAM = "https://github.com/ROCm/FlyDSL"


class ReportView:
    """Over one bug's findings."""

    def __init__(self, findings: Findings) -> None:
        self.found = findings
        self.script = findings.script

    @property
    def measured(self) -> bool:
        """True when figures are the bug, and nothing fails."""
        return failure_line(self.script.observation) is None

    @property
    def condition(self) -> str:
        """The condition under which the bug is present, when figures are the bug."""
        return settled(self.found) or self.found.oracle

    @property
    def observed(self) -> bool:
        """True when a plain run is not enough: figures have to be read, or tensors are on a GPU."""
        return self.measured or "cuda" in self.script.text

    @property
    def title(self) -> str:
        """One line, fit for an issue's title."""
        what = failure_line(self.script.observation) or self._figures_in_words()
        return f"{what} ({self.found.arch}, FlyDSL {self.found.flydsl})"

    @property
    def summary(self) -> str:
        """One sentence."""
        size = f"a kernel script of {self.script.statements} statements"
        if self.measured:
            figures = self._figures_in_words()
            compared = len(self.script.columns) > 1
            first = f"{size} has {figures}" if compared else f"{size} shows `{self.condition}`: {figures}"
        else:
            first = f"{size} fails to compile: `{failure_line(self.script.observation)}`"
        return f"For {self.found.arch} on FlyDSL {self.found.flydsl}, {first}." + "".join(
            f" {sentence}" for sentence in self._since()
        )

    @property
    def plain_summary(self) -> str:
        """Without marks of Markdown."""
        return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", self.summary).replace("`", "")

    @property
    def argv(self) -> tuple[str, ...]:
        """What the script is run with; none where it reads none."""
        return self.found.case.arguments if reads_arguments(self.script.text) else ()

    @property
    def base_argv(self) -> tuple[str, ...] | None:
        """The same of what it is compared with, where that is another argv."""
        against = self.found.case.baseline
        return None if against is None else against.argv

    @property
    def runs(self) -> list[tuple[str, str, Sequence[str]]]:
        """Name, arch and arguments of the script itself and, when figures are the bug, of its baseline."""
        found: list[tuple[str, str, Sequence[str]]] = [("this", self.found.arch, self.argv)]
        against = self.found.case.baseline
        if self.measured and against is not None:
            argv = self.argv if against.argv is None else against.argv
            found.append(("base", against.arch or self.found.arch, argv))
        return found

    @property
    def failure(self) -> str | None:
        return failure_text(self.script.observation)

    @property
    def commands(self) -> list[str]:
        """To type, in this order."""
        make, env = command.observed if self.observed else command.plain, self.found.case.env
        found = [command.install(self.found.flydsl), make(self.found.arch, env, self.argv)]
        if self.measured and self.base_argv is not None:
            found.append(command.observed(self.found.arch, env, self.base_argv, "figures-base.json"))
        return found

    @property
    def paste(self) -> str:
        """One text for a shell that makes the files and runs them."""
        env = self.found.case.env
        parts = [command.install(self.found.flydsl), command.heredoc(command.NAME, self.script.text)]
        if not self.observed:
            return "\n".join([*parts, command.plain(self.found.arch, env, self.argv)])
        parts.append(command.heredoc(command.OBSERVER, command.observer_text()))
        parts.append(command.observed(self.found.arch, env, self.argv))
        if self.measured and self.base_argv is not None:
            parts.append(command.observed(self.found.arch, env, self.base_argv, "figures-base.json"))
        return "\n".join(parts)

    def figure_rows(self, script: Script) -> list[tuple[str, list[str]]]:
        """A metric, and a cell for each column; rows of zeros are left out."""
        names = dict.fromkeys(name for column in script.columns for name in column.figures)
        rows = [(name, [column.figures.get(name) for column in script.columns]) for name in names]
        return [(name, [_cell(value) for value in values]) for name, values in rows if any(values)]

    @property
    def columns(self) -> list[str]:
        """Titles of the figures' columns."""
        return [column.title for column in self.script.columns]

    @property
    def culprits(self) -> list[Mapping[str, Any]]:
        return list((self.found.commits or {}).get("culprits", ()))

    @property
    def culprit_title(self) -> str:
        if len(self.culprits) > 1:
            return "Range of commits"
        fixed = (self.found.commits or {}).get("find") == "fix"
        return "First good commit" if fixed else "First bad commit"

    @property
    def commit_range(self) -> str:
        """`between X and Y; 13 commits`; empty where one commit was found."""
        if len(self.culprits) < 2:
            return ""
        return (self.found.commits or {}).get("range") or f"one of {len(self.culprits)} commits"

    @property
    def appeared(self) -> tuple[str, str] | None:
        """Last good and first bad release; None where that is not known."""
        return self._boundary("last_good", "first_bad")

    @property
    def fixed(self) -> tuple[str, str] | None:
        """Last bad and first good release."""
        return self._boundary("last_bad", "first_good")

    def _boundary(self, before: str, after: str) -> tuple[str, str] | None:
        found = self.found.releases or {}
        return (found[before], found[after]) if before in found and after in found else None

    @property
    def matrix(self) -> Sequence[Mapping[str, Any]]:
        """Rows of releases: of the whole table, else those that a bisection tested."""
        if self.found.matrix:
            return list(self.found.matrix["releases"])
        tests = (self.found.releases or {}).get("tests", ())
        return [{"version": test["name"], **test} for test in tests]

    @property
    def reducing_command(self) -> str:
        return shell(command_of(self.found.case, self.found.flydsl))

    @property
    def certainties(self) -> list[str]:
        """How sure all this is, in sentences."""
        return list(self._certain())

    @property
    def cause(self) -> str | None:
        """With a figure that was followed: what the script shows of it, in words."""
        columns = self.script.columns
        if self.found.figure is None or len(columns) < 2:
            return None
        found = difference(self.found.figure, Evidence(columns[0].observation, columns[1].observation))
        if found is None:
            return None
        return f"{found.this} {in_words(found.figure)}, against {found.base} with {columns[1].title}"

    def _figures_in_words(self) -> str:
        if self.cause is not None:
            return self.cause
        columns = self.script.columns
        names = ("VGPR spills", "SGPR spills", "VGPRs", "scratch bytes")
        shown = [name for name in names if columns[0].figures.get(name)]
        if len(columns) > 1:
            apart = [n for n in shown if columns[0].figures.get(n) != columns[1].figures.get(n)]
            if apart:
                here, there = columns[0].figures, columns[1].figures
                found = " and ".join(f"{here[name]} {name}" for name in apart[:2])
                expected = " and ".join(str(there.get(name, 0)) for name in apart[:2])
                return f"{found}, against {expected} with {columns[1].title}"
        return ", ".join(f"{columns[0].figures[n]} {n}" for n in shown[:2]) or "compiles"

    def _since(self) -> Iterator[str]:
        if self.appeared is not None:
            last, first = self.appeared
            yield f"It first appears in {first}; {last} is the last good release."
        if self.fixed is not None:
            last, first = self.fixed
            yield f"It is fixed in {first}; {last} is the last affected release."
        if self.appeared is None and self.fixed is None and self.matrix:
            yield from self._unbounded()
        if len(self.culprits) == 1:
            yield f"{self.culprit_title}: {_commit_words(self.culprits[0])}."
        elif self.culprits:
            yield f"{self.culprit_title}: {self.commit_range}."

    def _unbounded(self) -> Iterator[str]:
        """What the tested releases show when no boundary was found."""
        bad = [row for row in self.matrix if row["side"] == "bad"]
        if len(bad) == len(self.matrix):
            yield f"Every tested release shows it ({_span(self.matrix)})."
        elif bad and not any(row["side"] == "good" for row in self.matrix):
            shown = ", ".join(str(row["version"]) for row in bad)
            yield f"It shows on {shown}; the other tested releases fail differently or cannot be judged."

    def _certain(self) -> Iterator[str]:
        reduction = self.found.reduction
        if reduction is None:
            yield "The script was not reduced."
        else:
            yield (
                "The reduced script was run again in a fresh process, without any cache, and shows the bug."
                if reduction.get("verified_cold")
                else f"NOT CONFIRMED in a fresh process: {reduction.get('why')}"
            )
            if reduction.get("verified_cold") and reduction.get("valid_on"):
                names = ", ".join(reduction["valid_on"])
                yield f"On FlyDSL {names} it compiles without the bug, also in a fresh process."
            yield (
                "It is 1-minimal: no single simplification that flybisect knows keeps the bug."
                if reduction.get("minimal")
                else "It is not known to be minimal."
            )
        beside = self.script.observation.python_files
        if beside:
            yield f"The script reads {', '.join(beside)} from its own folder; the bundle includes that."
        commits = self.found.commits
        if commits is not None:
            word = "confirmed" if commits.get("confirmed") else "not confirmed"
            evidence = commits.get("exactness", "exact")
            by = f" by {evidence}" if commits.get("confirmed") and evidence != "exact" else ""
            yield f"The commit: {word}{by}: {commits.get('confirmation')}."
            attribution = commits.get("attribution", {})
            owner = attribution.get("owner")
            where = "It is not known which half contains the change"
            where = where if owner == "unknown" else f"The change is in: {owner}"
            yield f"{where} ({attribution.get('why')})."
            yield from (f"{note}." for note in commits.get("notes", ()))
        for kind, found in (("Releases", self.found.releases), ("Commits", commits)):
            if found is None:
                continue
            yield from (f"{kind}: {sentence}." for sentence in found.get("repeats", {}).get("told", ()))
            if not found.get("monotone", True):
                yield "The verdict changes more than once in the range; the search followed the last change."
            if found.get("bound"):
                yield f"Bad means {found['bound']}: half way between the figures of the two endpoints."
        if self.found.unreduced:
            names = ", ".join(self.found.unreduced)
            yield f"The unreduced script judged {names}, because the reduced one fails differently there."
        yield "Nothing ran on a GPU: all results come from the compiler."


def reduction_line(reduction: Mapping[str, Any], given: bool = False) -> str:
    """Statements before and after, and the cost when flybisect made the reduction."""
    if given:
        before, after = reduction["statements_before"], reduction["statements_after"]
        return f"{before} → {after} statements; the reduced script was given, and shows the same bug"
    return (
        f"{reduction['statements_before']} → {reduction['statements_after']} statements, "
        f"{reduction['bytes_before']:,} → {reduction['bytes_after']:,} bytes; "
        f"{reduction['compiles']} compiles in {duration(reduction['seconds'])}"
    )


def _commit_words(commit: Mapping[str, Any]) -> str:
    number_of = commit.get("pull_request")
    pull = f" ([#{number_of}]({UPSTREAM}/pull/{number_of}))" if number_of else ""
    return f"`{commit['hash'][:12]}`{pull} {commit['subject']}"


def _cell(value: int | None) -> str:
    return "-" if value is None else number(value)


def _span(rows: Sequence[Mapping[str, Any]]) -> str:
    return f"{rows[0]['version']} to {rows[-1]['version']}" if len(rows) > 1 else str(rows[0]["version"])
