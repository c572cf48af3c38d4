"""What package indexes say a wheel's SHA-256 is, read by flybisect itself and not taken from pip.

An index lists its files with their hashes: as JSON (PEP 691), or in the `#sha256=` of a link (PEP 503). Which
indexes pip would ask is what it says of its own configuration.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import html.parser
import json
import re
import ssl
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit, urlunsplit

from flybisect.toolchain.processes import run

PYPI = "https://pypi.org/simple"
TIMEOUT = 60.0
"""Seconds for an index, or for pip, to answer."""
LONGEST = 64 << 20
"""Bytes of an index's page."""
_ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Asked:
    """The indexes that were asked about a file."""

    hashes: Mapping[str, str]
    """Index by the SHA-256 that it gives; indexes are named without credentials."""
    problems: tuple[str, ...] = ()
    """Why others gave none, a sentence each."""


@dataclass(frozen=True)
class Indexes:
    """Where pip looks for a package, and how."""

    urls: tuple[str, ...]
    certificates: str | None = None
    """A file of them, where pip's configuration names one."""

    def files(self, url: str, project: str) -> dict[str, str]:
        """SHA-256 by a file's name; empty where none is given. Raises OSError, ValueError, HTTPException."""
        return _read(f"{url.rstrip('/')}/{project}/", self.certificates)

    def ask(self, project: str, wheel: str) -> Asked:
        """`wheel`: the file's name."""
        hashes: dict[str, str] = {}
        problems = []
        for url in self.urls:
            name = _named(url)
            try:
                found = self.files(url, project).get(wheel)
            except (OSError, ValueError, HTTPException) as error:
                problems.append(f"{name} can't be read: {error}")
                continue
            if found is None:
                problems.append(f"{name} does not list it")
            elif not found:
                problems.append(f"{name} gives no sha256 for it")
            else:
                hashes.setdefault(found, name)
        return Asked(hashes, tuple(problems))


def indexes(index_url: str | None, extra_index_url: str | None) -> Indexes:
    """What pip is told, and what it is configured to."""
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
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def listed_in(body: str, kind: str) -> dict[str, str]:
    """SHA-256 by a file's name; empty where none is given. `kind`: the page's content type. Raises ValueError
    on a page that is neither of both formats."""
    if "json" in kind:
        data = json.loads(body)
        if not isinstance(data, dict) or not isinstance(data.get("files"), list):
            raise ValueError("its answer is no list of files")
        return dict(_entry(each) for each in data["files"] if isinstance(each, dict))
    links = _Links()
    links.feed(body)
    return links.found


def _entry(file: Mapping[str, object]) -> tuple[str, str]:
    hashes = file.get("hashes")
    digest = hashes.get("sha256") if isinstance(hashes, dict) else None
    return str(file.get("filename")), _checked(digest)


class _Links(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href") if tag == "a" else None
        if href:
            url, fragment = urldefrag(href)
            digest = fragment.removeprefix("sha256=") if fragment.startswith("sha256=") else None
            self.found[unquote(urlsplit(url).path.rpartition("/")[2])] = _checked(digest)


def _checked(digest: object) -> str:
    text = digest.lower() if isinstance(digest, str) else ""
    return text if _SHA256.fullmatch(text) else ""


def _read(url: str, certificates: str | None) -> dict[str, str]:
    parts = urlsplit(url)
    if parts.scheme == "file":
        page = Path(unquote(parts.path)) / "index.html"
        return listed_in(page.read_text(encoding="utf-8"), "text/html")
    request = urllib.request.Request(_plain(url), headers={"Accept": _ACCEPT})
    if parts.username is not None:
        words = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        request.add_header("Authorization", f"Basic {base64.b64encode(words.encode()).decode('ascii')}")
    context = ssl.create_default_context(cafile=certificates) if parts.scheme == "https" else None
    with urllib.request.urlopen(request, timeout=TIMEOUT, context=context) as answer:
        body = answer.read(LONGEST).decode("utf-8", "replace")
        return listed_in(body, answer.headers.get_content_type())


def _plain(url: str) -> str:
    """Without user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _named(url: str) -> str:
    """For a person, who need not see where a mirror lies in this machine's folders."""
    return "a folder of wheels" if urlsplit(url).scheme == "file" else _plain(url)


def _last(configured: Mapping[str, str], name: str) -> str | None:
    """The environment goes before a section for a command, and that before the common one."""
    for section in (":env:", "download", "install", "global"):
        value = configured.get(f"{section}.{name}")
        if value:
            return value
    return None
