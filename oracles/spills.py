"""Spilled vector registers, or another condition over a kernel's figures."""

from __future__ import annotations

from flybisect.oracle.figure import figure_plugin

ANY = "vgpr_spills > 0"
"""Without a base."""
RISE = "vgpr_spills > 0 and vgpr_spills > base.vgpr_spills and base.vgpr_spills <= first.base.vgpr_spills"
"""With one. The base has to stay as good as the unreduced script's, or else a candidate that spills
everywhere passes for one that spills more. The first part spares the base's compile."""

PLUGIN = figure_plugin(
    "spills",
    "vgpr_spills",
    "registers are spilled (any; more than the base's; or a --when condition)",
    without_baseline=ANY,
    with_baseline=RISE,
    example="vgpr_spills > NUMBER",
)
