"""Every command in the documentation has the options it is shown with; those of marked blocks are run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import typer.main

from flybisect.cli.main import app, main
from tests.docs.blocks import ROOT, Block, blocks
from tests.releases import sharing_releases

COMMAND = typer.main.get_command(app)
SHOWN = [(block.page, words) for block in blocks() for words in block.commands]
RUN: dict[str, list[Block]] = {}
for each in blocks():
    if each.runs:
        RUN.setdefault(each.page, []).append(each)
KINDS = (None, "release", "slow")


@pytest.mark.parametrize(
    ("page", "words"), SHOWN, ids=lambda value: value if isinstance(value, str) else " ".join(value)[:60]
)
def test_it_can_be_said(page: str, words: tuple[str, ...]) -> None:
    context = COMMAND.make_context("flybisect", list(words), resilient_parsing=True)
    rest = [*context._protected_args, *context.args]
    name, command, arguments = COMMAND.resolve_command(context, rest)  # type: ignore[attr-defined]
    assert command is not None, f"{page}: there is no command {name}"
    command.make_context(name, arguments, parent=context, obj=words)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands are typed: a folder with the seeds, and a working folder of its own."""
    shutil.copytree(ROOT / "seeds", tmp_path / "seeds")
    sharing_releases(tmp_path / "workdirs")
    (tmp_path / "flybisect.yaml").write_text("workdir: workdirs\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in RUN if any(b.mark is None for b in RUN[page])])
def test_it_runs(page: str, checkout: Path) -> None:
    _run(page, None)


@pytest.mark.release
@pytest.mark.parametrize("page", [page for page in RUN if any(b.mark == "release" for b in RUN[page])])
def test_it_runs_on_a_release(page: str, checkout: Path) -> None:
    _run(page, "release")


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", [page for page in RUN if any(b.mark == "slow" for b in RUN[page])])
def test_it_runs_given_time(page: str, checkout: Path) -> None:
    _run(page, "slow")


def _run(page: str, mark: str | None) -> None:
    """All blocks of one kind, in their order: later ones may stand on earlier ones."""
    assert mark in KINDS
    for block in RUN[page]:
        if block.mark != mark:
            continue
        for words in block.commands:
            with pytest.raises(SystemExit) as ended:
                main(list(words))
            assert not ended.value.code, f"{page}: flybisect {' '.join(words)}"
