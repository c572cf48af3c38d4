"""The examples of the Python API's page are run, and what they print is compared."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT
from tests.releases import sharing_releases

PAGE = ROOT / "docs/api.md"
_BLOCK = re.compile(r"<!-- run(?:: (?P<mark>\w+))? -->\n```python\n(?P<text>.*?)```", re.DOTALL)


def examples(mark: str | None) -> doctest.DocTest:
    """The page's blocks of one kind, as one session."""
    blocks = _BLOCK.finditer(PAGE.read_text(encoding="utf-8"))
    text = "\n".join(block["text"] for block in blocks if block["mark"] == mark)
    return doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)


@pytest.mark.parametrize(
    "mark",
    [
        None,
        pytest.param("release", marks=pytest.mark.release),
        pytest.param("slow", marks=[pytest.mark.slow, pytest.mark.timeout(1800)]),
    ],
)
def test_the_examples_print_what_is_shown(
    mark: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "seeds", tmp_path / "seeds")
    sharing_releases(tmp_path / "workdirs")
    (tmp_path / "flybisect.yaml").write_text("workdir: workdirs\n")
    monkeypatch.chdir(tmp_path)
    shown, said = examples(mark), list[str]()
    assert shown.examples
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(shown, out=said.append).failed == 0, "".join(said)


def test_every_block_is_run() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.count("```python") == len(_BLOCK.findall(text))
