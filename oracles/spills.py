"""Spilled vector registers, or another condition over a kernel's figures."""

from __future__ import annotations

from flybisect.oracle.figure import figure_plugin

ANY = "vgpr_spills > 0"
"""The condition without a baseline."""
RISE = "vgpr_spills > 0 and vgpr_spills > base.vgpr_spills and base.vgpr_spills <= first.base.vgpr_spills"
"""The condition with a baseline. The baseline must not spill more than it did for the unreduced script: a
candidate that spills under both is no repro. The first part saves the compile of the baseline."""

PLUGIN = figure_plugin(
    "spills",
    "vgpr_spills",
    "vector registers are spilled (any; with a baseline: more than its spills; or a --when condition)",
    without_baseline=ANY,
    with_baseline=RISE,
    example="vgpr_spills > NUMBER",
)
