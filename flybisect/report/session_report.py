"""What the commands that write about a session share: its findings, its report, its bundle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flybisect.git.repository import Repository
from flybisect.report import bundle as bundles
from flybisect.report.gather import bench_of, gather
from flybisect.report.markdown import as_markdown
from flybisect.report.redaction import Redaction, here
from flybisect.session.listing import SessionEntry, session_named
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.store import Notify
from flybisect.workflows.findings import Findings


@dataclass(frozen=True)
class SessionReport:
    """Of one session."""

    entry: SessionEntry
    workdir: Path
    found: Findings
    private: Redaction
    notify: Notify

    @property
    def markdown(self) -> str:
        return as_markdown(self.found, self.private)

    @property
    def toolchain(self) -> Toolchain:
        """Under which the script shows its bug. Raises UserError where it is not available any more."""
        return bench_of(self.entry, self.workdir, self.notify).subject.toolchain

    def write_bundle(self, path: Path) -> str | None:
        """Written and run once. A sentence where that run does not show the bug. Raises UserError."""
        texts = bundles.contents(self.found, self.markdown, self.private)
        bundles.write(path, texts)
        self.notify("running reproduce.sh of the bundle")
        checked = bundles.check(texts, self.toolchain, self.found.arch)
        if checked.shows:
            return None
        return f"{path} is written, but its reproduce.sh does not show the bug: {checked.why}"


def report_of(
    session: str | None, workdir: Path, repository: Repository | None, notify: Notify
) -> SessionReport:
    """Of a session by its name, else of the last one. Raises UserError where it holds too little."""
    entry = session_named(session, workdir)
    found = gather(entry, workdir, repository, notify)
    private = here([entry.case.script.parent, found.folder, workdir, Path.cwd()])
    return SessionReport(entry, workdir, found, private, notify)
