"""Any figure of a kernel: metrics, instruction counts, distinct base registers."""

from __future__ import annotations

from flybisect.measured import measured

RISE = 'count("*") > base.count("*") and base.count("*") <= first.base.count("*")'
"""More instructions in all; the base has to stay as good as the unreduced script's."""

PLUGIN = measured(
    "isa",
    None,
    'a --when condition over metrics, count("v_mov*"), bases("ds_read*"); or more instructions than the base',
    alone=None,
    rise=RISE,
    example='count("scratch_load*") > NUMBER',
)
