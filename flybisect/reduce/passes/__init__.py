"""The passes, one file each, in the order in which they are tried."""

from __future__ import annotations

from flybisect.reduce.hint import Pass
from flybisect.reduce.passes import (
    arguments,
    comments,
    constants,
    expressions,
    functions,
    names,
    pairs,
    parameters,
    slicing,
    statements,
    unexecuted,
    unwrap,
)

PASSES: tuple[Pass, ...] = (
    unexecuted.PASS,
    slicing.PASS,
    statements.PASS,
    unwrap.PASS,
    functions.PASS,
    names.PASS,
    parameters.PASS,
    pairs.PASS,
    expressions.PASS,
    arguments.PASS,
    constants.TO_ONE,
    constants.HALVED,
    comments.PASS,
)
