"""Places in the pass pipeline, and what a probe can be asked for beside the metrics."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.observation import Outcome, Want
from flybisect.probe.inside import landlock, stages
from tests.probe.conftest import Run
from tests.probe.scripts import COPY

PIPELINE = (
    "builtin.module(fly-rewrite,canonicalize,gpu.module(convert-scf-to-cf,cse,"
    "convert-gpu-to-rocdl{chipset=gfx942 index-bitwidth=0}),rocdl-attach-target{O=2 abi=600},canonicalize)"
)
FRAGMENTS = stages.fragments(PIPELINE)


def test_fragments() -> None:
    assert stages.names(FRAGMENTS) == [
        "00_origin",
        "01_fly_rewrite",
        "02_canonicalize",
        "03_convert_scf_to_cf_cse_convert_gpu_to_rocdl",
        "04_rocdl_attach_target",
        "05_canonicalize",
    ]


@pytest.mark.parametrize(
    ("stage", "after"),
    [
        ("origin", 0),
        ("last", 5),
        ("fly-rewrite", 1),
        ("fly_rewrite", 1),
        ("canonicalize", 5),
        ("02_canonicalize", 2),
        ("convert-gpu-to-rocdl", 3),
        ("cse", 3),
        ("rocdl-attach-target", 4),
        ("nope", None),
        ("", None),
    ],
)
def test_finding_a_stage(stage: str, after: int | None) -> None:
    assert stages.find(stage, FRAGMENTS) == after


@given(st.integers(0, 5) | st.none())
def test_the_parts_are_the_whole(keep: int | None) -> None:
    parts = stages.parted(FRAGMENTS, keep)
    assert [each for part in parts for each in stages.fragments(part)] == FRAGMENTS
    assert keep is None or keep in (0, 5) or len(stages.fragments(parts[0])) == keep


def test_ir_and_output(run: Run) -> None:
    source = COPY + "\nprint('said', end='')\n"
    plain = run(source)
    assert (plain.ir, plain.stages, plain.stdout) == ((), (), "")
    seen = run(source, wants=(Want.IR, Want.OUTPUT), stage="last")
    assert seen.outcome is Outcome.OK
    assert seen.stdout.endswith("said")
    assert len(seen.ir) == 1
    assert "llvm.func" in seen.ir[0] and "loc(" not in seen.ir[0]
    assert (seen.kernels, seen.traced) == (plain.kernels, plain.traced)
    early = run(source, wants=(Want.IR,), stage="origin")
    assert "gpu.func" in early.ir[0]
    assembly = run(source, wants=(Want.IR, Want.ASSEMBLY), stage="isa")
    assert ".amdhsa_kernel" in assembly.ir[0]
    unknown = run(source, wants=(Want.IR,), stage="nope")
    assert unknown.ir == () and unknown.stages[0] == "00_origin"
    assert unknown.outcome is Outcome.OK


def test_a_flood_on_stdout_is_cut(run: Run) -> None:
    seen = run("print('first'); print('x' * 3_000_000); print('last')", wants=(Want.OUTPUT,))
    assert seen.outcome is Outcome.OK
    assert len(seen.stdout) < 200_000
    assert seen.stdout.startswith("first") and seen.stdout.endswith("last\n")


@pytest.mark.parametrize(
    ("command", "outcome", "code"),
    [
        ("grep -q gfx942", Outcome.OK, 0),
        ("grep -q not-there", Outcome.EXIT, 1),
        ("cat \"$1\" | grep -q '# gfx942'", Outcome.OK, 0),
        ("exit 125 #", Outcome.EXIT, 125),
        ("kill -9 $$ #", Outcome.SIGNAL, None),
        ("no-such-program-here", Outcome.EXIT, 127),
        ('test "$FLYDSL_GPU_ARCH" = gfx942 -a -w . && grep -q gfx942', Outcome.OK, 0),
        ("python -c 'import flydsl, sys; assert len(sys.argv) == 2 and flydsl.__version__'", Outcome.OK, 0),
    ],
)
def test_a_command(run: Run, command: str, outcome: Outcome, code: int | None) -> None:
    seen = run("# gfx942\n", command=command)
    assert (seen.outcome, seen.exit_code) == (outcome, code), seen.stderr
    assert not seen.reached_flydsl


def test_a_command_is_given_the_scripts_arguments(run: Run) -> None:
    assert run("", "a b", "c", command='test "$2" = "a b" -a "$3" = c #').exit_code == 0
    assert run("", "a b", command='sh -c \'test "$2" = "a b"\' x').exit_code == 0


def test_a_command_is_confined(run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    seen = run("", command=f"touch {outside}; touch inside #")
    assert seen.outcome is Outcome.OK
    assert outside.exists() == (landlock.abi() == 0)


def test_a_command_that_does_not_end(run: Run) -> None:
    assert run("x = 1\n", command="sleep 60 #", timeout=2).outcome is Outcome.TIMEOUT
