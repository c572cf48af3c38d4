"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flybisect.bisect.endpoints import Find
from flybisect.case.limits import JOBS
from flybisect.cli import completion as completing

Script = Annotated[
    Path,
    typer.Argument(
        metavar="SCRIPT",
        help="A kernel script, a folder with a case.yaml, a case file, or a test as test_x.py::test_y[64].",
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
BisectJobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=JOBS[0],
        max=JOBS[1],
        help="FlyDSLs tested at once; one without it. More cost more tests.",
    ),
]
Workdir = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Where sessions and installed releases go (see workdirs/README.md)."),
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
RunReleases = Annotated[
    str | None,
    typer.Option(
        metavar="A..B",
        autocompletion=completing.versions,
        help="Also between which of these releases it appeared or was fixed.",
    ),
]
WholeMatrix = Annotated[
    bool, typer.Option("--matrix", help="Every release of that range in the table, not only those tried.")
]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT", help="Other arguments of the script, for the table of releases; repeatable."
    ),
]
RunCommits = Annotated[
    str | None,
    typer.Option(
        metavar="A..B", help="Also which of these commits; with --repo alone, those between the releases."
    ),
]
Reduced = Annotated[
    Path | None,
    typer.Option(metavar="FILE.py", help="A script that was reduced already, in place of a reduction."),
]


def choice(passes: str | None, skip_passes: str | None) -> list[str]:
    """The words of a command line that choose passes."""
    return [
        *(["--passes", passes] if passes is not None else []),
        *(["--skip-passes", skip_passes] if skip_passes is not None else []),
    ]
