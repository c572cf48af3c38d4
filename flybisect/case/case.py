"""A case: what is being studied, as frozen data, and its YAML file.

`case.yaml` beside a script:

    script: kernel.py
    args: gemm --copy buffer64      # or a list
    arch: gfx942
    env: {MYLIB_VARIANT: tanh}      # variables that the script reads
    flydsl: 0.5.0                   # installed, a version, a path
    oracle: legalization            # a name, or the path of a .py or .yaml
    against: {args: raw}            # or flydsl: …, or arch: …
    when: vgpr_spills > base.vgpr_spills
    figure: auto                    # or a figure, as bases("ds_read*"): what a reduction follows
    valid_on: 0.2.4                 # or a list: FlyDSLs that a reduced script has to compile on
    pattern: 'ds_read_b\\d+'         # of the oracles text and ir
    absent: true                    # it must not be there
    stage: fly-layout-lowering      # where the oracle ir looks
    command: ./judge.sh             # of the oracle command
    same_as: [verifier, "'ub.poison' op"]   # other texts of the same bug
    timeout: 120                    # wall seconds per trial
    memory: 8192                    # MiB per trial

Only `script` is needed. Paths are meant from the folder of the file. A folder can hold more cases as
`NAME.case.yaml`; such a one is used where it is named in place of the script. `flybisect.yaml` gives
defaults for every case below its folder, and options of the command line go before both: see `merge`.

A field says all there is about it: how its value is read, in which files it may stand, and its option. A
new one is added here alone.
"""

# ruff: noqa: RUF009
# `declared` makes a field, as `dataclasses.field` does.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from flybisect.case import readers
from flybisect.case.declared import BOTH, CASE_FILE, DEFAULTS_FILE, declared, keys, read, said, written
from flybisect.case.limits import JOBS, MEMORIES, TIMEOUTS
from flybisect.case.variables import Variables, joined
from flybisect.case.yaml_file import checked_mapping, parse_mapping, read_mapping
from flybisect.errors import UserError

INSTALLED = "installed"
UNNAMED = Path()
"""The script of a source that names none."""


@dataclass(frozen=True)
class Baseline:
    """What the case is compared with: the same script under other arguments, another FlyDSL or arch."""

    argv: tuple[str, ...] | None = declared(
        readers.arguments, "Compare with the same script under these arguments.", "TEXT", key="args"
    )
    flydsl: str | None = declared(
        readers.flydsl, "Compare with the same script under another FlyDSL.", "SPEC", completion="flydsl"
    )
    arch: str | None = declared(
        readers.text, "Compare with the same script for another arch.", "ARCH", completion="arch"
    )


def _baseline(value: Any, where: str, folder: Path) -> Baseline:
    known = keys(Baseline, CASE_FILE)
    found = read(Baseline(), checked_mapping(value, where, known), where, folder)
    if found == Baseline():
        raise UserError(f"{where}: says nothing ({', '.join(known)})")
    return found


