"""The options of `flybisect run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flybisect.bisect.endpoints import Find
from flybisect.errors import UserError
from flybisect.workflows.commits import CommitOptions


@dataclass(frozen=True)
class RunOptions:
    """Beside the case itself."""

    releases: str | None = None
    """`A..B`; None: no releases are searched."""
    whole_matrix: bool = False
    """Every release of the range in the report's table, and not only those that the bisection needed."""
    pre: bool = False
    variants: Sequence[tuple[str, ...]] = ()
    """Other arguments of the unreduced script, tried under the releases of the table."""
    commits: CommitOptions | None = None
    """Its range is empty where the releases' boundary is to be taken."""
    reduced: Path | None = None
    """A script that is taken for the reduced one, in place of a reduction; it is judged first."""
    find: Find | None = None
    output: Path | None = None
    """Where a report is to go; looked at before the work. None: into the session's folder."""
    extra_index_url: str | None = None

    def __post_init__(self) -> None:
        """Raises UserError where options do not go together."""
        if self.releases is None and (self.whole_matrix or self.variants):
            raise UserError("--matrix and --variant are about releases; say which with --releases A..B")
