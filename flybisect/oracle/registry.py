"""Finds oracle plugins: the built-in ones, those of installed distributions, and files of the user."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any, TypeVar

from flybisect.errors import UserError
from flybisect.observation import Observation, Verdict
from flybisect.oracle import yaml_oracle
from flybisect.oracle.plugin import (
    Evidence,
    Margin,
    Options,
    Oracle,
    Plugin,
    TrialLimits,
    WrappingOracle,
)

PACKAGE = "flybisect.oracles"
GROUP = "flybisect.oracles"
"""Entry-point group; each entry names a `Plugin`, or a module that defines `PLUGIN`."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class OracleListing:
    """The oracles that are available by name."""

    plugins: tuple[Plugin, ...]
    problems: tuple[str, ...] = ()
    """One sentence about each installed plugin that is unusable."""


def listing() -> OracleListing:
    """Every oracle that is available by name."""
    found = {plugin.name: plugin for plugin in _shipped()}
    problems: list[str] = []
    for entry in metadata.entry_points(group=GROUP):
        origin = f"the installed oracle {entry.name} ({entry.value})"
        try:
            plugin = _guarded(_plugin_of(_foreign(entry.load, origin), origin), origin)
        except UserError as error:
            problems.append(str(error))
            continue
        if plugin.name in found:
            problems.append(f"{origin} is left out: another oracle has the name {plugin.name}")
            continue
        found[plugin.name] = plugin
    return OracleListing(tuple(found[name] for name in sorted(found)), tuple(problems))


def load(spec: str) -> Plugin:
    """The plugin with the name `spec`, or in the file `spec` (`.py`, `.yaml`, `.yml`).

    Raises UserError if there is none, or the file does not define one.
    """
    if spec.endswith((".yaml", ".yml")):
        return _checking(yaml_oracle.load(Path(spec)))
    if spec.endswith(".py"):
        return _checking(_from_file(Path(spec)))
    shipped = next((plugin for plugin in _shipped() if plugin.name == spec), None)
    if shipped is not None:
        return _checking(shipped)
    known = listing()
    for plugin in known.plugins:
        if plugin.name == spec:
            return _checking(plugin)
    raise UserError(_unknown(spec, known))


def _checking(plugin: Plugin) -> Plugin:
    """The same plugin, which rejects options that it does not accept."""

    def build(options: Options) -> Oracle:
        plugin.checked(options)
        return plugin.build(options)

    return replace(plugin, build=build)


def _unknown(spec: str, known: OracleListing) -> str:
    names = [plugin.name for plugin in known.plugins]
    close = difflib.get_close_matches(spec, names, n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    broken = [problem for problem in known.problems if spec in problem]
    text = f"there is no oracle {spec!r}{hint}; give {', '.join(names)}, or the path of a .py or .yaml file"
    return "; ".join([text, *broken])


@cache
def _shipped() -> tuple[Plugin, ...]:
    """The built-in plugins, read once."""
    return tuple(_in_package())


def _in_package() -> Iterator[Plugin]:
    for item in sorted(resources.files(PACKAGE).iterdir(), key=lambda item: item.name):
        stem, _, suffix = item.name.rpartition(".")
        if suffix == "yaml":
            yield yaml_oracle.parse(item.read_text(encoding="utf-8"), item.name)
        elif suffix == "py" and not stem.startswith("_"):
            module = importlib.import_module(f"{PACKAGE}.{stem}")
            yield _plugin_of(module, item.name)


def _from_file(path: Path) -> Plugin:
    if not path.is_file():
        raise UserError(f"there is no oracle file {path}")
    origin = str(path)
    name = f"flybisect_oracle_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path}: cannot be imported")
    module = importlib.util.module_from_spec(spec)
    loader = spec.loader
    sys.modules[name] = module  # dataclasses look up their module while the body runs
    _foreign(lambda: loader.exec_module(module), origin)
    return _guarded(_plugin_of(module, origin), origin)


def _plugin_of(found: object, origin: str) -> Plugin:
    plugin = found if isinstance(found, Plugin) else getattr(found, "PLUGIN", None)
    if not isinstance(plugin, Plugin):
        raise UserError(f"{origin}: defines no PLUGIN (flybisect.oracle.plugin.Plugin)")
    return plugin


def _guarded(plugin: Plugin, origin: str) -> Plugin:
    """The same plugin, whose own errors become UserError."""

    def build(options: Options) -> Oracle:
        return _guarded_oracle(_foreign(lambda: plugin.build(options), origin), origin)

    return replace(plugin, build=build)


class _Guarded(WrappingOracle):
    def __init__(self, oracle: Oracle, origin: str) -> None:
        super().__init__(oracle)
        self.origin = origin

    def judge(self, evidence: Evidence) -> Verdict:
        return _foreign(lambda: self.oracle.judge(evidence), self.origin)

    def needs_baseline(self, subject: Observation) -> bool:
        return _foreign(lambda: self.oracle.needs_baseline(subject), self.origin)

    def trial_limits(self, baseline: Observation) -> TrialLimits | None:
        return _foreign(lambda: self.oracle.trial_limits(baseline), self.origin)

    def specialized(self, first: Evidence) -> Oracle:
        settled = _foreign(lambda: self.oracle.specialized(first), self.origin)
        return self if settled is self.oracle else _guarded_oracle(settled, self.origin)

    def margins(self, evidence: Evidence) -> Mapping[str, Margin]:
        return _foreign(lambda: self.oracle.margins(evidence), self.origin)


class _Plain(Oracle):
    """Wraps an oracle whose class does not derive from `Oracle` but has a name, `wants` and two methods."""

    def __init__(self, oracle: Any) -> None:
        self._oracle = oracle
        self.name, self.wants = str(oracle.name), frozenset(oracle.wants)

    def judge(self, evidence: Evidence) -> Verdict:
        verdict: Verdict = self._oracle.judge(evidence)
        return verdict

    def needs_baseline(self, subject: Observation) -> bool:
        return bool(self._oracle.needs_baseline(subject))


def _guarded_oracle(built: object, origin: str) -> Oracle:
    oracle = built if isinstance(built, Oracle) else _foreign(lambda: _Plain(built), origin)
    return _Guarded(oracle, origin)


def _foreign(action: Callable[[], Result], origin: str) -> Result:
    try:
        return action()
    except UserError:
        raise
    except Exception as error:  # third-party code may raise anything
        raise UserError(f"{origin}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """For example `line 3: NameError: name 'x' is not defined`, from the innermost frame."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {type(error).__name__}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    text = f"{type(error).__name__}: {error}".splitlines()[0]
    return f"line {frames[-1].lineno}: {text}" if frames else text
