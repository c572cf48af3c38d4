"""Which FlyDSL releases there are: on the package index, and installed here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from flybisect.errors import UserError
from flybisect.toolchain.installed import installed_site, installed_version
from flybisect.toolchain.packages import indexes
from flybisect.toolchain.pristine import is_release
from flybisect.toolchain.release import release_folder
from flybisect.toolchain.store import Notify, silent


@dataclass(frozen=True)
class Releases:
    """Versions in the order of PEP 440, pre-releases among them."""

    versions: tuple[str, ...]

    def between(self, first: str, last: str, *, pre: bool) -> tuple[str, ...]:
        """From `first` to `last`, both included; pre-releases between them where `pre` is set.

        Raises UserError where an end is unknown, or the two are the wrong way round.
        """
        ends = self.named(first), self.named(last)
        low, high = Version(ends[0]), Version(ends[1])
        if low >= high:
            word = "one and the same" if low == high else "the wrong way round"
            raise UserError(f"{first}..{last} is {word}: the older release comes first")
        return tuple(
            version
            for version in self.versions
            if low <= Version(version) <= high
            and (pre or version in ends or not Version(version).is_prerelease)
        )

    def named(self, text: str) -> str:
        """The version that a person means by `v0.3` or `0.3.0`. Raises UserError where there is none."""
        wanted = parsed(text)
        if wanted is None:
            raise UserError(f"{text!r} is not a version; a range of releases is written as 0.2.4..0.5.0")
        for version in self.versions:
            if Version(version) == wanted:
                return version
        known = ", ".join(v for v in self.versions if not Version(v).is_prerelease)
        raise UserError(f"there is no FlyDSL {text} for this Python; there are {known}")


def releases(
    workdir: Path,
    *,
    index_url: str | None = None,
    extra_index_url: str | None = None,
    notify: Notify = silent,
) -> Releases:
    """All that the index has for this Python, and what is installed below `workdir` or in this environment.

    Without the index only the latter, and `notify` says so. Raises UserError where that is nothing.
    """
    listing = indexes(index_url, extra_index_url).listing("flydsl")
    kept = at_hand(workdir).versions
    if not listing.wheels:
        why = "; ".join(listing.problems) or "the package index lists none for this Python"
        if not kept:
            raise UserError(
                f"which FlyDSL releases there are is not known ({why}), and none is installed here; "
                "connect, or name an index that can be reached in pip's configuration"
            )
        notify(f"{why}; only the releases that are installed here are used: {', '.join(kept)}")
    return _sorted((*kept, *(str(wheel.version) for wheel in listing.wheels)))


def at_hand(workdir: Path) -> Releases:
    """What is installed below `workdir` or in this environment, without a word from the index."""
    return _sorted(_at_hand(workdir))


def parsed(text: str) -> Version | None:
    """As PEP 440 has it, with or without a `v`; None where it is no version."""
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _sorted(versions: Iterable[str]) -> Releases:
    found = {Version(text): text for text in versions if parsed(text) is not None}
    return Releases(tuple(found[version] for version in sorted(found)))


def _at_hand(workdir: Path) -> list[str]:
    pattern = release_folder("*", workdir)
    before, after = pattern.name.split("*")
    versions = [
        path.name[len(before) : len(path.name) - len(after)]
        for path in pattern.parent.glob(pattern.name)
        if path.is_dir()
    ]
    site, own = installed_site(), installed_version()
    if site is not None and own is not None and is_release(site, own):
        versions.append(own)
    return versions
