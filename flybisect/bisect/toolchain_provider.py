"""From a commit and a strategy to its Toolchain."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from flybisect.bisect.entry import Attempt
from flybisect.bisect.strategies import Piece, Strategy
from flybisect.errors import UserError
from flybisect.git.build_inputs import PYTHON, Inputs
from flybisect.git.command import GitFailed
from flybisect.git.landmarks import Landmark, differing
from flybisect.git.repository import Repository
from flybisect.toolchain.installed import installed_site
from flybisect.toolchain.model import CommitBuilder, Exactness, Toolchain, Unavailable
from flybisect.toolchain.overlay import overlay
from flybisect.toolchain.store import Notify
from flybisect.toolchain.toolchains import Toolchains


class ToolchainProvider:
    """Makes toolchains, each once. Safe to use from several threads."""

    def __init__(
        self,
        repository: Repository,
        toolchains: Toolchains,
        workdir: Path,
        notify: Notify,
        builder: CommitBuilder | None = None,
        imported: Sequence[str] = (),
    ) -> None:
        self._repository = repository
        self._toolchains = toolchains
        self._workdir = workdir
        self._notify = notify
        self._builder = builder
        self._imported = imported
        self._lock = threading.Lock()
        self._sites: dict[Landmark, Path] = {}
        self.made: dict[str, tuple[Strategy, Toolchain]] = {}
        """What was used, by the toolchain's key."""
        self.logs: dict[str, str] = {}
        """Where the output of builds from source is, by the toolchain's key."""

    def get(self, commit: str, inputs: Inputs, way: Strategy) -> Toolchain:
        """Raises Unavailable where this commit can't be obtained that way, UserError where none can."""
        found = self._make(commit, inputs, way)
        self.made.setdefault(found.key, (way, found))
        if way.kind == "source" and self._builder is not None:
            self.logs.setdefault(found.key, str(self._builder.log(commit)))
        return found

    def attempt(self, commit: str, inputs: Inputs, way: Strategy) -> Attempt:
        """A strategy as something that the bisector can try."""
        return Attempt(
            name=commit,
            way=str(way),
            exactness=way.exactness,
            obtain=lambda: self.get(commit, inputs, way),
            builds=way.kind == "source",
            pieces=tuple(map(self.piece, way.pieces)),
        )

    def piece(self, piece: Piece) -> Attempt:
        """A Python half over the natives of a release, which need not be there to be installed."""
        way = Strategy("overlay", Exactness.INEXACT, piece.natives)

        def obtain() -> Toolchain:
            try:
                return self.get(piece.python.commit, piece.python.inputs, way)
            except UserError as error:
                raise Unavailable(str(error)) from error

        return Attempt(piece.python.commit, str(way), way.exactness, obtain)

    def inputs(self, commit: str) -> Inputs:
        """What a commit is built of, and what the script imports of it."""
        return self._repository.inputs(commit, self._imported)

    def _make(self, commit: str, inputs: Inputs, way: Strategy) -> Toolchain:
        if way.release is None:
            if self._builder is None:
                raise Unavailable("nothing builds from source")
            return self._builder.build(commit)
        site = self._site(way.release)
        if way.kind == "release":
            return self._toolchains.get(way.release.version)
        return self._over(commit, inputs, way.release, site, way)

    def _over(self, commit: str, inputs: Inputs, mark: Landmark, site: Path, way: Strategy) -> Toolchain:
        paths = [PYTHON, *(path for path, found in inputs.imported if found)]

        def write(folder: Path) -> None:
            for path in paths:
                name = "flydsl" if path == PYTHON else path
                try:
                    self._repository.export(commit, path, folder / name)
                except GitFailed as error:
                    raise Unavailable(f"{path} of {commit[:12]} can't be written: {error}") from error

        made = overlay(
            site,
            mark.version,
            write,
            "\0".join((inputs.python, *(f"{path} {found}" for path, found in inputs.imported))),
            self._workdir,
            self._toolchains.rocm(),
            spec=commit[:12],
            exactness=way.exactness,
            notify=self._notify,
        )
        # The key is of the package; what the script imports of the repository counts too.
        more = "".join(found for _, found in inputs.imported)
        return replace(made, key=f"{made.key}{more}")

    def _site(self, mark: Landmark) -> Path:
        """The folder of a release that is what its commit says."""
        with self._lock:
            if mark not in self._sites:
                toolchain = self._toolchains.get(mark.version)
                site = toolchain.paths[0] if toolchain.paths else installed_site()
                if site is None:
                    raise Unavailable(f"the release {mark.version} is not where it was")
                wrong = differing(self._repository, mark.commit, site)
                if wrong:
                    raise Unavailable(
                        f"the release {mark.version} is not the commit {mark.commit[:12]}: "
                        f"{len(wrong)} files differ, as {wrong[0]}"
                    )
                self._sites[mark] = site
            return self._sites[mark]
