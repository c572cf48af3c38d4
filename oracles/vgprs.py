"""Vector registers: more than the base's, or than a bound."""

from __future__ import annotations

from flybisect.oracle.figure import figure_plugin, rise_condition

PLUGIN = figure_plugin(
    "vgprs",
    "vgprs",
    "more vector registers than the base has, or a --when condition; a bisection finds its own bound",
    without_baseline=None,
    with_baseline=rise_condition("vgprs"),
    example="vgprs > NUMBER",
)
