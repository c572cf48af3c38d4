"""Target architectures: which there are, and which one is meant."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

from flybisect.errors import UserError

USUAL = ("gfx942", "gfx950", "gfx90a", "gfx1201", "gfx1250")
"""The ones that FlyDSL's kernels and bug reports name most."""

KNOWN = (
    *("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1250"),
    *("gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"),
    *("gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"),
    *("gfx1200", "gfx1201"),
)
"""What FlyDSL's ROCm backend and its LLVM compile for: CDNA first, then RDNA."""

KFD_NODES = Path("/sys/class/kfd/kfd/topology/nodes")
"""Where the Linux driver lists its GPUs."""

_NAME = re.compile(r"(?<![0-9A-Za-z])gfx[0-9a-f]{3,4}(?![0-9A-Za-z])")


@dataclass(frozen=True)
class ArchChoice:
    """An architecture and where it was taken from."""

    name: str
    """As `gfx942`."""
    origin: str
    """For a reader: `--arch`, `case.yaml`, `the installed GPU` or `the script's text`."""


def choose(option: str | None, case: str | None, script_text: str, nodes: Path = KFD_NODES) -> ArchChoice:
    """The command line's arch, else the case file's, the installed GPU's, or the only one the script names.

    Raises UserError when an arch is unknown or none of the four says one.
    """
    if option is not None:
        return ArchChoice(checked(option), "--arch")
    if case is not None:
        return ArchChoice(checked(case), "case.yaml")
    gpu = installed_gpu(nodes)
    if gpu is not None:
        return ArchChoice(gpu, "the installed GPU")
    named = named_in(script_text)
    if named is not None:
        return ArchChoice(named, "the script's text")
    raise UserError(
        "which GPU to compile for is not known: there is no GPU here and the script does not name exactly "
        f"one; add --arch, usually one of {', '.join(USUAL)}"
    )


def checked(name: str) -> str:
    """`name` in lower case, without `:sramecc+` and its like. Raises UserError when it is unknown."""
    plain = name.strip().lower().split(":", 1)[0]
    if plain not in KNOWN:
        close = difflib.get_close_matches(plain, KNOWN, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise UserError(f"unknown arch {name!r}{hint}; known are {', '.join(KNOWN)}")
    return plain


def named_in(text: str) -> str | None:
    """The only known arch that `text` names, comments included; None when it names none or several."""
    found = {name for name in _NAME.findall(text) if name in KNOWN}
    return found.pop() if len(found) == 1 else None


def installed_gpu(nodes: Path = KFD_NODES) -> str | None:
    """The arch of the first GPU that the Linux driver lists; None without one, or with an unknown one.

    Source of the format: `gfx_target_version` in the KFD topology is major * 10000 + minor * 100 +
    stepping, and 0 for a CPU; minor and stepping stand in the name as hex digits (90010 is gfx90a).
    """
    for properties in sorted(nodes.glob("*/properties"), key=lambda p: (len(p.parent.name), p.parent.name)):
        try:
            listed = re.search(r"^gfx_target_version (\d+)$", properties.read_text(), re.MULTILINE)
        except OSError:
            continue
        version = int(listed[1]) if listed else 0
        name = f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
        if name in KNOWN:
            return name
    return None
