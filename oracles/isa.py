"""Any figure of a kernel: metrics, instruction counts, distinct base registers."""

from __future__ import annotations

from flybisect.oracle.figure import measured, rise

PLUGIN = measured(
    "isa",
    None,
    'a --when condition over metrics, count("v_mov*"), bases("ds_read*"); or more instructions than the base',
    alone=None,
    rise=rise('count("*")'),
    example='count("scratch_load*") > NUMBER',
)
