from __future__ import annotations

from pathlib import Path

from flybisect.toolchain.doctor import Machine, MachineCheck, State, examine, usable
from flybisect.toolchain.linker import Places


def by_name(checks: tuple[MachineCheck, ...]) -> dict[str, MachineCheck]:
    return {check.name: check for check in checks}


def test_this_machine_can_compile(tmp_path: Path) -> None:
    extra = MachineCheck("confinement", State.WARN, "none", "a newer kernel")
    checks = examine(Machine(tmp_path / "work"), [extra])
    assert usable(checks)
    assert checks[-1] is extra
    assert all(check.advice for check in checks if check.state is not State.OK)
    found = by_name(checks)
    assert "LLD" in found["ld.lld"].found
    assert found["torch"].found[0].isdigit()


def test_a_bare_machine_is_told_what_to_do(tmp_path: Path) -> None:
    bare = Machine(
        tmp_path,
        places=Places(system=tmp_path),
        packages=(tmp_path,),
        programs=str(tmp_path),
        nodes=tmp_path,
        headers=tmp_path,
        python=(3, 9),
    )
    checks = examine(bare)
    assert not usable(checks)
    found = by_name(checks)
    for name in ("Python", "torch", "numpy", "ld.lld"):
        assert found[name].state is State.MISSING and found[name].advice
    for name in ("git", "source builds", "ccache", "device bitcode"):
        assert found[name].state is State.WARN and found[name].advice
    assert "ziglang" in found["ld.lld"].advice
    assert found["GPU"] == MachineCheck("GPU", State.OK, "none, and none is needed")


def test_a_working_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = by_name(examine(Machine(tmp_path / "file" / "work")))
    assert found["working folder"].state is State.MISSING and "--workdir" in found["working folder"].advice


def test_what_a_source_build_lacks_is_named(tmp_path: Path) -> None:
    machine = Machine(tmp_path, places=Places(system=tmp_path), packages=(tmp_path,), headers=tmp_path)
    before = by_name(examine(machine))["source builds"]
    assert before.state is State.WARN
    for word in ("nanobind<3", "Python.h", "libamdhip64-dev hipcc"):
        assert word in before.advice
    (tmp_path / "Python.h").touch()
    hip = tmp_path / "lib/x86_64-linux-gnu/cmake/hip/hip-config.cmake"
    hip.parent.mkdir(parents=True)
    hip.touch()
    (tmp_path / "nanobind-2.9.0.dist-info").mkdir()
    (tmp_path / "nanobind-2.9.0.dist-info/METADATA").write_text("Name: nanobind\nVersion: 2.9.0\n")
    after = by_name(examine(machine))["source builds"]
    for word in ("nanobind 2.9.0", "Python.h", f"HIP in {hip.parent}"):
        assert word in after.found and word not in after.advice
