"""Commits that no release fits, judged by halves of releases: a made-up history with natives of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flybisect.bisect.attribution import Owner
from flybisect.bisect.commit_answer import CommitAnswer
from flybisect.bisect.commit_range import commit_range_of
from flybisect.bisect.commit_search import CommitSearch
from flybisect.bisect.endpoints import EndpointOracle
from flybisect.bisect.observer import Observer, StudiedCase
from flybisect.bisect.strategies import Strategy
from flybisect.bisect.toolchain_provider import ToolchainProvider
from flybisect.case.case import Case
from flybisect.errors import UserError
from flybisect.git.build_inputs import Inputs
from flybisect.git.range import read_range
from flybisect.git.repository import Repository
from flybisect.judge.trials import NoMemory
from flybisect.observation import Observation, Probe
from flybisect.oracle.plugin import Options
from flybisect.oracle.registry import load
from flybisect.terminal.commits import print_commits
from flybisect.toolchain.index import Releases
from flybisect.toolchain.model import Exactness, Toolchain
from flybisect.toolchain.store import silent
from flybisect.toolchain.toolchains import Toolchains
from tests.bisect.test_commits import SHOWS
from tests.git.madeup import laid_out
from tests.judge.replay import Replay

Shows = Callable[[str, str], str]
"""What natives show with a Python half, both by their words."""


MISSING = "9.9.9"
"""A release that the index lists and does not have."""


class Halves(ToolchainProvider):
    """Makes toolchains of words: those of the natives and of the Python half."""

    def _make(self, commit: str, inputs: Inputs, way: Strategy) -> Toolchain:
        assert way.release is not None
        if way.release.version == MISSING:
            raise UserError(f"FlyDSL {MISSING} can't be installed")
        words = self._word(way.release.commit, "lib/Fly.cpp"), self._word(commit, "python/flydsl/half")
        paths = tuple(map(Path, words))
        return Toolchain(commit[:12], way.kind, "/".join(words), "1", Path("python"), paths, way.exactness)

    def _word(self, commit: str, path: str) -> str:
        return self._repository._git("cat-file", "blob", f"{commit}:{path}")


class History:
    """A commit for each pair `natives/Python`; a version behind it, as `a/p=2.0.0`, releases it."""

    def __init__(self, folder: Path, words: str, shows: Shows) -> None:
        self.folder = folder
        self.shows = shows
        made = laid_out(folder / "fly")
        versions = []
        self.hashes: list[str] = []
        for number, word in enumerate(words.split()):
            pair, _, version = word.partition("=")
            native, _, python = pair.partition("/")
            files: dict[str, str | None] = {"lib/Fly.cpp": native, "python/flydsl/half": python}
            self.hashes.append(made.commit(f"c{number} (#{number})", files))
            if version:
                made.tag(f"v{version}")
                versions.append(version)
        self.versions = Releases(tuple(versions))
        self.repository = Repository(made.folder)
        self.replay = Replay(self._answer)
        self.keys: list[tuple[str, str]] = []

    def _answer(self, probe: Probe, toolchain: Toolchain) -> Observation:
        native, python = (path.name for path in toolchain.paths)
        self.keys.append((native, toolchain.spec))
        return SHOWS[self.shows(native, python)]

    def search(self, *, last: int = -1, jobs: int = 1, inexact: bool = False) -> CommitAnswer:
        found = read_range(self.repository, f"{self.hashes[0]}..{self.hashes[last]}")
        line = commit_range_of(self.repository, found, self.versions, ())
        supply = Halves(self.repository, Toolchains(self.folder, silent), self.folder, silent)
        measure = EndpointOracle(load("legalization"), Options())
        study = StudiedCase(Case(self.folder / "k.py"), "x = 1\n", (), "gfx942")
        observer = Observer(study, measure.observer(), self.replay, NoMemory())
        search = CommitSearch(line, supply, observer, measure, silent, allow_inexact=inexact)
        return search.run(None, jobs)

    def ran(self, place: int) -> list[str]:
        """The natives that a commit's Python was run over."""
        return [native for native, spec in self.keys if spec == self.hashes[place][:12]]

    def suspects(self, answer: CommitAnswer) -> list[int]:
        return [self.hashes.index(suspect.commit.hash) for suspect in answer.suspects]


