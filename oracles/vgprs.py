"""Vector registers: more than the base's, or than a bound."""

from __future__ import annotations

from flybisect.measured import measured

RISE = "vgprs > base.vgprs and base.vgprs <= first.base.vgprs"
"""The base has to stay as good as the unreduced script's."""

PLUGIN = measured(
    "vgprs",
    "vgprs",
    "more vector registers than the base has, or a --when condition; a bisection finds its own bound",
    alone=None,
    rise=RISE,
    example="vgprs > NUMBER",
)
