"""By which ways a commit's FlyDSL can be had, best first. Pure but for what a source builder says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flybisect.history.landmarks import Landmark
from flybisect.inputs import Inputs
from flybisect.toolchain.model import Exactness, SourceBuilder, Unavailable


@dataclass(frozen=True)
class Known:
    """A release with what it was built of."""

    mark: Landmark
    inputs: Inputs


@dataclass(frozen=True)
class Way:
    """One way to have a commit."""

    kind: str
    """`release`, `overlay` or `source`."""
    exactness: Exactness
    release: Landmark | None = None
    """The release itself, or the one that lends its natives; None for `source`."""

    def __str__(self) -> str:
        version = "" if self.release is None else self.release.version
        if self.kind == "release":
            return f"the release {version}"
        if self.kind == "overlay":
            return f"its Python over the natives of {version}"
        return "a build from source"


@dataclass(frozen=True)
class Ways:
    """Knows what there is."""

    releases: Sequence[Known]
    """Those that come first are preferred, where several would do."""
    builder: SourceBuilder | None = None
    proxies: bool = False
    """Builds with another LLVM or submodule than the pinned one may be used."""
    lenders: Sequence[Landmark] = ()
    """Releases whose natives may be used under any commit's Python, inexactly; in this order."""

    def exact(self, inputs: Inputs, commit: str) -> list[Way]:
        """All that are what they are called; a proxy build is not."""
        alike = [known for known in self.releases if known.inputs.natives == inputs.natives]
        whole = [known for known in alike if known.inputs.python == inputs.python]
        found = []
        if whole and not inputs.imported:
            found.append(Way("release", Exactness.EXACT, whole[0].mark))
        if alike:
            found.append(Way("overlay", Exactness.EXACT, (whole or alike)[0].mark))
        if self._source(commit) is Exactness.EXACT:
            found.append(Way("source", Exactness.EXACT))
        return found

    def all(self, inputs: Inputs, commit: str) -> list[Way]:
        """Those, then builds that are only near, then other natives under the commit's Python."""
        found = self.exact(inputs, commit)
        source = self._source(commit)
        if self.proxies and source is not None and source is not Exactness.EXACT:
            found.append(Way("source", source))
        borrowed = [Way("overlay", Exactness.INEXACT, mark) for mark in self.lenders]
        return [*found, *(way for way in borrowed if not found)]

    def build_needed(self, inputs: Inputs, commit: str) -> bool:
        """Whether the best way is a build of natives that is still to be made."""
        best = self.all(inputs, commit)[:1]
        return any(way.kind == "source" and not self._ready(commit) for way in best)

    def why_none(self, commit: str) -> str:
        """For a commit that there is no way to."""
        reason = "no release has its natives"
        if self.builder is None:
            return f"can't be had exactly: {reason}"
        try:
            self.builder.exactness(commit)
        except Unavailable as error:
            return f"can't be had exactly: {reason}, and {error}"
        return (
            f"can't be had exactly: {reason}, and a build would have another LLVM or submodule than it pins"
        )

    def _ready(self, commit: str) -> bool:
        return self.builder is not None and self.builder.ready(commit)

    def _source(self, commit: str) -> Exactness | None:
        if self.builder is None:
            return None
        try:
            return self.builder.exactness(commit)
        except Unavailable:
            return None