@dataclass(frozen=True)
class Case:
    """What is being studied, as far as one source says it: a file, defaults, or options.

    None and `()` mean that it says nothing; only `argv` may be empty on purpose. `merge` joins sources.
    """

    script: Path = declared(readers.path, default=UNNAMED)
    """In options: a script, a folder with a case file, a case file, or a test as `test_x.py::test_y[64]`."""
    argv: tuple[str, ...] | None = declared(
        readers.arguments,
        "The script's own arguments; they replace the case's.",
        "-- ARGS",
        list[str],
        key="args",
    )
    arch: str | None = declared(
        readers.text,
        "As gfx942. Else the case's, the installed GPU's, or the only one that the script names.",
        "ARCH",
        completion="arch",
        files=BOTH,
    )
    flydsl: str | None = declared(
        readers.flydsl,
        "`installed`, a version (installed from PyPI once, beside the environment), or a folder.",
        "SPEC",
        completion="flydsl",
        files=BOTH,
    )
    oracle: str | None = declared(
        readers.oracle,
        "The interestingness test; `flybisect oracles` lists them.",
        "NAME|PATH",
        completion="oracle",
        files=BOTH,
    )
    baseline: Baseline | None = declared(_baseline, key="against")
    when: str | None = declared(
        readers.text,
        'The condition, in place of the oracle\'s own, as "vgpr_spills >= base.vgpr_spills + 8".',
        "EXPR",
    )
    """Replaces the oracle's own condition; see `flybisect.oracle.conditions`."""
    figure: str | None = declared(
        readers.text,
        "Reduce by this figure's difference from the baseline, as 'bases(\"ds_read*\")', in place of the "
        "oracle's own condition; auto: by the one that needs no register pressure.",
        "auto|NAME",
    )
    """What a reduction follows; see `flybisect.oracle.follow`. Bisections judge by the oracle."""
    timeout: float | None = declared(
        readers.number(*TIMEOUTS, float),
        "Wall seconds per trial. Without it the limit follows the script's own time.",
        "S",
        float,
        bounds=TIMEOUTS,
        files=BOTH,
    )
    """Wall seconds per trial; None: adaptive, see `flybisect.case.limits`."""
    memory: int | None = declared(
        readers.number(*MEMORIES, int), "Memory per trial.", "MIB", int, bounds=MEMORIES, files=BOTH
    )
    """MiB that a trial may add to its worker."""
    env: Variables = declared(
        readers.variables,
        "A variable for the script; without a value, as it is set here. Repeatable.",
        "NAME[=VALUE]",
        list[str],
        default=(),
        read_option=readers.variable_options,
    )
    """Variables that trials have beside the tool's own."""
    pattern: str | None = declared(
        readers.text, "What the oracles text and ir look for, line by line.", "REGEX"
    )
    absent: bool | None = declared(
        readers.flag, "The pattern must not be there, rather than be there.", kind=bool
    )
    stage: str | None = declared(
        readers.text,
        "The IR that the oracle ir reads: origin, last, isa, or after a pass, as fly-layout-lowering.",
        "NAME",
    )
    command: str | None = declared(
        readers.command,
        "A shell command for the oracle command, given the script: 0 interesting, 125 can't be judged.",
        "TEXT",
    )
    same_as: tuple[str, ...] = declared(
        readers.texts,
        "A failure that counts as the same bug: its signature, its kind, or a piece of it; repeatable.",
        "TEXT",
        list[str],
        default=(),
    )
    """Other signatures, or pieces of their text, that count as the same bug."""
    valid_on: tuple[str, ...] = declared(
        readers.flydsls,
        "A FlyDSL without the bug, on which the reduced script has to compile; repeatable.",
        "SPEC",
        list[str],
        default=(),
        completion="flydsl",
    )
    """As `flydsl`."""
    jobs: int | None = declared(
        readers.number(*JOBS, int),
        "Trials at once; up to 4 cores without it. The result does not depend on it.",
        kind=int,
        bounds=JOBS,
        files=(DEFAULTS_FILE,),
    )
    workdir: Path | None = declared(
        readers.path,
        "Where sessions and installed releases go (see workdirs/README.md).",
        "DIR",
        Path,
        files=(DEFAULTS_FILE,),
    )
    repo: Path | None = declared(readers.path, files=(DEFAULTS_FILE,))
    """A clone of FlyDSL."""
    scheduler: str | None = declared(
        readers.text,
        "Run trials on the workers of this Dask scheduler (docs/cluster.md); else on this machine.",
        "tcp://HOST:PORT",
        files=(),
    )

    @property
    def arguments(self) -> tuple[str, ...]:
        """Of the script; none where nothing says any."""
        return self.argv or ()

    def to_yaml(self) -> str:
        """The text of a case file, with absolute paths."""
        data = written(replace(self, script=self.script.absolute()))
        return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)


def merge(*cases: Case) -> Case:
    """Of each field the first that says something. Variables are joined, name by name."""
    found = Case()
    for case in reversed(cases):
        found = replace(found, **{**said(case), "env": joined(case.env, found.env)})
    return found


def load(path: Path) -> Case:
    """The case in a file. Raises UserError with the file's name and what is wrong in it."""
    return _case(read_mapping(path, keys(Case, CASE_FILE)), str(path), path.absolute().parent)


def parse(text: str, origin: str, folder: Path) -> Case:
    """As `load`, of a text whose paths are meant from `folder`."""
    return _case(parse_mapping(text, origin, keys(Case, CASE_FILE)), origin, folder)


def load_defaults(start: Path) -> Case:
    """Of the nearest `flybisect.yaml` in `start` (a folder) or above. Raises UserError on a bad one."""
    folder = start.absolute()
    for path in (each / DEFAULTS_FILE for each in (folder, *folder.parents)):
        if path.is_file():
            return read(Case(), read_mapping(path, keys(Case, DEFAULTS_FILE)), str(path), path.parent)
    return Case()


def find(path: Path) -> Case:
    """The case that a path on the command line stands for.

    A script: the `case.yaml` beside it when that is about this script, else a case of defaults. A
    folder: its `case.yaml`. A YAML file: that case. Raises UserError when there is no such thing.
    """
    if path.is_dir():
        if not (path / CASE_FILE).is_file():
            raise UserError(f"{path} is a folder without a {CASE_FILE}; name a script instead")
        return _with_script(load(path / CASE_FILE), path / CASE_FILE)
    if not path.exists():
        raise UserError(f"there is no file {path}")
    if path.suffix in (".yaml", ".yml"):
        return _with_script(load(path), path)
    beside = path.absolute().parent / CASE_FILE
    if beside.is_file():
        case = load(beside)
        if case.script.resolve() == path.resolve():
            return case
    return Case(script=path.absolute())


def _with_script(case: Case, origin: Path) -> Case:
    if not case.script.is_file():
        raise UserError(f"{origin}: its script {case.script} does not exist")
    return case


def _case(data: Mapping[str, Any], origin: str, folder: Path) -> Case:
    if data.get("script") is None:
        raise UserError(f"{origin}: says no script (script: NAME.py)")
    return read(Case(), data, origin, folder)
