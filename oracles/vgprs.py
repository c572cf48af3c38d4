"""Vector registers: more than the base's, or than a bound."""

from __future__ import annotations

from flybisect.oracle.figure import measured, rise

PLUGIN = measured(
    "vgprs",
    "vgprs",
    "more vector registers than the base has, or a --when condition; a bisection finds its own bound",
    alone=None,
    rise=rise("vgprs"),
    example="vgprs > NUMBER",
)
