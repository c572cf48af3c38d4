"""Bisecting releases: in which one the bug appeared, or was fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flybisect.bisect.answer import Answer
from flybisect.bisect.bisector import Bisector
from flybisect.bisect.endpoints import EndpointOracle, Find
from flybisect.bisect.entry import Attempt
from flybisect.bisect.observer import Observer
from flybisect.errors import UserError
from flybisect.judge.flaky import FlakinessNotes
from flybisect.toolchain.model import Exactness, Toolchain, Unavailable
from flybisect.toolchain.store import Notify, silent
from flybisect.toolchain.toolchains import Toolchains


@dataclass(frozen=True)
class ReleaseEntry:
    """A release is obtained by installing it."""

    name: str
    toolchains: Toolchains
    costly: bool = False

    @property
    def label(self) -> str:
        return self.name

    def attempts(self) -> Sequence[Attempt]:
        return (Attempt(self.name, f"the release {self.name}", Exactness.EXACT, self._install),)

    def why_none(self) -> str:
        return "is unavailable"

    def _install(self) -> Toolchain:
        try:
            return self.toolchains.get(self.name)
        except UserError as error:  # The others may still be installed.
            raise Unavailable(str(error)) from error


@dataclass(frozen=True)
class ReleaseSearch:
    """One search over `versions`, oldest first."""

    versions: Sequence[str]
    toolchains: Toolchains
    observer: Observer
    measure: EndpointOracle
    notify: Notify = silent
    notes: FlakinessNotes | None = None
    """Where the number of runs of each release is kept."""

    def run(self, find: Find | None, jobs: int) -> Answer:
        """Raises UserError where the endpoints do not differ, or differ the other way than `find`."""
        entries = [ReleaseEntry(version, self.toolchains) for version in self.versions]
        bisector = Bisector(entries, self.observer, self.measure, self.notify, jobs=jobs, notes=self.notes)
        bisector.check_endpoints(find, narrow=True)
        return bisector.answer(bisector.search())
