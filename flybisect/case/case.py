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
    valid_on: 0.2.4                 # or a list: FlyDSLs that a reduced script has to compile on
    pattern: 'ds_read_b\\d+'         # of the oracles text and ir
    absent: true                    # it must not be there
    stage: fly-layout-lowering      # where the oracle ir looks
    command: ./judge.sh             # of the oracle command
    same_as: [verifier, "'ub.poison' op"]   # other texts of the same bug
    timeout: 120                    # wall seconds per trial
    memory: 8192                    # MiB per trial

Only `script` is needed. Paths are meant from the folder of the file. A folder can hold more cases as
`NAME.case.yaml`; such a one is used where it is named in place of the script.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from flybisect.case.command_paths import with_absolute_paths
from flybisect.case.limits import MEMORIES, TIMEOUTS
from flybisect.case.variables import Variables, in_file
from flybisect.case.yaml_file import (
    LARGEST_NUMBER,
    checked_mapping,
    expanded,
    number_at,
    parse_mapping,
    read_mapping,
    shown,
    text_at,
)
from flybisect.errors import UserError

FILE = "case.yaml"
SOUGHT = ("pattern", "absent", "stage", "command", "same_as")
KEYS = (
    *("script", "args", "arch", "env", "flydsl", "oracle", "against", "when", "valid_on"),
    *(*SOUGHT, "timeout", "memory"),
)
AGAINST_KEYS = ("args", "flydsl", "arch")


@dataclass(frozen=True)
class Against:
    """What the subject is compared with: itself under another argv, FlyDSL or arch."""

    argv: tuple[str, ...] | None = None
    flydsl: str | None = None
    arch: str | None = None


@dataclass(frozen=True)
class Sought:
    """What an oracle that looks for something of the user's looks for. None and empty: not said."""

    pattern: str | None = None
    """A regular expression."""
    absent: bool | None = None
    stage: str | None = None
    command: str | None = None
    same_as: tuple[str, ...] = ()
    """Other signatures, or pieces of their text, that count as the same bug."""

    def before(self, other: Sought) -> Sought:
        """This, and where it says nothing, the other."""
        return Sought(**{name: _said(getattr(self, name), getattr(other, name)) for name in SOUGHT})


NOTHING_MORE = Sought()


def _said(first: Any, second: Any) -> Any:
    return second if first is None or first == () else first


@dataclass(frozen=True)
class Case:
    """What is being studied. Fields that are None are for the caller to fill (`arch`: from the script)."""

    script: Path
    argv: tuple[str, ...] = ()
    arch: str | None = None
    flydsl: str = "installed"
    """`installed`, a release's version, or the path of an unpacked FlyDSL."""
    oracle: str | None = None
    """Name of a plugin, or the path of one."""
    against: Against | None = None
    when: str | None = None
    """Replaces the oracle's own condition; see `flybisect.oracle.conditions`."""
    timeout: float | None = None
    """Wall seconds per trial; None: adaptive, see `flybisect.case.limits`."""
    memory: int | None = None
    """MiB that a trial may add to its worker."""
    sought: Sought = NOTHING_MORE
    env: Variables = ()
    """Variables that trials have beside the tool's own."""
    valid_on: tuple[str, ...] = ()
    """FlyDSLs without the bug, that a reduced script has to compile on; as `flydsl`."""

    def to_yaml(self) -> str:
        """The text of a case file, with absolute paths."""
        data: dict[str, Any] = {"script": str(self.script.absolute())}
        if self.argv:
            data["args"] = list(self.argv)
        if self.env:
            data["env"] = dict(self.env)
        for key in ("arch", "flydsl", "oracle", "when", "valid_on", *SOUGHT, "timeout", "memory"):
            value = getattr(self.sought if key in SOUGHT else self, key)
            if value is not None and value != ():
                data[key] = list(value) if isinstance(value, tuple) else value
        if self.against is not None:
            pairs = {"args": self.against.argv, "flydsl": self.against.flydsl, "arch": self.against.arch}
            data["against"] = {
                k: list(v) if isinstance(v, tuple) else v for k, v in pairs.items() if v is not None
            }
        return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)


def load(path: Path) -> Case:
    """The case in a file. Raises UserError with the file's name and what is wrong in it."""
    return _case(read_mapping(path, KEYS), str(path), path.absolute().parent)


def parse(text: str, origin: str, folder: Path) -> Case:
    """As `load`, of a text whose paths are meant from `folder`."""
    return _case(parse_mapping(text, origin, KEYS), origin, folder)


