from __future__ import annotations

import importlib.metadata
import shutil
import sys
from base64 import urlsafe_b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.toolchain import fingerprint
from flybisect.toolchain.installed import installed, installed_site, installed_version
from flybisect.toolchain.path import site_below
from flybisect.toolchain.pristine import is_release
from flybisect.toolchain.release import release, release_folder
from flybisect.toolchain.resolve import resolve
from flybisect.toolchain.rocm import find_rocm
from flybisect.toolchain.site import check_python

TAG = f"cpython-{sys.version_info[0]}{sys.version_info[1]}-x86_64-linux-gnu"
NOBODY = "http://127.0.0.1:9/simple"
"""Nothing listens there."""


def flydsl_at(site: Path, version: str = "1.2.3", tag: str = TAG) -> Path:
    """A folder with the files that tell what a FlyDSL is; not one that compiles."""
    natives = site / "flydsl" / "_mlir" / "_mlir_libs"
    natives.mkdir(parents=True)
    (site / "flydsl" / "__init__.py").write_text(f'__version__ = "{version}"\n')
    (natives / f"_mlir.{tag}.so").write_bytes(b"\x7fELF")
    return site


def test_installed_is_this_interpreters() -> None:
    found = resolve("installed", Path("unused"))
    assert (found.kind, found.version, found.paths) == ("installed", installed_version(), ())
    assert found.python == Path(sys.executable)
    assert found.key == installed().key


def test_the_key_tells_linkers_apart(tmp_path: Path) -> None:
    rocm = find_rocm(tmp_path)
    assert installed(rocm).rocm == rocm.root
    assert installed(rocm).key == installed(rocm).key
    assert len({installed().key, installed(rocm).key, installed(replace(rocm, version="LLD 1")).key}) == 3


def test_the_key_changes_with_any_file(tmp_path: Path) -> None:
    site = flydsl_at(tmp_path)
    seen = {resolve(str(site), tmp_path).key}
    source = site / "flydsl" / "expr.py"
    for text in ("x = 1\n", "x = 2\n"):
        source.write_text(text)
        seen.add(resolve(str(site), tmp_path).key)
    native = site / "flydsl.libs" / "libMLIR.so"
    native.parent.mkdir()
    for content in (b"1" * (fingerprint.READ_WHOLE + 1), b"2" * (fingerprint.READ_WHOLE + 1)):
        native.write_bytes(content)
        seen.add(resolve(str(site), tmp_path).key)
    assert len(seen) == 5


def test_the_key_does_not_change_with_bytecode_or_place(tmp_path: Path) -> None:
    site = flydsl_at(tmp_path / "a")
    key = resolve(str(site), tmp_path).key
    (site / "flydsl" / "__pycache__").mkdir()
    (site / "flydsl" / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"1")
    shutil.copytree(site, tmp_path / "b")
    assert resolve(str(site), tmp_path).key == key == resolve(str(tmp_path / "b"), tmp_path).key


@pytest.mark.parametrize(
    "below", ["", "python_packages", "python", "build-fly/python_packages", "lib/python3.11/site-packages"]
)
def test_folders_that_hold_flydsl(tmp_path: Path, below: str) -> None:
    site = flydsl_at(tmp_path / below)
    found = resolve(str(tmp_path), tmp_path)
    assert (found.kind, found.version, found.paths) == ("path", "1.2.3", (site,))
    assert found.spec == str(tmp_path)


def test_the_package_itself_may_be_named(tmp_path: Path) -> None:
    site = flydsl_at(tmp_path)
    assert site_below(site / "flydsl") == site
    with pytest.raises(UserError):
        site_below(site / "flydsl" / "_mlir")


def test_the_installed_one_by_its_folder() -> None:
    site = installed_site()
    assert site is not None
    assert resolve(str(site), Path("unused")).key == installed().key


def test_a_checkout_that_is_not_built(tmp_path: Path) -> None:
    (tmp_path / "python" / "flydsl").mkdir(parents=True)
    (tmp_path / "python" / "flydsl" / "__init__.py").touch()
    with pytest.raises(UserError, match="not built"):
        resolve(str(tmp_path), tmp_path)


def test_built_for_another_python(tmp_path: Path) -> None:
    flydsl_at(tmp_path, tag="cpython-39-x86_64-linux-gnu")
    with pytest.raises(UserError, match=r"built for Python 3\.9, this is Python 3\.1"):
        resolve(str(tmp_path), tmp_path)
    check_python(tmp_path, (3, 9))


@pytest.mark.parametrize("spec", ["instaled", "latest", "abc123", "", "v", ">=0.3"])
def test_neither_version_nor_folder(spec: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="neither `installed`, nor a version"):
        resolve(spec, tmp_path)


