"""Any figure of a kernel: metrics, instruction counts, distinct base registers."""

from __future__ import annotations

from flybisect.oracle.figure import figure_plugin, rise_condition

PLUGIN = figure_plugin(
    "isa",
    None,
    'a --when condition over metrics, count("v_mov*"), bases("ds_read*"); or more instructions than the base',
    without_baseline=None,
    with_baseline=rise_condition('count("*")'),
    example='count("scratch_load*") > NUMBER',
)