def find(path: Path) -> Case:
    """The case that a path on the command line stands for.

    A script: the `case.yaml` beside it when that is about this script, else a case of defaults. A
    folder: its `case.yaml`. A YAML file: that case. Raises UserError when there is no such thing.
    """
    if path.is_dir():
        if not (path / FILE).is_file():
            raise UserError(f"{path} is a folder without a {FILE}; name a script instead")
        return _with_script(load(path / FILE), path / FILE)
    if not path.exists():
        raise UserError(f"there is no file {path}")
    if path.suffix in (".yaml", ".yml"):
        return _with_script(load(path), path)
    beside = path.absolute().parent / FILE
    if beside.is_file():
        case = load(beside)
        if case.script.resolve() == path.resolve():
            return case
    return Case(script=path.absolute())


def _with_script(case: Case, origin: Path) -> Case:
    if not case.script.is_file():
        raise UserError(f"{origin}: its script {case.script} does not exist")
    return case


def _case(data: dict[str, Any], origin: str, folder: Path) -> Case:
    script = text_at(data, "script", origin)
    if not script:
        raise UserError(f"{origin}: says no script (script: NAME.py)")
    memory = number_at(data, "memory", origin, *MEMORIES)
    flydsl = text_at(data, "flydsl", origin)
    oracle = text_at(data, "oracle", origin)
    return Case(
        script=folder / script,
        argv=_argv(data.get("args"), "args", origin) or (),
        env=in_file(data.get("env"), origin),
        arch=text_at(data, "arch", origin),
        flydsl=_spec(flydsl, folder) if flydsl else "installed",
        oracle=_oracle(oracle, folder) if oracle else None,
        against=_against(data.get("against"), origin, folder),
        when=text_at(data, "when", origin),
        valid_on=_valid_on(data.get("valid_on"), folder, origin),
        sought=_sought(data, origin, folder),
        timeout=number_at(data, "timeout", origin, *TIMEOUTS),
        memory=None if memory is None else int(memory),
    )


def _sought(data: dict[str, Any], origin: str, folder: Path) -> Sought:
    absent, command = data.get("absent"), text_at(data, "command", origin)
    if absent is not None and not isinstance(absent, bool):
        raise UserError(f"{origin}: absent should be true or false, not {shown(absent)}")
    return Sought(
        pattern=text_at(data, "pattern", origin),
        absent=absent,
        stage=text_at(data, "stage", origin),
        command=None if command is None else with_absolute_paths(command, folder),
        same_as=_texts(data.get("same_as"), f"{origin}: same_as"),
    )


def _texts(value: object, origin: str) -> tuple[str, ...]:
    listed = [] if value is None else value if isinstance(value, list) else [value]
    if not all(isinstance(each, str) and each.strip() for each in listed):
        raise UserError(f"{origin} should be a text or a list of texts, not {shown(value)}")
    return tuple(str(each) for each in listed)


def _valid_on(value: object, folder: Path, origin: str) -> tuple[str, ...]:
    """`0.5` without quotes is one that a person means as text."""
    listed = value if isinstance(value, list) else [] if value is None else [value]
    texts = [str(each) if isinstance(each, float) else each for each in listed]
    return tuple(_spec(each, folder) for each in _texts(texts, f"{origin}: valid_on"))


def _against(value: object, origin: str, folder: Path) -> Against | None:
    if value is None:
        return None
    origin = f"{origin}: against"
    data = checked_mapping(value, origin, AGAINST_KEYS)
    if not data:
        raise UserError(f"{origin}: says nothing ({', '.join(AGAINST_KEYS)})")
    flydsl = text_at(data, "flydsl", origin)
    return Against(
        argv=_argv(data.get("args"), "args", origin),
        flydsl=_spec(flydsl, folder) if flydsl else None,
        arch=text_at(data, "arch", origin),
    )


def _argv(value: object, key: str, origin: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        return split_args(value, f"{origin}: {key}")
    if isinstance(value, list) and all(
        isinstance(v, str) or (type(v) in (int, float) and abs(v) < LARGEST_NUMBER) for v in value
    ):
        return tuple(str(v) for v in value)
    raise UserError(f"{origin}: {key} should be a text or a list of texts, not {shown(value)}")


def split_args(text: str, origin: str) -> tuple[str, ...]:
    """Arguments as a shell splits them. Raises UserError on an open quote."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UserError(f"{origin}: {error} in {shown(text)}") from error


def _spec(text: str, folder: Path) -> str:
    return str(folder / expanded(text)) if "/" in text else text


def _oracle(text: str, folder: Path) -> str:
    return str(folder / expanded(text)) if text.endswith((".py", ".yaml", ".yml")) else text
