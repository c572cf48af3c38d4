"""One script under several arguments and FlyDSLs, side by side, as `flybisect compare` does it."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flybisect.case.case import Case
from flybisect.case.variables import say_missing
from flybisect.case.workdir import SESSIONS
from flybisect.judge.trials import Prober, Setting, probe_of
from flybisect.observation import Kernel, Observation, Want
from flybisect.oracle.differences import SCRATCH_BY_BUFFER, Difference, differences
from flybisect.oracle.plugin import Evidence
from flybisect.toolchain.store import Notify
from flybisect.workflows.prepare import prepare_comparison
from flybisect.workflows.workers import probing

BASES_OF = ("ds_read*", "ds_load*")
"""Mnemonics whose distinct base registers are shown: a register of its own for each read is what a
lost constant offset looks like."""

Row = tuple[str, tuple[int | None, ...]]
"""A name and one figure for each column; None where a column has none."""


@dataclass(frozen=True)
class ComparedColumn:
    """The script under one set of arguments and one FlyDSL."""

    setting: Setting
    observation: Observation

    @property
    def names(self) -> dict[str, Any]:
        """What tells it from other columns, for `--json`."""
        return {
            "args": list(self.setting.argv),
            "flydsl": self.setting.toolchain.version,
            "arch": self.setting.arch,
        }

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            **self.names,
            "figures": dict(figures(self.observation)),
            "observation": json.loads(self.observation.to_json()),
        }


@dataclass(frozen=True)
class ColumnDifferences:
    """What the first column has otherwise than another one, which is its baseline."""

    column: ComparedColumn
    figures: tuple[Difference, ...]

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {**self.column.names, "figures": [each.to_dict() for each in self.figures]}


@dataclass(frozen=True)
class Comparison:
    case: Case
    columns: tuple[ComparedColumn, ...]
    missing_variables: tuple[str, ...]
    """That the script reads, and that are set here but not in trials."""

    @property
    def differences(self) -> tuple[ColumnDifferences, ...]:
        """Of the first column to each other one."""
        if not self.columns:
            return ()
        first, *others = self.columns
        return tuple(
            ColumnDifferences(other, differences(Evidence(first.observation, other.observation)))
            for other in others
        )

    def to_dict(self) -> dict[str, Any]:
        """For `--json`. Keys are kept stable; more may come.

        columns      args, flydsl, arch, figures by their titles, and the observation of each column
        differences  one for each column but the first, which is compared with it: args, flydsl, arch, and
                     `figures`, ranked as `check --json` has them
        """
        return {
            "script": str(self.case.script),
            "columns": [column.to_dict() for column in self.columns],
            "differences": [each.to_dict() for each in self.differences],
            "missing_variables": list(self.missing_variables),
        }


def compare(options: Case, args: Sequence[str], flydsls: Sequence[str], notify: Notify) -> Comparison:
    """Each FlyDSL with each text of arguments; where there is none, as the case says. Raises UserError."""
    prepared, settings = prepare_comparison(options, args, flydsls, notify)
    hidden = [prepared.workdir / SESSIONS]
    with probing(None, 1, hidden=hidden) as (prober, _):
        columns = compile_under(prepared.case, prepared.source, settings, prober)
    unset = {name for column in columns for name in column.observation.unset}
    return Comparison(prepared.case, tuple(columns), tuple(say_missing(unset, notify)))


def compile_under(
    case: Case, source: str, settings: Iterable[Setting], prober: Prober
) -> list[ComparedColumn]:
    """Run the script once under each setting, with assembly. Of the case only the limits hold."""
    probes = [(setting, probe_of(case, source, setting, {Want.ASSEMBLY})) for setting in settings]
    return [ComparedColumn(setting, prober.run(probe, setting.toolchain)) for setting, probe in probes]


def rows(columns: Sequence[ComparedColumn]) -> list[Row]:
    """The figures of all columns by name, in the order in which they are shown."""
    found = [dict(figures(column.observation)) for column in columns]
    names = dict.fromkeys(name for figures_of in found for name in figures_of)
    return [(name, tuple(figures_of.get(name) for figures_of in found)) for name in names]


def figures(observation: Observation) -> list[tuple[str, int]]:
    """Of the worst kernel in each (occupancy: the lowest). Empty without a kernel.

    Scratch traffic is left out for targets that go through buffers, which the mnemonic does not tell
    apart from other traffic.
    """
    if not observation.kernels:
        return []
    metrics = observation.metrics()
    found = [(label, metrics[name]) for label, name in _METRICS]
    if any(kernel.instructions for kernel in observation.kernels):
        counts = _COUNTS if observation.arch in SCRATCH_BY_BUFFER else (*_SCRATCH, *_COUNTS)
        found += [(label, _most(observation, pattern)) for label, pattern in counts]
        found += _bases(observation)
    return found


_METRICS = (
    ("VGPRs", "vgprs"),
    ("AGPRs", "agprs"),
    ("SGPRs", "sgprs"),
    ("VGPR spills", "vgpr_spills"),
    ("SGPR spills", "sgpr_spills"),
    ("scratch bytes", "scratch_bytes"),
    ("LDS bytes", "lds_bytes"),
    ("occupancy", "occupancy"),
)
_SCRATCH = (("scratch loads", "scratch_load*"), ("scratch stores", "scratch_store*"))
_COUNTS = (("instructions", "*"),)


def _most(observation: Observation, pattern: str) -> int:
    return max(
        sum(count for name, count in kernel.instructions.items() if fnmatch.fnmatchcase(name, pattern))
        for kernel in observation.kernels
    )


def _bases(observation: Observation) -> list[tuple[str, int]]:
    kernels: Sequence[Kernel] = observation.kernels
    names = sorted({name for kernel in kernels for name in kernel.bases if _is_read(name)})
    return [(f"{name} bases", max(kernel.bases.get(name, 0) for kernel in kernels)) for name in names]


def _is_read(mnemonic: str) -> bool:
    return any(fnmatch.fnmatchcase(mnemonic, pattern) for pattern in BASES_OF)