def by_python(native: str, python: str) -> str:
    return "bug" if python >= "p5" else "clean"


def by_natives(native: str, python: str) -> str:
    return "bug" if native >= "n5" else "clean"


PYTHON = "n0/p0=1.1.0 n1/p1 n2/p2 n3/p3 n4/p4 n5/p5 n6/p6 n7/p7=1.2.0"


@pytest.mark.parametrize("jobs", [1, 3])
def test_natives_that_do_not_matter(tmp_path: Path, jobs: int, capsys: pytest.CaptureFixture[str]) -> None:
    history = History(tmp_path, PYTHON, by_python)
    answer = history.search(jobs=jobs)
    assert history.suspects(answer) == [5]
    assert answer.attribution.owner is Owner.PYTHON
    assert answer.confirmation.done and not answer.exact
    assert answer.exactness is Exactness.BOTH_NATIVES
    data = answer.to_dict("")
    assert (data["exactness"], data["confirmed"], data["exact"], data["range"]) == (
        "both natives",
        True,
        False,
        None,
    )
    of_culprit = [test for test in data["tests"] if test["commit"] == history.hashes[5]]
    assert [test["exactness"] for test in of_culprit] == ["both natives", "both natives"]
    assert data["test_count"] == len(data["tests"]) + 2
    crossed = sum(cell["runs"] for cell in data["attribution"]["cells"])
    assert data["run_count"] == crossed + sum(test["runs"] for test in data["tests"])
    assert data["run_count"] == len(history.replay.ran)
    print_commits(answer, tmp_path / "bisect.log")
    said = capsys.readouterr().out
    assert said.startswith("first bad commit: ")
    assert "confirmed by both natives" in said and "over the natives of 1.1.0 and of 1.2.0" in said


