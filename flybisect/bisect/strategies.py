"""How a commit's FlyDSL can be obtained, best first. Pure but for what a source builder says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flybisect.git.build_inputs import Inputs
from flybisect.git.landmarks import Landmark
from flybisect.toolchain.model import CommitBuilder, Exactness, Unavailable


@dataclass(frozen=True)
class KnownLandmark:
    """A release with what it was built of."""

    mark: Landmark
    inputs: Inputs


@dataclass(frozen=True)
class Python:
    """The Python half of a commit."""

    commit: str
    """Full hash."""
    inputs: Inputs


@dataclass(frozen=True)
class Piece:
    """A Python half over the natives of a release, which need not belong together."""

    python: Python
    natives: Landmark


@dataclass(frozen=True)
class Strategy:
    """One way to obtain a commit's FlyDSL."""

    kind: str
    """`release`, `overlay`, `source` or `crossed`."""
    exactness: Exactness
    release: Landmark | None = None
    """The release itself, or the one that lends its natives; None for the others."""
    pieces: tuple[Piece, ...] = ()
    """Of `crossed`: what stands for the commit where all of them give the same verdict."""

    def __str__(self) -> str:
        version = "" if self.release is None else self.release.version
        if self.kind == "release":
            return f"the release {version}"
        if self.kind == "overlay":
            return f"its Python over the natives of {version}"
        if self.kind == "source":
            return "a build from source"
        if self.exactness is not Exactness.BOTH_PYTHONS:
            return f"its Python over the natives of {' and of '.join(p.natives.version for p in self.pieces)}"
        pythons = " and of ".join(piece.python.commit[:8] for piece in self.pieces)
        return f"the Python of {pythons} over the natives of {self.pieces[0].natives.version}"


@dataclass(frozen=True)
class Strategies:
    """Knows what there is."""

    releases: Sequence[KnownLandmark]
    """Those that come first are preferred, where several would do."""
    builder: CommitBuilder | None = None
    proxies: bool = False
    """Builds with another LLVM or submodule than the pinned one may be used."""
    lenders: Sequence[Landmark] = ()
    """Releases whose natives may be used under any commit's Python, inexactly; in this order."""
    both_natives: tuple[Landmark, ...] = ()
    """Those of the endpoints, where the change follows the Python half; or of one and of another release."""
    natives_label: Exactness = Exactness.BOTH_NATIVES
    """What a verdict by those is called."""
    both_pythons: tuple[Python, ...] = ()
    """Those of the endpoints, where the change follows the native half."""

    def exact(self, inputs: Inputs, commit: str) -> list[Strategy]:
        """All that are what they are called; a proxy build is not."""
        alike = [known for known in self.releases if known.inputs.natives == inputs.natives]
        whole = [known for known in alike if known.inputs.python == inputs.python]
        found = []
        if whole and not inputs.imported:
            found.append(Strategy("release", Exactness.EXACT, whole[0].mark))
        if alike:
            found.append(Strategy("overlay", Exactness.EXACT, (whole or alike)[0].mark))
        if self._source(commit) is Exactness.EXACT:
            found.append(Strategy("source", Exactness.EXACT))
        return found

    def all(self, inputs: Inputs, commit: str) -> list[Strategy]:
        """Those, then builds that are only near, then other natives under the commit's Python.

        Two crossed overlays go before a build: they take seconds.
        """
        found = self.exact(inputs, commit)
        source = self._source(commit)
        if self.proxies and source is not None and source is not Exactness.EXACT:
            found.append(Strategy("source", source))
        borrowed = [Strategy("overlay", Exactness.INEXACT, mark) for mark in self.lenders]
        ready = [way for way in found if way.kind != "source"]
        return [
            *ready,
            *self._crossed(ready, inputs, commit),
            *found[len(ready) :],
            *(way for way in borrowed if not found),
        ]

    def _crossed(self, ready: Sequence[Strategy], inputs: Inputs, commit: str) -> list[Strategy]:
        """`ready`: the overlay and the release that are the commit. Its own natives under its own Python say
        more than others, and other Python is for where its own does not work."""
        if self.both_natives and not ready:
            own = Python(commit, inputs)
            pieces = tuple(Piece(own, mark) for mark in dict.fromkeys(self.both_natives))
            return [Strategy("crossed", self.natives_label, pieces=pieces)]
        lent = next((way.release for way in ready if way.release is not None), None)
        if self.both_pythons and lent is not None:
            pieces = tuple(Piece(python, lent) for python in self.both_pythons)
            return [Strategy("crossed", Exactness.BOTH_PYTHONS, pieces=pieces)]
        return []

    def build_needed(self, inputs: Inputs, commit: str) -> bool:
        """Whether the best way is a build of natives that is still to be made."""
        best = self.all(inputs, commit)[:1]
        return any(way.kind == "source" and not self._ready(commit) for way in best)

    def why_none(self, commit: str) -> str:
        """For an untestable commit, as the end of a sentence about it."""
        reason = "no release has its natives"
        if self.builder is None:
            return f"cannot be obtained exactly: {reason}"
        try:
            self.builder.exactness(commit)
        except Unavailable as error:
            return f"cannot be obtained exactly: {reason}, and {error}"
        built = "a build would have another LLVM or submodule than it pins"
        return f"cannot be obtained exactly: {reason}, and {built}"

    def _ready(self, commit: str) -> bool:
        return self.builder is not None and self.builder.ready(commit)

    def _source(self, commit: str) -> Exactness | None:
        if self.builder is None:
            return None
        try:
            return self.builder.exactness(commit)
        except Unavailable:
            return None
