"""The passes, one file each, in the order in which they are tried."""

from __future__ import annotations

from flybisect.reduce.hint import Pass
from flybisect.reduce.passes import (
    arguments,
    comments,
    constants,
    dead,
    expressions,
    functions,
    known,
    names,
    pairs,
    parameters,
    slicing,
    statements,
    tidy,
    unexecuted,
    unwrap,
)

PASSES: tuple[Pass, ...] = (
    unexecuted.PASS,
    known.PASS,
    dead.PASS,
    slicing.PASS,
    statements.PASS,
    unwrap.PASS,
    functions.PASS,
    names.PASS,
    dead.PASS,
    parameters.PASS,
    pairs.PASS,
    expressions.PASS,
    dead.PASS,
    arguments.PASS,
    constants.TO_ONE,
    constants.HALVED,
    comments.PASS,
    tidy.PASS,
)