def test_natives_that_do_matter_are_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The Python of one commit alone needs its own natives."""

    def shows(native: str, python: str) -> str:
        return ("clean" if native == "n0" else "bug") if python == "p4" else by_python(native, python)

    history = History(tmp_path, PYTHON, shows)
    answer = history.search()
    assert history.suspects(answer) == [4, 5]
    (skipped,) = answer.skipped
    assert "over the natives of 1.1.0: good; " in skipped.verdict.why
    assert "over the natives of 1.2.0: bad" in skipped.verdict.why
    assert (
        answer.to_dict("")["range"]
        == f"between {answer.last_before.short} and {answer.first_after.short}; 2 commits"
    )
    print_commits(answer, tmp_path / "bisect.log")
    said = capsys.readouterr().out
    assert said.startswith(f"between {history.hashes[3][:8]} and {history.hashes[5][:8]}; 2 commits")
    assert "first bad commit" not in said
    allowed = history.search(inexact=True)
    assert history.suspects(allowed) == [4]
    assert allowed.exactness is Exactness.INEXACT and not allowed.confirmation.done


def test_the_second_natives_are_asked_for_a_verdict_alone(tmp_path: Path) -> None:
    def shows(native: str, python: str) -> str:
        return "api" if (native, python) in {("n0", "p3"), ("n0", "p4")} else by_python(native, python)

    history = History(tmp_path, PYTHON, shows)
    answer = history.search()
    assert history.suspects(answer) == [3, 4, 5]
    assert set(history.ran(4)) == {"n0"}
    assert set(history.ran(5)) == {"n0", "n7"}


def unfit(native: str, python: str) -> str:
    """What came with p3 needs newer natives."""
    return "api" if native == "n0" and python >= "p3" else by_python(native, python)


def test_natives_that_do_not_work_are_stood_for_by_those_of_another_release(tmp_path: Path) -> None:
    history = History(tmp_path, f"{PYTHON} n8/p8 n9/p9=1.3.0", unfit)
    answer = history.search(last=7)
    assert history.suspects(answer) == [5]
    assert answer.exactness is Exactness.TWO_NATIVES
    assert not answer.confirmation.done and not answer.exact
    assert "natives of 1.2.0 and of 1.3.0" in answer.confirmation.why
    assert [cell.natives.version for cell in answer.attribution.cells] == ["1.1.0", "1.2.0", "1.3.0", "1.3.0"]


def test_a_release_that_can_not_be_installed_gives_no_second_opinion(tmp_path: Path) -> None:
    history = History(tmp_path, f"{PYTHON} n8/p8={MISSING} n9/p9=10.0.0", unfit)
    answer = history.search(last=7)
    assert history.suspects(answer) == [5]
    assert "natives of 1.2.0 and of 10.0.0" in answer.confirmation.why


def test_another_release_has_to_tell_the_ends_apart(tmp_path: Path) -> None:
    def shows(native: str, python: str) -> str:
        return "bug" if native == "n9" else unfit(native, python)

    history = History(tmp_path, f"{PYTHON} n8/p8 n9/p9=1.3.0", shows)
    answer = history.search(last=7)
    assert len(answer.suspects) == 7
    assert not answer.confirmation.done


NATIVE = "n0/p0=1.1.0 n0/p1 n2/p2 n2/p3 n4/p4 n5/p5 n5/p6 n7/p7=1.2.0"


def test_commits_of_the_same_natives_are_one_where_natives_decide(tmp_path: Path) -> None:
    history = History(tmp_path, NATIVE, by_natives)
    answer = history.search()
    assert answer.attribution.owner is Owner.NATIVE
    assert history.suspects(answer) == [2, 4, 5, 7]
    assert answer.last_before.hash == history.hashes[1]
    assert [suspect.touches for suspect in answer.suspects] == [("native", "python")] * 4
    assert "8 candidates became 5" in " ".join(answer.notes)


def test_natives_of_releases_between_the_ends_name_the_commit(tmp_path: Path) -> None:
    words = "n0/p0=1.1.0 n0/p1 n4/p2=1.1.1 n4/p3 n5/p4 n5/p5=1.1.2 n7/p7=1.2.0"
    history = History(tmp_path, words, by_natives)
    answer = history.search()
    assert history.suspects(answer) == [4]
    assert answer.exact and answer.exactness is Exactness.EXACT
    assert answer.last_before.hash == history.hashes[3]
    assert history.ran(3), "the parent itself is tested, too"


def test_a_parent_that_is_otherwise_is_no_confirmation(tmp_path: Path) -> None:
    def shows(native: str, python: str) -> str:
        return "bug" if python == "p3" else by_natives(native, python)

    words = "n0/p0=1.1.0 n0/p1 n4/p2=1.1.1 n4/p3 n5/p4 n5/p5=1.1.2 n7/p7=1.2.0"
    answer = History(tmp_path, words, shows).search()
    assert not answer.confirmation.done and not answer.exact
    assert "its parent" in answer.confirmation.why


def test_python_that_does_not_work_is_stood_for_by_that_of_the_ends(tmp_path: Path) -> None:
    def shows(native: str, python: str) -> str:
        return "api" if python == "p2" else by_natives(native, python)

    words = "n0/p0=1.1.0 n0/p1 n4/p2=1.1.1 n5/p4 n5/p5=1.1.2 n7/p7=1.2.0"
    history = History(tmp_path, words, shows)
    answer = history.search()
    assert history.suspects(answer) == [3]
    assert answer.exactness is Exactness.BOTH_PYTHONS
    assert answer.confirmation.done and not answer.exact
    assert answer.test_at(answer.found.before).name == history.hashes[2]


def test_one_crossed_pair_does_not_make_commits_one(tmp_path: Path) -> None:
    def shows(native: str, python: str) -> str:
        return "api" if (native, python) == ("n0", "p7") else by_natives(native, python)

    history = History(tmp_path, NATIVE, shows)
    answer = history.search()
    assert answer.attribution.owner is Owner.NATIVE
    assert history.suspects(answer) == [2, 3, 4, 5, 6, 7]
    assert [suspect.likely for suspect in answer.suspects] == [True, False, True, True, False, True]
