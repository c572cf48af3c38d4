"""The suite of real kernels: what `suite.yaml` names, and how each is laid out from its repository."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

MANIFEST = Path(__file__).with_name("suite.yaml")
DRIVERS = Path(__file__).parent / "scripts" / "suite"


@dataclass(frozen=True)
class Edit:
    """A text of a fetched file, and what stands in its place."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Kernel:
    """A kernel of the manifest; its head says what the fields mean."""

    name: str
    repository: str
    commit: str
    folders: tuple[str, ...]
    path: str
    driver: str
    case: Mapping[str, Any]
    statements: int
    measured: str
    edits: tuple[Edit, ...] = ()
    figure: str | None = None
    by_hand: int | None = None


def kernels(manifest: Path = MANIFEST) -> list[Kernel]:
    """In the manifest's order. Raises TypeError where an entry lacks a field or has one too many."""
    return [_kernel(entry) for entry in yaml.safe_load(manifest.read_text())["kernels"]]


def _kernel(entry: Mapping[str, Any]) -> Kernel:
    edits = tuple(Edit(**edit) for edit in entry.get("edits", ()))
    return Kernel(**{**entry, "folders": tuple(entry["folders"]), "edits": edits})


def lay_out(kernel: Kernel, clones: Sequence[str], folder: Path, cache: Path) -> Path:
    """Make the case in `folder`, anew, and return it.

    `clones`: folders or URLs that may have the commit; the kernel's own repository comes last. `cache`: where
    a commit that had to be fetched is kept. Raises ValueError where no clone has the commit, or where an edit
    does not fit.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    clone = _clone_with(kernel, clones, cache)
    packed = _git(clone, "archive", kernel.commit, *kernel.folders)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    for edit in kernel.edits:
        path = folder / edit.file
        path.write_text(edited(path.read_text(), edit))
    for package in _packages(kernel.folders):
        (folder / package / "__init__.py").touch()
    shutil.copy(DRIVERS / kernel.driver, folder)
    (folder / "setup.cfg").touch()  # Modules are looked for up to here.
    case = {"script": kernel.driver, **kernel.case}
    (folder / "case.yaml").write_text(yaml.safe_dump(case, sort_keys=False))
    return folder


def edited(text: str, edit: Edit) -> str:
    """The text with each place of `old` replaced. Raises ValueError where there is none."""
    if edit.old not in text:
        raise ValueError(f"{edit.file} does not have the text {edit.old!r}")
    return text.replace(edit.old, edit.new)


def _packages(folders: Sequence[str]) -> Iterator[str]:
    """Folders above those that are laid out."""
    for folder in folders:
        yield from (str(above) for above in Path(folder).parents if above != Path())


def _clone_with(kernel: Kernel, clones: Sequence[str], cache: Path) -> Path:
    for clone in clones:
        if Path(clone).is_dir() and _has(Path(clone), kernel.commit):
            return Path(clone)
    fetched = cache / kernel.commit
    if fetched.is_dir() and _has(fetched, kernel.commit):
        return fetched
    for url in (*(clone for clone in clones if not Path(clone).is_dir()), kernel.repository):
        subprocess.run(["git", "init", "--quiet", "--bare", str(fetched)], check=True)
        got = subprocess.run(
            ["git", "-C", str(fetched), "fetch", "--quiet", "--depth", "1", url, kernel.commit]
        )
        if got.returncode == 0:
            return fetched
    raise ValueError(f"no clone has the commit {kernel.commit} of {kernel.repository}; give one with --clone")


def _has(clone: Path, commit: str) -> bool:
    found = subprocess.run(
        ["git", "-C", str(clone), "cat-file", "-e", f"{commit}^{{commit}}"], capture_output=True
    )
    return found.returncode == 0


def _git(clone: Path, *argv: str) -> bytes:
    return subprocess.run(["git", "-C", str(clone), *argv], check=True, capture_output=True).stdout
