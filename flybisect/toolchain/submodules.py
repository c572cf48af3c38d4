"""The submodules of a checked-out commit: from the user's clone, else fetched from their address."""

from __future__ import annotations

import configparser
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flybisect.git.objects import usable_path
from flybisect.git.remote import bare_repository, fetch_commit
from flybisect.git.repository import SUBMODULE, Repository, TreeEntry
from flybisect.git.worktree import check_out
from flybisect.toolchain.fingerprint import of_folder
from flybisect.toolchain.store import Notify, silent


@dataclass(frozen=True)
class SubmoduleStandIn:
    """A plain folder that the user put in place of a submodule whose pin is unavailable."""

    path: str
    """The submodule's, in the tree."""
    folder: Path
    key: str
    """Changes when any of its files does."""


def stand_ins(clone: Repository, commit: str) -> tuple[SubmoduleStandIn, ...]:
    """Submodules of `commit` that the clone's configuration gives a folder without git for, as
    `git config submodule.thirdparty/dlpack.url /a/folder`. A pin that the clone holds goes before."""
    found = []
    for entry, name, url in _submodules(clone, commit):
        folder = Path(url)
        if _is_plain(folder) and _local(clone, entry, name) is None:
            found.append(SubmoduleStandIn(entry.path, folder, of_folder(folder)))
    return tuple(found)


def fill_submodules(
    tree: Path, clone: Repository, commit: str, needed: str, kept: Path, notify: Notify = silent
) -> dict[str, str]:
    """Puts the submodules that `commit` pins into `tree`, where it is checked out.

    Those whose path the text `needed` contains are fetched where the clone lacks them, and kept below
    `kept`. Submodules of submodules are left out: FlyDSL needs the headers of its own alone. Returns a
    sentence for the path of each that is unavailable, which is left empty.
    """
    missing = {}
    for entry, name, url in _submodules(clone, commit):
        if not (tree / entry.path).resolve().is_relative_to(tree.resolve()):
            missing[entry.path] = f"the submodule {entry.path} lies behind a link that leads out of the tree"
            continue
        source = _local(clone, entry, name)
        if source is None and _is_plain(Path(url)):
            _copy(Path(url), tree / entry.path)
            continue
        if source is None and entry.path in needed:
            source = _fetched(url, entry, kept / name.replace("/", "-"), notify)
        if source is None:
            missing[entry.path] = _sentence(clone, entry, name, url)
            # What another commit pinned must not be taken for it.
            shutil.rmtree(tree / entry.path, ignore_errors=True)
        else:
            check_out(tree / entry.path, source, entry.hash)
    return missing


def _submodules(clone: Repository, commit: str) -> Iterator[tuple[TreeEntry, str, str]]:
    """Each with its name and its address, which is empty where it has none."""
    registered = _registered(clone.text(commit, ".gitmodules") or "")
    for entry in clone.files(commit):
        if entry.mode == SUBMODULE:
            name, url = registered.get(entry.path, (entry.path, ""))
            # The user may have given it another address, as for a mirror (git-submodule(1)).
            yield entry, name, clone.setting(f"submodule.{name}.url") or ("" if _is_plain(Path(url)) else url)


def _is_plain(folder: Path) -> bool:
    """Whether it is a folder that holds no repository. Only the user may name one, and no commit."""
    if not (folder.is_absolute() and folder.is_dir()):
        return False
    return not any((folder / name).exists() for name in (".git", "HEAD"))


def _copy(source: Path, target: Path) -> None:
    """Makes `target` a copy, times included, so that a build goes on from what it has."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def _local(clone: Repository, entry: TreeEntry, name: str) -> Repository | None:
    """The user's own clone of it, if that holds the pinned commit."""
    return next((each for each in clone.submodule(name, entry.path) if each.find(entry.hash)), None)


def _fetched(url: str, entry: TreeEntry, folder: Path, notify: Notify) -> Repository | None:
    """None where there is no address, or the commit does not come from it."""
    if not url or url.startswith("."):
        return None
    store = bare_repository(folder)
    if not store.find(entry.hash):
        notify(f"fetching the submodule {entry.path} from {url}")
        fetch_commit(folder, url, entry.hash)
    return store if store.find(entry.hash) else None


def _registered(gitmodules: str) -> dict[str, tuple[str, str]]:
    """Name and address by path, from a `.gitmodules` (gitmodules(5))."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string("\n".join(line.strip() for line in gitmodules.splitlines()))
    except configparser.Error:
        return {}
    named = {
        section["path"]: (title.removeprefix("submodule ").strip('"'), section.get("url", ""))
        for title, section in parser.items()
        if "path" in section
    }
    # A name becomes a folder, so one that leads elsewhere is none; git refuses it, too.
    return {path: (name, url) for path, (name, url) in named.items() if usable_path(name)}


def _sentence(clone: Repository, entry: TreeEntry, name: str, url: str) -> str:
    return (
        f"the submodule {entry.path} at {entry.hash[:12]} is neither in {clone.folder} nor available from "
        f"{url or 'an address in .gitmodules'}; with a network, run "
        f"`git -C {clone.folder} submodule update --init {entry.path}`; without one, name a folder with its "
        f"files by `git -C {clone.folder} config submodule.{name}.url FOLDER`"
    )
