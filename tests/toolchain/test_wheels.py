"""A wheel's SHA-256 against the one that its index gives, with the real pip and an index of our own."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from flybisect.errors import UserError
from flybisect.toolchain.doctor import Machine, check_releases
from flybisect.toolchain.packages import Indexes, Listing, configuration, indexes
from flybisect.toolchain.release import release, release_folder
from flybisect.toolchain.wheel import RECORD, Origin, keep, origin_of
from tests.toolchain.test_resolve import NOBODY, delivered

NAME = "flydsl-1.2.3-py3-none-any.whl"
OTHER = "0" * 64


@dataclass
class Index:
    """Of one file."""

    wheel: bytes
    told: str | None = None
    """The hash that it lists."""
    json: bool = True
    name: str = NAME
    instead: tuple[str, bytes] | None = None
    """Content type and body of another answer."""
    url: str = ""
    authorized: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.wheel).hexdigest()

    def page(self) -> tuple[str, bytes]:
        if self.instead is not None:
            return self.instead
        digest = self.told
        if self.json:
            hashes = {} if digest is None else {"sha256": digest}
            file = {"filename": self.name, "url": f"/{self.name}", "hashes": hashes}
            data = {"meta": {"api-version": "1.0"}, "name": "flydsl", "files": [file]}
            return "application/vnd.pypi.simple.v1+json", json.dumps(data).encode()
        fragment = "" if digest is None else f"#sha256={digest}"
        return "text/html", f'<!DOCTYPE html><a href="/{self.name}{fragment}">{self.name}</a>'.encode()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    # Else indexes of the machine's own configuration would be asked as well.
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT"):
        monkeypatch.delenv(name, raising=False)
    found = Index(wheel_at(tmp_path / "site").read_bytes())

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            if "Authorization" in self.headers:
                found.authorized.add(self.headers["Authorization"])
            kind, body = "application/zip", found.wheel
            if self.path.startswith("/simple/"):
                kind, body = found.page()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *words: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        found.url = f"http://127.0.0.1:{server.server_address[1]}/simple"
        yield found
        server.shutdown()
        thread.join()


def wheel_at(site: Path) -> Path:
    """One that pip installs, of a made-up FlyDSL."""
    delivered(site, "1.2.3")
    (site / "flydsl-1.2.3.dist-info" / "WHEEL").write_text(
        "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    path = site.parent / NAME
    with zipfile.ZipFile(path, "w") as file:
        for each in sorted(site.rglob("*")):
            if each.is_file():
                file.write(each, each.relative_to(site).as_posix())
    return path


@pytest.mark.parametrize("as_json", [True, False])
def test_a_wheel_that_is_what_the_index_says(index: Index, tmp_path: Path, as_json: bool) -> None:
    index.json, index.told = as_json, index.sha256
    said: list[str] = []
    made = release("1.2.3", tmp_path / "work", index_url=index.url, notify=said.append)
    assert made.version == "1.2.3"
    found = origin_of(made.paths[0])
    assert found is not None
    assert (found.name, found.sha256, found.index) == (NAME, index.sha256, index.url)
    assert not list(made.paths[0].glob(".wheel-*"))
    assert len(said) == 1
    again = release("1.2.3", tmp_path / "work", index_url=NOBODY)
    assert again == made


def test_another_wheel_is_not_installed(index: Index, tmp_path: Path) -> None:
    index.told = OTHER
    with pytest.raises(UserError, match=f"its sha256 is {index.sha256}, but .* says {OTHER}"):
        release("1.2.3", tmp_path / "work", index_url=index.url)
    folder = release_folder("1.2.3", tmp_path / "work")
    assert not folder.exists()
    assert not list(folder.parent.glob("**/*.whl"))


def test_an_index_without_hashes_is_said(index: Index, tmp_path: Path) -> None:
    said: list[str] = []
    made = release("1.2.3", tmp_path / "work", index_url=index.url, notify=said.append)
    assert "lists no sha256 for it" in said[-1]
    found = origin_of(made.paths[0])
    assert found is not None and found.index is None
    assert (found.sha256, "not compared" in str(found)) == (index.sha256, True)


def test_an_index_that_cannot_be_read_is_a_problem(index: Index) -> None:
    index.told = index.sha256
    listing = Indexes((NOBODY, index.url)).listing("flydsl")
    wheel = listing.of("1.2.3")
    assert wheel is not None and (wheel.index, wheel.sha256) == (index.url, index.sha256)
    assert len(listing.problems) == 1 and f"{NOBODY} cannot be read" in listing.problems[0]
    assert Indexes((NOBODY,)).listing("flydsl").of("1.2.3") is None


def test_an_index_in_a_folder(tmp_path: Path) -> None:
    path = wheel_at(tmp_path / "site")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    page = tmp_path / "simple" / "flydsl" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text(f'<a data-x href="../../{NAME}#sha256={digest}">{NAME}</a><a name="y">y</a>')
    made = release("1.2.3", tmp_path / "work", index_url=f"file://{tmp_path}/simple")
    found = origin_of(made.paths[0])
    assert found is not None and (found.sha256, found.index) == (digest, "a folder of wheels")


def test_credentials_are_sent_and_not_told(index: Index, tmp_path: Path) -> None:
    index.told = OTHER
    url = index.url.replace("http://", "http://me:secret@")
    with pytest.raises(UserError) as error:
        release("1.2.3", tmp_path / "work", index_url=url)
    assert index.url in str(error.value) and "secret" not in str(error.value)
    assert index.authorized == {f"Basic {base64.b64encode(b'me:secret').decode()}"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("[]", "application/vnd.pypi.simple.v1+json"),
        ("{", "application/vnd.pypi.simple.v1+json"),
        ("x", "image/png"),
    ],
)
def test_a_page_that_is_none_is_a_problem(index: Index, body: str, kind: str) -> None:
    index.instead = kind, body.encode()
    listing = Indexes((index.url,)).listing("flydsl")
    assert listing == Listing((), listing.problems) and len(listing.problems) == 1


@pytest.mark.parametrize(
    "name", ["flydsl-1.2.3-cp27-cp27mu-win_amd64.whl", "flydsl-1.2.3.tar.gz", "flydsl-x-py3-none-any.whl"]
)
def test_files_of_other_machines_are_left_out(index: Index, name: str) -> None:
    index.name = name
    assert Indexes((index.url,)).listing("flydsl") == Listing(())


def test_what_pip_is_configured_to(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "global.index-url='https://a/simple'\n:env:.index-url='https://b/simple'\nnonsense\nx=1\n"
    assert configuration(said)[":env:.index-url"] == "https://b/simple"
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "https://b/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://c/simple https://d/simple")
    assert indexes(None, "https://e").urls[0] == "https://b/simple"
    assert indexes("https://a", "https://e").urls == (
        *("https://a", "https://c/simple", "https://d/simple", "https://e"),
    )


def test_a_version_that_the_index_has_not(index: Index, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no FlyDSL 9\.9\.9 .*; there are 1\.2\.3"):
        release("9.9.9", tmp_path / "work", index_url=index.url)


def test_a_wheel_that_is_no_archive(index: Index, tmp_path: Path) -> None:
    index.wheel = b"no archive"
    with pytest.raises(UserError, match=r"pip could not install FlyDSL 1\.2\.3: .*log: "):
        release("1.2.3", tmp_path / "work", index_url=index.url)
    assert not release_folder("1.2.3", tmp_path / "work").exists()


@pytest.mark.parametrize("text", ["", "{}", "[1]", "{"])
def test_a_record_that_makes_no_sense_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / RECORD).write_text(text)
    assert origin_of(tmp_path) is None


def test_the_doctor_says_which_were_compared(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    assert check_releases(machine).found == "none installed yet"
    for version, index in (("0.3.0", None), ("0.3.1", "https://pypi.org/simple"), ("0.2.4", "")):
        folder = release_folder(version, tmp_path)
        folder.mkdir(parents=True)
        if index != "":
            keep(Origin("x.whl", OTHER, index), folder)
    found = check_releases(machine)
    assert found.found == (
        "0.3.1 (sha256 of the wheel as the index has it); 0.2.4, 0.3.0 (not compared with the index)"
    )
