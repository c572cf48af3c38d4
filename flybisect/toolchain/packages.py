"""Package indexes: which wheels they list for this Python, and fetching one of them (PEP 503, PEP 691).

The indexes are those of pip's own configuration. `pypi-simple` reads them. What is
downloaded is compared with the SHA-256 that the index lists.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.tags import sys_tags
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

from flybisect.toolchain.processes import run

if TYPE_CHECKING:
    from pypi_simple import DistributionPackage, ProjectPage, PyPISimple

PYPI = "https://pypi.org/simple"
TIMEOUT = 60.0
"""Seconds for an index, or for pip, to answer."""


class WrongWheel(ValueError):
    """Not the file that its index lists. `args`: the SHA-256 that the index lists, and the file's own."""


@dataclass(frozen=True)
class Wheel:
    """A file that an index lists for this Python."""

    version: Version
    index: str
    """The index's address."""
    package: DistributionPackage

    @property
    def sha256(self) -> str | None:
        """As the index lists it; None where it does not."""
        return self.package.digests.get("sha256")


@dataclass(frozen=True)
class Listing:
    """What all indexes together have."""

    wheels: tuple[Wheel, ...]
    """The best file for this Python of each version and index; indexes in pip's order."""
    problems: tuple[str, ...] = ()
    """Why an index could not be read, a sentence each."""

    def of(self, version: str) -> Wheel | None:
        """A version's wheel from the first index that has it, one with a SHA-256 before others."""
        wheels = [wheel for wheel in self.wheels if wheel.version == Version(version)]
        return min(wheels, key=lambda wheel: wheel.sha256 is None, default=None)


@dataclass(frozen=True)
class Indexes:
    """Where pip looks for a package, and how."""

    urls: tuple[str, ...]
    certificates: str | None = None
    """A file of them, where pip's configuration names one."""

    def listing(self, project: str) -> Listing:
        """What they have of a project. An index that cannot be read is a problem, not an error."""
        wheels: list[Wheel] = []
        problems = []
        for url in self.urls:
            try:
                wheels += _usable(url, self.page(url, project))
            except (OSError, ValueError) as error:
                problems.append(f"{shown(url)} cannot be read: {error}")
        return Listing(tuple(wheels), tuple(problems))

    def page(self, url: str, project: str) -> ProjectPage:
        """All files of one index. Raises OSError (as those of `requests`) or ValueError."""
        from pypi_simple import NoSuchProjectError, ProjectPage, UnsupportedRepoVersionError

        try:
            if urlsplit(url).scheme == "file":
                page = Path(unquote(urlsplit(url).path)) / project / "index.html"
                return ProjectPage.from_html(project, page.read_text(encoding="utf-8"), page.as_uri())
            with self._client(url) as client:
                return client.get_project_page(project, timeout=TIMEOUT)
        except (NoSuchProjectError, UnsupportedRepoVersionError, TypeError) as error:
            raise ValueError(str(error)) from error

    def fetch(self, wheel: Wheel, folder: Path) -> tuple[Path, str]:
        """Downloads it into a folder; gives its path and SHA-256.

        Raises OSError where that fails, and WrongWheel where it is not the file that the index lists.
        """
        path = folder / wheel.package.filename
        address = urlsplit(wheel.package.url)
        if address.scheme == "file":
            path.write_bytes(Path(unquote(address.path)).read_bytes())
        else:
            with self._client(wheel.index) as client:
                client.download_package(wheel.package, path, verify=False, timeout=TIMEOUT)
        digest = sha256_of(path)
        if wheel.sha256 is not None and wheel.sha256 != digest:
            raise WrongWheel(wheel.sha256, digest)
        return path, digest

    @contextmanager
    def _client(self, url: str) -> Iterator[PyPISimple]:
        from pypi_simple import PyPISimple

        with PyPISimple(url) as client:
            if self.certificates is not None:
                client.s.verify = self.certificates
            yield client


def indexes(index_url: str | None = None, extra_index_url: str | None = None) -> Indexes:
    """What the caller names, else what pip is configured to; `extra_index_url` comes on top."""
    configured = configuration(run([sys.executable, "-m", "pip", "config", "list"], timeout=TIMEOUT).output)
    main = index_url or _last(configured, "index-url") or PYPI
    extra = (_last(configured, "extra-index-url") or "").split()
    more = [] if extra_index_url is None else [extra_index_url]
    return Indexes(tuple(dict.fromkeys((main, *extra, *more))), _last(configured, "cert"))


def configuration(listed: str) -> dict[str, str]:
    """By section and name, of what `pip config list` prints."""
    found = {}
    for line in listed.splitlines():
        name, equals, value = line.partition("=")
        try:
            text = ast.literal_eval(value) if equals else None
        except (SyntaxError, ValueError):
            continue
        if isinstance(text, str):
            found[name] = text
    return found


def sha256_of(path: Path) -> str:
    """Of a file's content, as hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def shown(url: str) -> str:
    """An index for a reader: without credentials, and without where a mirror lies on this machine."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return "a folder of wheels"
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _usable(url: str, page: ProjectPage) -> list[Wheel]:
    """The best file of each version that this Python can install."""
    ranks = {tag: rank for rank, tag in enumerate(sys_tags())}
    best: dict[Version, tuple[int, Wheel]] = {}
    for package in page.packages:
        if package.is_yanked or not _fits(package.requires_python):
            continue
        try:
            _, version, _, tags = parse_wheel_filename(package.filename)
        except InvalidWheelFilename:
            continue
        rank = min((ranks[tag] for tag in tags if tag in ranks), default=None)
        if rank is not None and (version not in best or rank < best[version][0]):
            best[version] = rank, Wheel(version, url, package)
    return [wheel for _, wheel in best.values()]


def _fits(requires_python: str | None) -> bool:
    try:
        return SpecifierSet(requires_python or "").contains(sys.version.split()[0], prereleases=True)
    except InvalidSpecifier:
        return True


def _last(configured: Mapping[str, str], name: str) -> str | None:
    """The environment goes before a section for a command, and that before the common one."""
    for section in (":env:", "download", "install", "global"):
        value = configured.get(f"{section}.{name}")
        if value:
            return value
    return None
