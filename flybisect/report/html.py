"""The report as one self-contained HTML file: pictures, tables, both scripts."""

from __future__ import annotations

from flybisect.report.plots import pictures
from flybisect.report.redaction import Redaction
from flybisect.report.side_by_side import beside
from flybisect.report.tables import release_rows, variant_rows
from flybisect.report.templating import template
from flybisect.report.view import UPSTREAM, ReportView, reduction_line
from flybisect.terminal.clean_text import visible
from flybisect.workflows.findings import Findings


def as_html(found: Findings, private: Redaction) -> str:
    view = ReportView(found)
    head, rows = release_rows(view.matrix, found.base if found.matrix else "")
    variants = variant_rows(found.variants) if found.variants else ([], [])
    before, after = found.original.text, found.script.text
    known = found.environment
    environment = {
        "FlyDSL": known.flydsl,
        "commit": known.flydsl_commit,
        "wheel": known.wheel,
        "LLVM": known.llvm,
        "LLVM pin": known.llvm_pin,
        "arch": found.arch,
        "Python": known.python,
        "torch": known.torch,
        "ROCm": known.rocm or "none",
        "linker": known.linker,
        "OS": f"{known.os}, {known.machine}",
    }
    text = template("report.html.j2").render(
        view=view,
        hide=private.text,
        found=found,
        plots={name: private.text(drawn) for name, drawn in pictures(found).items()},
        head=head,
        rows=rows,
        variants=variants,
        figures=view.figure_rows(found.script),
        symptom_figures=[] if found.symptom is None else view.figure_rows(found.symptom),
        original_figures=view.figure_rows(found.original) if found.reduced is not None else [],
        pairs=beside(private.script(before), private.script(after)) if found.reduced is not None else [],
        environment={name: value for name, value in environment.items() if value},
        reduction_line="" if found.reduction is None else reduction_line(found.reduction, found.given),
        upstream=UPSTREAM,
    )
    return visible(private.script(text))
