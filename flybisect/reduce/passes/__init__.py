"""The passes, one file each, in the order in which they are tried."""

from __future__ import annotations

from flybisect.reduce.hint import Pass
from flybisect.reduce.passes import (
    arguments,
    bypass,
    comments,
    constants,
    dead,
    expressions,
    functions,
    helpers,
    known,
    names,
    noise,
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
    noise.PASS,
    dead.PASS,
    slicing.PASS,
    unwrap.LOCATED,
    helpers.PASS,
    bypass.SCALARS,
    bypass.EARLY,
    names.PASS,
    statements.PASS,
    unwrap.PASS,
    functions.PASS,
    names.PASS,
    bypass.PASS,
    parameters.PASS,
    pairs.PASS,
    expressions.PASS,
    arguments.PASS,
    constants.TO_ONE,
    constants.HALVED,
    comments.PASS,
    tidy.PASS,
)
