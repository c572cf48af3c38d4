"""The FlyDSLs of one run, each resolved once."""

from __future__ import annotations

from pathlib import Path

from flybisect.errors import UserError
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.resolve import resolve
from flybisect.toolchain.rocm import Rocm, find_rocm
from flybisect.toolchain.store import Notify


class Toolchains:
    """Resolves toolchains below one working folder; the linker is looked for once."""

    def __init__(self, workdir: Path, notify: Notify, extra_index_url: str | None = None) -> None:
        self._workdir = workdir
        self._notify = notify
        self._extra_index_url = extra_index_url
        self._found: dict[str, Toolchain] = {}
        self._rocm: Rocm | None = None

    def get(self, spec: str) -> Toolchain:
        """Raises UserError where there is none of that name, no linker, or nowhere to stage one."""
        if spec not in self._found:
            self._found[spec] = resolve(
                spec, self._workdir, self.rocm(), extra_index_url=self._extra_index_url, notify=self._notify
            )
        return self._found[spec]

    def rocm(self) -> Rocm:
        """Raises UserError where there is no linker, or nowhere to stage one."""
        if self._rocm is None:
            try:
                self._rocm = find_rocm(self._workdir)
            except OSError as error:
                raise unwritable(self._workdir, error) from error
        return self._rocm


def unwritable(workdir: Path, error: OSError) -> UserError:
    """The sentence for a working folder that cannot be made or written."""
    what = "written" if workdir.is_dir() else "made"
    reason = error.strerror or error
    return UserError(f"the working folder {workdir} cannot be {what} ({reason}); give another with --workdir")
