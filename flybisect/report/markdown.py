"""The report as Markdown for an upstream issue, in the order in which maintainers read.

GitHub accepts 65,536 characters. A report that is too long loses, in this order: the list of tested commits,
the block that repeats the script for pasting, the figures of the unreduced script, the end of the script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flybisect.errors import UserError
from flybisect.oracle.failure_line import clean
from flybisect.report.cells import code, fence, inline, merged, plain, table
from flybisect.report.redaction import Redaction
from flybisect.report.tables import Row, release_rows, variant_rows
from flybisect.report.templating import template
from flybisect.report.view import UPSTREAM, ReportView, reduction_line
from flybisect.terminal.clean_text import visible
from flybisect.workflows.findings import Findings, Script

LONGEST = 65_536
"""Characters of an issue on GitHub."""
LEVELS = 5
LONGEST_IR = 12_000
UNREDUCED = " †"


def as_markdown(found: Findings, private: Redaction, longest: int = LONGEST) -> str:
    """Raises UserError when not even the shortest form fits."""
    for level in range(LEVELS):
        text = visible(_render(found, private, level))
        if len(text) <= longest:
            return text
    raise UserError(f"the shortest form of the report has {len(text)} characters; GitHub accepts {longest}")


def _render(found: Findings, private: Redaction, level: int) -> str:
    view = ReportView(found)
    script = found.script.text if level < LEVELS - 1 else _cut(found.script.text)
    text = template("report.md.j2").render(
        level=level,
        view=view,
        found=found,
        fence=fence,
        title=plain(view.title),
        script="\0SCRIPT\0",
        failure=None if view.failure is None else fence(view.failure),
        figures=_figures(view, found.script),
        symptom_figures="" if found.symptom is None else _figures(view, found.symptom),
        symptom="\0SYMPTOM\0",
        original_figures=None if found.reduced is None else _figures(view, found.original),
        ir=_ir(found),
        failing_pass=code("" if found.dump is None else found.dump.failing_pass or ""),
        culprits=_culprits(view),
        matrix=_matrix(view),
        variants=_variants(found),
        environment=_environment(found),
        reduction_line="" if found.reduction is None else reduction_line(found.reduction, found.given),
        also_seen=_also_seen(found),
        certainties=view.certainties,
        steps=_steps(found),
        tests=_tests(found),
    )
    text = private.text(private.script(text))
    if found.symptom is not None:
        text = text.replace("\0SYMPTOM\0", fence(private.script(found.symptom.text), "python"))
    head, _, tail = text.partition("\0SCRIPT\0")
    return head + fence(private.script(script), "python") + tail


def _cut(script: str) -> str:
    room = LONGEST // 2
    return script if len(script) <= room else script[:room] + "\n# ... cut here; the bundle has all of it"


def _ir(found: Findings) -> str:
    """Empty when no pass fails, or the IR is too long to read."""
    if found.dump is None or found.dump.failing_pass is None:
        return ""
    text = "\n".join(found.dump.ir)
    return fence(text, "mlir") if len(text) <= LONGEST_IR else ""


def _figures(view: ReportView, script: Script) -> str:
    rows = view.figure_rows(script)
    if not rows:
        return ""
    head = [
        "",
        *(column.title if at == 0 else code(column.title) for at, column in enumerate(script.columns)),
    ]
    return table(head, [[name, *cells] for name, cells in rows], right=range(1, len(head)))


def _culprits(view: ReportView) -> str:
    commits = view.found.commits or {}
    listed = view.culprits
    marked = len({bool(each["likely"]) for each in listed}) > 1
    lines = []
    if len(listed) > 1:
        lines = [f"The change is in one of these commits, {view.commit_range}. Oldest first.", ""]
    for each in listed:
        mark = "**" if marked and each["likely"] else ""
        lines.append(f"- {mark}{_linked(each)}{mark} {plain(each['subject'])} ({_facts(each)})")
    if marked:
        lines += ["", f"Bold: touches the half that contains the change ({commits['attribution']['owner']})."]
    return "\n".join(lines)


def _linked(commit: Mapping[str, Any]) -> str:
    number = commit.get("pull_request")
    pull = f" (#{number}: {UPSTREAM}/pull/{number})" if number else ""
    return f"[{commit['hash'][:12]}]({UPSTREAM}/commit/{commit['hash']}){pull}"


def _facts(commit: Mapping[str, Any]) -> str:
    facts = [str(commit["date"])[:10], f"touches {', '.join(commit['touches']) or 'nothing that is built'}"]
    if commit.get("llvm_pins"):
        older, newer = ((pin or "none")[:12] for pin in commit["llvm_pins"])
        facts.append(f"LLVM {older} → {newer}")
    return "; ".join(facts)


def _matrix(view: ReportView) -> str:
    if not view.matrix:
        return ""
    head, rows = release_rows(view.matrix, view.found.base if view.found.matrix else "")
    failing = head[-1] == "failure"
    rows = _joined(view.found, rows)
    cells = [[name, *found[:-1], code(found[-1])] if failing else [name, *found] for name, found in rows]
    numbers = range(2, len(head) + (0 if failing else 1))
    return table(["FlyDSL", *(_title(each) for each in head)], cells, right=numbers)


def _joined(found: Findings, rows: Sequence[Row], *, marked: bool = True) -> list[Row]:
    """One row for neighbours with equal cells, when every release between them was tested. A mark says that
    the unreduced script judged a release."""
    own = found.unreduced if marked else ()
    if not (found.matrix or {}).get("whole"):
        return [(f"{name}{UNREDUCED}" if name in own else name, cells) for name, cells in rows]
    keyed = [(name, (UNREDUCED if name in own else "", *cells)) for name, cells in rows]
    return [(name + cells[0], cells[1:]) for name, cells in merged(keyed)]


def _title(text: str) -> str:
    name, comma, base = text.partition(", ")
    return f"{name}, {code(base)}" if comma else text


def _variants(found: Findings) -> str:
    if not found.variants:
        return ""
    head, rows = variant_rows(found.variants)
    cells = [[name, *map(plain, found)] for name, found in _joined(found, rows, marked=False)]
    return table(["FlyDSL", *map(code, head)], cells)


def _environment(found: Findings) -> str:
    known = found.environment
    rows = [
        ("FlyDSL", f"{known.flydsl}{f' ({known.flydsl_commit[:12]})' if known.flydsl_commit else ''}"),
        ("wheel", known.wheel),
        ("LLVM", known.llvm),
        ("LLVM pin", known.llvm_pin and known.llvm_pin[:12]),
        ("arch", found.arch),
        ("Python", known.python),
        ("torch", known.torch),
        ("ROCm", known.rocm or "none"),
        ("linker", known.linker),
        ("OS", f"{known.os}, {known.machine}"),
    ]
    return table(["", ""], [[name, plain(value)] for name, value in rows if value])


def _also_seen(found: Findings) -> str:
    seen: Sequence[Mapping[str, str]] = (found.reduction or {}).get("also_seen", ())
    return "\n".join(f"- {inline(clean(each['signature']))}" for each in seen)


def _steps(found: Findings) -> str:
    rows = [[step.name, "done" if step.done else "not done", plain(step.told)] for step in found.steps]
    return table(["step", "", ""], rows) if rows else ""


def _tests(found: Findings) -> str:
    tests = (found.commits or {}).get("tests", ())
    rows = [[code(each["commit"][:12]), each["side"], plain(each["way"]), _shown(each)] for each in tests]
    return table(["commit", "", "toolchain", "shows"], rows) if rows else ""


def _shown(test: Mapping[str, Any]) -> str:
    figures = [f"{name} {value}" for name, value in test["metrics"].items() if value and "spill" in name]
    return code(test["signature"] or ", ".join(figures)) or plain(test["why"])
