"""Places in FlyDSL's pass pipeline where the IR can be looked at, by the names of its dump files. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

ORIGIN = "origin"
"""Before the first pass, as in `00_origin.mlir`."""
LAST = "last"
"""Behind the last pass before code generation."""
ASSEMBLY = "isa"
"""No stage of the pipeline: the assembly."""
LONGEST = 8 * 1024 * 1024
"""Bytes of a module's text that are kept."""

_HEAD, _TAIL = "builtin.module(", ")"
_MODULE = "gpu.module("
_NUMBERED = re.compile(r"^\d\d_")


def fragments(pipeline: str) -> list[str]:
    """A textual pipeline's passes: split at the commas that are in no bracket."""
    text = pipeline.removeprefix(_HEAD).removesuffix(_TAIL)
    found, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "({<") - (character in ")}>")
        if character == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    return [*found, text[start:].strip()]


def names(passes: Sequence[str]) -> list[str]:
    """Of each stage, as the dump has them: `00_origin`, `01_fly_rewrite_func_signature`, …"""
    return ["00_" + ORIGIN, *(f"{at:02d}_{_label(each)}" for at, each in enumerate(passes, start=1))]


def find(stage: str, passes: Sequence[str]) -> int | None:
    """After how many passes a stage is over; None where there is none of that name.

    `stage`: a dump file's name with or without its number, a pass's own name, `origin` or `last`. Of
    several passes of one name it is the last.
    """
    wanted = _plain(stage)
    known = names(passes)
    if wanted == LAST:
        return len(passes)
    if wanted in known:
        return known.index(wanted)
    short = [_NUMBERED.sub("", name) for name in known]
    if wanted in short:
        return len(short) - 1 - short[::-1].index(wanted)
    within = [at for at, each in enumerate(passes, start=1) if wanted in map(_plain, _inner(each))]
    return within[-1] if within else None


def parted(passes: Sequence[str], keep: int | None) -> list[str]:
    """The pipeline as one or two texts, the first of which ends after `keep` passes."""
    halves = [passes] if keep is None else [passes[:keep], passes[keep:]]
    return [f"{_HEAD}{','.join(half)}{_TAIL}" for half in halves if half]


def _label(fragment: str) -> str:
    """As FlyDSL names a dump file after a part of its pipeline."""
    text = fragment
    if text.startswith(_MODULE) and text.endswith(")"):
        text = text[len(_MODULE) : -1]
    return _plain(text.split("{", 1)[0]) or "stage"


def _inner(fragment: str) -> list[str]:
    """Names of the passes within a fragment, without their options."""
    plain = re.sub(r"\{[^{}]*\}", "", fragment)
    return [name for name in re.split(r"[(),]+", plain) if name]


def _plain(name: str) -> str:
    return re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_").lower()
