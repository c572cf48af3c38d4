from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.toolchain.linker import LinkerCandidate, Places, candidates, empty_amdgpu_object, find_linker
from flybisect.toolchain.rocm import BITCODE_ABI_6, find_rocm


def works() -> LinkerCandidate:
    """A linker of this machine that is known to work."""
    found, refused = find_linker(Places.of_this_machine())
    assert found is not None, f"these tests need an ld.lld: pip install ziglang; seen: {refused}"
    return found.candidate


def program(path: Path, text: str = 'echo "LLD 19.1.7 (compatible with GNU linkers)"') -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def real(path: Path) -> Path:
    """A program at `path` that is a working linker."""
    command = works().command
    return program(path, f'exec {" ".join(command)} "$@"')


def test_order(tmp_path: Path) -> None:
    rocm = program(tmp_path / "rocm/llvm/bin/ld.lld")
    plain = program(tmp_path / "bin/ld.lld")
    old, new = program(tmp_path / "bin/ld.lld-9"), program(tmp_path / "bin/ld.lld-20")
    system = program(tmp_path / "usr/lib/llvm-19/bin/ld.lld")
    zig = program(tmp_path / "site/ziglang/zig")
    (tmp_path / "site/ziglang/__init__.py").touch()
    sdk = program(tmp_path / "site/_rocm_sdk_core/lib/llvm/bin/ld.lld")
    (tmp_path / "site/_rocm_sdk_core/__init__.py").touch()
    places = Places((tmp_path / "rocm",), (tmp_path / "bin",), (tmp_path / "site",), tmp_path / "usr")
    found = [candidate.command for candidate in candidates(places)]
    assert found == [
        *((str(path),) for path in (rocm, sdk, plain, new, system, old)),
        (str(zig), "ld.lld"),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_folders_that_may_not_be_entered_are_passed_over(tmp_path: Path) -> None:
    closed = program(tmp_path / "closed/ld.lld").parent
    closed.chmod(0)
    assert list(candidates(Places((closed,), (closed,), (), tmp_path))) == []
    closed.chmod(0o755)


def test_a_rocm_that_is_there_is_used_as_it_is(tmp_path: Path) -> None:
    real(tmp_path / "rocm/llvm/bin/ld.lld")
    found = find_rocm(tmp_path / "work", Places((tmp_path / "rocm",), system=tmp_path))
    assert found.root == tmp_path / "rocm"
    assert "LLD" in found.version and found.bitcode is None
    assert not (tmp_path / "work").exists()


def test_the_staged_folder_links(tmp_path: Path) -> None:
    found = find_rocm(tmp_path / "work", Places.of_this_machine())
    source = tmp_path / "empty.o"
    source.write_bytes(empty_amdgpu_object())
    linker = found.root / "llvm/bin/ld.lld"
    subprocess.run([linker, "-shared", source, "-o", tmp_path / "made"], check=True, timeout=60)
    assert (tmp_path / "made").read_bytes()[:4] == b"\x7fELF"


def test_a_system_linker_is_staged_by_link_and_another_replaces_it(tmp_path: Path) -> None:
    first, second = real(tmp_path / "a/ld.lld-19"), real(tmp_path / "b/ld.lld-20")
    for own in (first, second, second):
        found = find_rocm(tmp_path / "work", Places(path=(own.parent,), system=tmp_path))
        assert (found.root / "llvm/bin/ld.lld").readlink() == own
        assert found.linker == own
    assert [path.name for path in (tmp_path / "work/rocm/llvm/bin").iterdir()] == ["ld.lld"]


def test_bitcode_of_the_system_is_linked_and_a_newer_set_preferred(tmp_path: Path) -> None:
    real(tmp_path / "bin/ld.lld")
    old, new = tmp_path / "usr/lib/llvm-15/lib/clang/15/amdgcn/bitcode", tmp_path / "usr/lib/x/amdgcn/bitcode"
    places = Places(path=(tmp_path / "bin",), system=tmp_path / "usr")
    without = find_rocm(tmp_path / "work", places)
    for folder in (old, new):
        folder.mkdir(parents=True)
        (folder / "ocml.bc").write_bytes(b"BC")
    assert find_rocm(tmp_path / "work", places).bitcode == old
    (new / BITCODE_ABI_6).write_bytes(b"BC")
    found = find_rocm(tmp_path / "work", places)
    assert found.bitcode == new and (found.root / "amdgcn/bitcode/ocml.bc").is_file()
    assert found.key != without.key


def test_none_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"pip install ziglang.*apt install lld.*ROCm"):
        find_rocm(tmp_path, Places(system=tmp_path))


def test_linkers_that_do_not_work_are_passed_over_and_named(tmp_path: Path) -> None:
    broken = program(tmp_path / "a/ld.lld", "exit 1")
    stranger = program(tmp_path / "b/ld.lld", "echo GNU ld 2.40")
    too_old = program(
        tmp_path / "c/ld.lld",
        'if [ "$1" = --version ]; then echo "LLD 14.0.6"; else echo "unknown abi version: 4"; exit 1; fi',
    )
    places = Places(path=(tmp_path / "a", tmp_path / "b", tmp_path / "c"), system=tmp_path)
    with pytest.raises(UserError) as error:
        find_rocm(tmp_path / "work", places)
    assert all(str(path) in str(error.value) for path in (broken, stranger, too_old))
    assert "unknown abi version" in str(error.value)
    good = real(tmp_path / "d/ld.lld")
    found = find_rocm(tmp_path / "work", Places(path=(*places.path, good.parent), system=tmp_path))
    assert found.linker == good
