"""Instruction counts and base registers out of AMDGPU assembly text. Pure."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_LABEL = re.compile(r"^([A-Za-z_.$][\w.$@]*):")
_KERNEL_TYPE = re.compile(r"^\s*\.type\s+([\w.$]+),\s*@function")
_INSTRUCTION = re.compile(r"^\s+([a-z][a-z0-9_]*)(?:\s+(.*))?$")
_FUNCTION_END = re.compile(r"^\s*\.size\s+([\w.$]+),|^\.Lfunc_end")
_REGISTER = re.compile(r"^(?:[vas]\d+|[vas]\[\d+(?::\d+)?\]|off|null|vcc|m0)$")

_LOADS_ADDRESS_FIRST = ("store", "write", "atomic")
_MEMORY = ("ds_", "buffer_", "global_", "scratch_", "flat_", "tbuffer_")


@dataclass
class KernelText:
    """What one function's assembly holds."""

    instructions: dict[str, int] = field(default_factory=dict)
    """Mnemonic → how often."""
    bases: dict[str, int] = field(default_factory=dict)
    """Memory mnemonic → distinct address registers."""


def parse(text: str) -> dict[str, KernelText]:
    """Assembly as LLVM prints it → what each function holds, by its name."""
    functions: set[str] = set()
    counts: dict[str, Counter[str]] = {}
    bases: dict[str, dict[str, set[str]]] = {}
    current: str | None = None
    for raw in text.splitlines():
        line = raw.split(";", 1)[0].rstrip()
        if match := _KERNEL_TYPE.match(line):
            functions.add(match.group(1))
        elif _FUNCTION_END.match(line):
            current = None
        elif match := _LABEL.match(line):
            if match.group(1) in functions:
                current = match.group(1)
                counts.setdefault(current, Counter())
                bases.setdefault(current, {})
        elif current is not None and (match := _INSTRUCTION.match(line)):
            _instruction(match.group(1), match.group(2) or "", counts[current], bases[current])
    return {
        name: KernelText(dict(counts[name]), {k: len(v) for k, v in bases[name].items()}) for name in counts
    }


def _instruction(mnemonic: str, rest: str, counts: Counter[str], bases: dict[str, set[str]]) -> None:
    counts[mnemonic] += 1
    base = base_register(mnemonic, rest)
    if base is not None:
        bases.setdefault(mnemonic, set()).add(base)


def base_register(mnemonic: str, rest: str) -> str | None:
    """The operand that says where a memory instruction goes; None for what has no such operand.

    LDS: the address VGPR. Buffer: the offset VGPR. Global, flat, scratch: the address, with the scalar base
    where there is one. The order of operands is that of LLVM's "Syntax of AMDGPU Instruction Operands".
    """
    if not mnemonic.startswith(_MEMORY):
        return None
    operands = _operands(rest)
    if mnemonic.startswith("ds_"):
        return _lds(mnemonic, operands)
    if mnemonic.startswith(("buffer_", "tbuffer_")):
        return _buffer(operands)
    return _pointer(mnemonic, operands)


def _operands(rest: str) -> list[str]:
    """Comma-separated operands; modifiers after the last one are cut off."""
    found = []
    for part in rest.split(","):
        words = part.split()
        if words and _REGISTER.match(words[0]):
            found.append(words[0])
    return found


def _lds(mnemonic: str, operands: list[str]) -> str | None:
    if mnemonic.startswith(("ds_read", "ds_load")) or "_rtn" in mnemonic or "permute" in mnemonic:
        return operands[1] if len(operands) > 1 else None
    return operands[0] if operands else None


def _buffer(operands: list[str]) -> str | None:
    """`data, offset, resource, …`, or `offset, resource, …` for a load straight into LDS."""
    resource = next((n for n, operand in enumerate(operands) if operand.startswith("s[")), None)
    if resource is None or resource == 0:
        return None
    return operands[resource - 1]


def _pointer(mnemonic: str, operands: list[str]) -> str | None:
    stores = any(word in mnemonic for word in _LOADS_ADDRESS_FIRST) and not mnemonic.endswith("_rtn")
    if stores:
        address, base = operands[:1], operands[2:3]
    elif "_lds_" in mnemonic:
        address, base = operands[:1], operands[1:2]
    else:
        address, base = operands[1:2], operands[2:3]
    if not address:
        return None
    scalar = [b for b in base if b.startswith("s")]
    return " ".join(address + scalar)