def test_folder_without_flydsl(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no FlyDSL"):
        resolve(str(tmp_path), tmp_path)
    with pytest.raises(UserError, match="is not a folder"):
        resolve(str(tmp_path / "absent"), tmp_path)


def test_a_release_that_is_there_needs_no_network(tmp_path: Path) -> None:
    flydsl_at(release_folder("0.3.0", tmp_path), "0.3.0")
    for spec in ("0.3.0", "v0.3.0"):
        found = resolve(spec, tmp_path, index_url=NOBODY)
        assert (found.kind, found.spec, found.paths) == (
            "release",
            "0.3.0",
            (release_folder("0.3.0", tmp_path),),
        )


def test_a_release_that_is_the_installed_one_is_not_fetched(tmp_path: Path) -> None:
    version, site = installed_version(), installed_site()
    assert version is not None and site is not None
    if not is_release(site, version):
        pytest.skip("the installed FlyDSL is not as a package index delivers it")
    found = resolve(version, tmp_path, index_url=NOBODY)
    assert (found.spec, found.paths, found.key) == (version, (), installed().key)
    assert list(tmp_path.iterdir()) == []


def delivered(site: Path, version: str) -> Path:
    """A folder with what pip leaves behind when it installs a wheel."""
    flydsl_at(site, version)
    (site / "flydsl" / "large.so").write_bytes(b"1" * (fingerprint.READ_WHOLE + 1))
    info = site / f"flydsl-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: flydsl\nVersion: {version}\n")
    (info / "RECORD").write_text(
        "".join(
            f"{path.relative_to(site)},sha256={urlsafe_b64encode(sha256(data).digest()).decode().rstrip('=')},"
            f"{len(data)}\n"
            for path in fingerprint.files(site)
            for data in [path.read_bytes()]
        )
        + f"{info.name}/RECORD,,\n"
    )
    return site


def test_a_release_is_one_only_as_it_was_delivered(tmp_path: Path) -> None:
    site = delivered(tmp_path, "1.2.3")
    assert is_release(site, "1.2.3")
    assert not is_release(site, "1.2.4")
    (site / "flydsl" / "__pycache__").mkdir()
    (site / "flydsl" / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"1")
    assert is_release(site, "1.2.3"), "bytecode is nobody's change"
    source, large = site / "flydsl" / "__init__.py", site / "flydsl" / "large.so"
    for path, content in (
        (source, source.read_bytes().replace(b"=", b" ")),
        (large, large.read_bytes()[1:]),
        (site / "flydsl" / "more.py", b""),
        (site / "flydsl-1.2.3.dist-info" / "direct_url.json", b"{}"),
    ):
        before = path.read_bytes() if path.exists() else None
        path.write_bytes(content)
        assert not is_release(site, "1.2.3"), path
        path.unlink() if before is None else path.write_bytes(before)
        assert is_release(site, "1.2.3"), path
    source.unlink()
    assert not is_release(site, "1.2.3")


def test_a_version_of_two_numbers_is_the_same_release(tmp_path: Path) -> None:
    flydsl_at(release_folder("0.3.0", tmp_path), "0.3.0")
    assert resolve("0.3", tmp_path, index_url=NOBODY) == resolve("0.3.0", tmp_path, index_url=NOBODY)


def test_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Else the index of the machine's own configuration would answer.
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(UserError, match=r"could not be downloaded: .*127\.0\.0\.1.* cannot be read"):
        release("0.3.0", tmp_path, index_url=NOBODY)
    assert not release_folder("0.3.0", tmp_path).exists()


@pytest.mark.release
def test_a_release_is_installed_once_and_beside_the_environment(tmp_path: Path) -> None:
    told: list[str] = []
    before = installed().key
    first = resolve("0.3.1", tmp_path, notify=told.append)
    second = resolve("0.3.1", tmp_path, notify=told.append)
    assert first == second and first.version == "0.3.1" and first.kind == "release"
    assert len(told) == 1
    assert (first.paths[0] / "flydsl" / "compiler").is_dir()
    assert installed().key == before != first.key


@pytest.mark.release
def test_an_unknown_version_lists_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no FlyDSL 9\.9\.9 .*0\.3\.0.*0\.5\.0"):
        resolve("9.9.9", tmp_path)
    assert not release_folder("9.9.9", tmp_path).exists()


def test_a_file_that_is_gone_is_missed_on_every_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From Python 3.12 on the standard library lists of a distribution what is still there alone."""
    site = delivered(tmp_path, "1.2.3")
    listed = importlib.metadata.Distribution.files
    assert isinstance(listed, property) and listed.fget is not None
    every = listed.fget

    def there(self: importlib.metadata.Distribution) -> list[importlib.metadata.PackagePath]:
        return [entry for entry in every(self) or [] if Path(str(entry.locate())).exists()]

    monkeypatch.setattr(importlib.metadata.Distribution, "files", property(there))
    (site / "flydsl" / "__init__.py").unlink()
    assert not is_release(site, "1.2.3")
