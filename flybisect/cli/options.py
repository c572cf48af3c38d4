"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from flybisect.bisect.endpoints import Find
from flybisect.case.case import Against, Sought, split_args
from flybisect.case.command_paths import with_absolute_paths
from flybisect.case.limits import JOBS, MEMORIES, TIMEOUTS
from flybisect.cli import completion as completing
from flybisect.errors import UserError

Script = Annotated[
    Path,
    typer.Argument(
        metavar="SCRIPT",
        help="A kernel script, a folder with a case.yaml, a case file, or a test as test_x.py::test_y[64].",
    ),
]
Arguments = Annotated[
    list[str] | None,
    typer.Argument(metavar="-- ARGS", help="The script's own arguments; they replace the case's."),
]
Env = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME[=VALUE]",
        help="A variable for the script; without a value, as it is set here. Repeatable.",
    ),
]
OracleName = Annotated[
    str | None,
    typer.Option(
        "--oracle",
        metavar="NAME|PATH",
        autocompletion=completing.oracle,
        help="What is looked for; `flybisect oracles` lists them.",
    ),
]
Arch = Annotated[
    str | None,
    typer.Option(
        metavar="ARCH",
        autocompletion=completing.arch,
        help="As gfx942. Else the case's, the installed GPU's, or the only one that the script names.",
    ),
]
Flydsl = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        autocompletion=completing.flydsl,
        help="`installed`, a version (installed from PyPI once, beside the environment), or a folder.",
    ),
]
ShownOn = Annotated[
    str | None,
    typer.Option(
        "--flydsl",
        metavar="VERSION",
        autocompletion=completing.flydsl,
        help="A release in between that shows the bug; where neither end does, both sides are searched.",
    ),
]
ValidOn = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SPEC",
        autocompletion=completing.flydsl,
        help="A FlyDSL without the bug, on which the reduced script has to compile; repeatable.",
    ),
]
AgainstArgs = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Compare with the same script under these arguments."),
]
AgainstFlydsl = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        autocompletion=completing.flydsl,
        help="Compare with the same script under another FlyDSL.",
    ),
]
AgainstArch = Annotated[
    str | None,
    typer.Option(
        metavar="ARCH", autocompletion=completing.arch, help="Compare with the same script for another arch."
    ),
]
When = Annotated[
    str | None,
    typer.Option(
        metavar="EXPR",
        help='The condition, in place of the oracle\'s own, as "vgpr_spills >= base.vgpr_spills + 8".',
    ),
]
Pattern = Annotated[
    str | None,
    typer.Option(metavar="REGEX", help="What the oracles text and ir look for, line by line."),
]
Absent = Annotated[
    bool | None, typer.Option("--absent", help="The pattern must not be there, rather than be there.")
]
StageName = Annotated[
    str | None,
    typer.Option(
        "--stage",
        metavar="NAME",
        help="Where the oracle ir looks: origin, last, isa, or after a pass, as fly-layout-lowering.",
    ),
]
Command = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="A shell command for the oracle command, given the script: 0 interesting, 125 can't be judged.",
    ),
]
SameAs = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="A failure that counts as the same bug: its signature, its kind, or a piece of it; repeatable.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=JOBS[0],
        max=JOBS[1],
        help="Trials at once; up to 4 cores without it. The result does not depend on it.",
    ),
]
BisectJobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=JOBS[0],
        max=JOBS[1],
        help="FlyDSLs tested at once; one without it. More cost more tests.",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        min=TIMEOUTS[0],
        max=TIMEOUTS[1],
        metavar="S",
        help="Wall seconds per trial. Without it the limit follows the script's own time.",
    ),
]
Memory = Annotated[
    int | None, typer.Option(min=MEMORIES[0], max=MEMORIES[1], metavar="MIB", help="Memory per trial.")
]
Workdir = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Where sessions and installed releases go (see workdirs/README.md)."),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="tcp://HOST:PORT",
        help="Run trials on the workers of this Dask scheduler (docs/cluster.md); else on this machine.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]

Versions = Annotated[
    str,
    typer.Argument(
        metavar="A..B",
        autocompletion=completing.versions,
        help="Releases, both ends included, as 0.2.4..0.5.0.",
    ),
]
CaseOption = Annotated[
    Path | None,
    typer.Option(
        "--case",
        metavar="SCRIPT",
        help="A kernel script, a folder with a case.yaml, or a case file; else what was reduced last.",
    ),
]
FindOption = Annotated[
    Find | None,
    typer.Option("--find", help="What brought the bug in, or what repaired it; else what the ends show."),
]
Pre = Annotated[bool, typer.Option("--pre", help="Pre-releases between the ends, too.")]
ExtraIndex = Annotated[
    str | None,
    typer.Option("--extra-index-url", metavar="URL", help="A further package index, as one of nightlies."),
]
Passes = Annotated[
    str | None,
    typer.Option(
        metavar="A,B", autocompletion=completing.passes, help="Only these passes (see `flybisect passes`)."
    ),
]
SkipPasses = Annotated[
    str | None,
    typer.Option(metavar="A,B", autocompletion=completing.passes, help="All passes but these."),
]
Repo = Annotated[
    str | None,
    typer.Option(
        metavar="PATH|URL",
        help="A clone of FlyDSL; else the one around this folder, or what flybisect.yaml says.",
    ),
]
AllowInexact = Annotated[
    bool,
    typer.Option("--allow-inexact", help="Also test commits over natives of another, labelled as such."),
]
Build = Annotated[
    bool, typer.Option("--build", help="Build commits from source where needed, LLVM first: takes hours.")
]
MlirPath = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Build commits with this MLIR (see docs/source-builds.md), whichever a commit pins.",
    ),
]


def against(args: str | None, flydsl: str | None, arch: str | None) -> Against | None:
    """What the `--against-…` options say together; None where none is given."""
    if args is None and flydsl is None and arch is None:
        return None
    return Against(None if args is None else split_args(args, "--against-args"), flydsl, arch)


def sought(
    pattern: str | None,
    absent: bool | None,
    stage: str | None,
    command: str | None,
    same_as: Sequence[str] | None,
) -> Sought:
    """What these options say together. Raises UserError where one is empty."""
    named = (("--pattern", pattern), ("--stage", stage), ("--command", command))
    for name, text in (*named, *(("--same-as", each) for each in same_as or ())):
        if text is not None and not text.strip():
            raise UserError(f"{name} is empty; leave it out, or say something")
    anchored = None if command is None else with_absolute_paths(command, Path.cwd())
    return Sought(pattern, absent, stage, anchored, tuple(same_as or ()))


def argv(arguments: list[str] | None, given: Sequence[str]) -> tuple[str, ...] | None:
    """None where no arguments are given, so that the case's hold. A bare `--` at the end: none at all.

    `given` is the whole command line.
    """
    return tuple(arguments or ()) if arguments or given[-1:] == ("--",) else None


def choice(passes: str | None, skip_passes: str | None) -> list[str]:
    """The words of a command line that choose passes."""
    return [
        *(["--passes", passes] if passes is not None else []),
        *(["--skip-passes", skip_passes] if skip_passes is not None else []),
    ]
