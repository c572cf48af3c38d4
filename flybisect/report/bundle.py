"""A zip with everything that belongs to a report. Its `reproduce.sh` is run before the zip counts as good."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from flybisect.errors import UserError
from flybisect.probe.outside import run_confined
from flybisect.report import command
from flybisect.report.redaction import Redaction
from flybisect.report.reproduce import reproduce_sh
from flybisect.toolchain.model import Toolchain
from flybisect.workflows.findings import Findings

TIMEOUT = 900.0
"""Seconds for a run of `reproduce.sh`."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""Of every entry, so that equal contents give equal files."""


@dataclass(frozen=True)
class Checked:
    """The result of a run of `reproduce.sh`."""

    shows: bool
    why: str


def contents(found: Findings, report: str, private: Redaction) -> dict[str, str]:
    """Text by name."""
    return {name: private.script(text) for name, text in _contents(found, report, private)}


def write(path: Path, texts: dict[str, str]) -> None:
    """Raises UserError when the file cannot be written."""
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, text in texts.items():
                entry = zipfile.ZipInfo(f"{path.stem}/{name}", EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = (0o755 if name.endswith(".sh") else 0o644) << 16
                packed.writestr(entry, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error


def check(texts: dict[str, str], toolchain: Toolchain, arch: str) -> Checked:
    """Run `reproduce.sh` under the case's FlyDSL, confined like a trial."""
    files = {name: text for name, text in texts.items() if "/" not in name or name.endswith(".py")}
    ended = run_confined(files, "bash ./reproduce.sh python", toolchain, arch, TIMEOUT)
    if ended.code is None:
        return Checked(False, f"it did not finish within {TIMEOUT:.0f} s, or ran out of memory")
    output = ended.said.strip().splitlines()
    return Checked(ended.code == 0, f"exit code {ended.code}: {output[-1] if output else 'no output'}")


def _contents(found: Findings, report: str, private: Redaction) -> Iterator[tuple[str, str]]:
    yield "report.md", report
    yield command.NAME, found.script.text
    if found.reduced is not None:
        yield "original.py", found.original.text
    if found.symptom is not None:
        yield "symptom.py", found.symptom.text
    yield from _beside(found)
    yield command.OBSERVER, command.observer_text()
    yield "reproduce.sh", reproduce_sh(found)
    if found.dump is not None:
        for number, module in enumerate(found.dump.origin):
            yield f"ir/{_numbered(number)}00_origin.mlir", module
        for number, module in enumerate(found.dump.ir):
            yield f"ir/{_numbered(number)}{found.dump.stage}.mlir", module
        yield "ir/pipeline.txt", "\n".join(found.dump.passes) + "\n"
        for number, text in enumerate(found.dump.assembly):
            yield f"assembly/{_numbered(number)}kernel.s", text
    if found.bisect_log is not None:
        yield "git-bisect.log", found.bisect_log
    yield "metadata.json", private.text(json.dumps(_metadata(found), indent=2)) + "\n"


def _beside(found: Findings) -> Iterator[tuple[str, str]]:
    """Python files of the script's folder that it runs. Raises UserError when one is gone."""
    for name in found.script.observation.python_files:
        path = found.case.script.parent / name
        try:
            yield name, path.read_bytes().decode("utf-8", "surrogateescape")
        except OSError as error:
            raise UserError(f"{path}, which the script runs, cannot be read: {error.strerror}") from error


def _numbered(number: int) -> str:
    return f"module{number}_" if number else ""


def _metadata(found: Findings) -> dict[str, object]:
    data: dict[str, object] = {
        "oracle": found.oracle,
        "signature": found.signature,
        "condition": found.condition,
        "argv": list(found.case.arguments),
        "env": dict(found.case.env),
        "environment": asdict(found.environment),
        "arch": found.arch,
        "figures": {column.title: dict(column.figures) for column in found.script.columns},
        "kernels": [asdict(kernel) for kernel in found.script.observation.kernels],
    }
    for name in ("reduction", "releases", "matrix", "commits"):
        data[name] = getattr(found, name)
    return data
