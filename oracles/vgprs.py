"""Vector registers: more than the baseline's, or than a threshold."""

from __future__ import annotations

from flybisect.oracle.figure import figure_plugin, rise_condition

PLUGIN = figure_plugin(
    "vgprs",
    "vgprs",
    "more vector registers than the baseline, or a --when condition; a bisection derives a threshold",
    without_baseline=None,
    with_baseline=rise_condition("vgprs"),
    example="vgprs > NUMBER",
)
