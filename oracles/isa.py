"""Any figure of a kernel: metrics, instruction counts, distinct base registers."""

from __future__ import annotations

from flybisect.oracle.figure import figure_plugin, rise_condition

PLUGIN = figure_plugin(
    "isa",
    None,
    'a --when condition (metrics, count("v_mov*"), bases("ds_read*")); more instructions than the baseline',
    without_baseline=None,
    with_baseline=rise_condition('count("*")'),
    example='count("scratch_load*") > NUMBER',
)
