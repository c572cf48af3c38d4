"""The search over a made-up history: builds are names, trials are looked up by commit."""

from __future__ import annotations

import random
import re
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from flybisect.bisect.commit_answer import CommitAnswer
from flybisect.bisect.commit_range import commit_range_of
from flybisect.bisect.commit_search import CommitSearch
from flybisect.bisect.endpoints import EndpointOracle, Find
from flybisect.bisect.observer import Observer, StudiedCase
from flybisect.bisect.toolchain_provider import ToolchainProvider
from flybisect.case.case import Case
from flybisect.errors import UserError
from flybisect.git.range import read_range
from flybisect.git.repository import Repository
from flybisect.judge.trials import NoMemory
from flybisect.observation import Kernel, Observation, Outcome, Probe
from flybisect.oracle.plugin import Options
from flybisect.oracle.registry import load
from flybisect.session.journal import Journal
from flybisect.toolchain.index import Releases
from flybisect.toolchain.model import Exactness, Toolchain, Unavailable
from flybisect.toolchain.store import silent
from flybisect.toolchain.toolchains import Toolchains
from tests.git.madeup import laid_out
from tests.judge.replay import Replay
from tests.oracle.recorded import recorded

SHOWS = {
    "clean": recorded("mfma_bf16@0.5.0"),
    "bug": recorded("gemm_buffer64@0.5.0"),
    "other": recorded("gemm_buffer128@0.5.0"),
    "api": recorded("api@0.5.0"),
}


def seen_in(folder: Path) -> Observation:
    """What a commit shows stands in its `python/flydsl/shows`."""
    word = (folder / "python/flydsl/shows").read_text()
    if word.isdigit():
        return replace(SHOWS["clean"], kernels=(Kernel("k", vgprs=int(word)),))
    return SHOWS[word]


@dataclass
class Builder:
    """Builds from source, where it does not fail."""

    repository: Repository
    folder: Path
    exact: Mapping[str, Exactness] = field(default_factory=dict)
    failing: frozenset[str] = frozenset()
    made: frozenset[str] = frozenset()
    """Built before."""
    built: list[str] = field(default_factory=list)

    def exactness(self, commit: str) -> Exactness:
        return self.exact.get(commit, Exactness.EXACT)

    def ready(self, commit: str) -> bool:
        return commit in self.made or commit in self.built

    def build(self, commit: str) -> Toolchain:
        self.built.append(commit)
        if commit in self.failing:
            raise Unavailable("ninja stopped")
        site = self.folder / commit
        if not site.exists():
            self.repository.export(commit, "python", site / "python")
        key = self.repository.inputs(commit).python
        exactness = self.exactness(commit)
        return Toolchain(commit[:12], "source", key, "1", Path("python"), (site,), exactness)

    def log(self, commit: str) -> Path:
        return self.folder / f"{commit}.log"


class History:
    """A repository with one commit for each word that it shows."""

    def __init__(self, folder: Path, words: str) -> None:
        self.folder = folder
        self.made = laid_out(folder / "fly")
        self.hashes = []
        for number, word in enumerate(words.split()):
            files: dict[str, str | None] = {
                "python/flydsl/shows": word,
                "python/flydsl/number": str(number),
                "lib/Fly.cpp": f"{number}",
            }
            self.hashes.append(self.made.commit(f"c{number} (#{number})", files))
            self.made.commit(f"docs {number}", {"README.md": f"{number}"})
        self.repository = Repository(self.made.folder)
        self.builder = Builder(self.repository, folder / "built")
        self.replay = Replay(lambda probe, toolchain: self._answer(toolchain))
        self.journal: Journal | None = None

    def _answer(self, toolchain: Toolchain) -> Observation:
        return seen_in(toolchain.paths[0])

    def search(
        self,
        oracle: str = "legalization",
        *,
        find: Find | None = None,
        proxies: bool = False,
        jobs: int = 1,
        text: str | None = None,
        paths: tuple[str, ...] = (),
    ) -> CommitAnswer:
        found = read_range(self.repository, text or f"{self.hashes[0]}..{self.hashes[-1]}", paths=paths)
        line = commit_range_of(self.repository, found, Releases(()), ())
        toolchains = Toolchains(self.folder, silent)
        supply = ToolchainProvider(self.repository, toolchains, self.folder, silent, self.builder)
        measure = EndpointOracle(load(oracle), Options())
        study = StudiedCase(Case(self.folder / "k.py"), "x = 1\n", (), "gfx942")
        journal = NoMemory() if self.journal is None else self.journal
        observer = Observer(study, measure.observer(), self.replay, journal)
        search = CommitSearch(
            line,
            supply,
            observer,
            measure,
            silent,
            builder=self.builder,
            allow_proxies=proxies,
            notes=self.journal,
        )
        return search.run(find, jobs)


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_commit_that_brought_it_in(tmp_path: Path, jobs: int) -> None:
    history = History(tmp_path, "clean " * 9 + "bug " * 6)
    answer = history.search(jobs=jobs)
    assert [suspect.commit.hash for suspect in answer.suspects] == [history.hashes[9]]
    assert answer.last_before.subject == "docs 8"
    assert answer.exact and answer.find is Find.BUG
    assert answer.suspects[0].touches == ("native", "python")
    data = answer.to_dict("bisect.log")
    assert data["first_bad"]["hash"] == history.hashes[9]
    assert data["first_bad"]["pull_request"] == 9
    assert data["last_good"]["test"]["side"] == "good"
    assert (data["candidates"], data["commits"], data["exact"]) == (15, 28, True)
    if jobs == 1:
        assert len(data["tests"]) <= 4 + 4
    assert {build["kind"] for build in data["builds"]} == {"source"}


def test_the_commit_that_repaired_it(tmp_path: Path) -> None:
    history = History(tmp_path, "bug bug bug clean clean")
    answer = history.search(find=Find.FIX)
    data = answer.to_dict("")
    assert data["first_good"]["hash"] == history.hashes[3]
    assert data["last_bad"]["subject"] == "docs 2"
    assert "first_bad" not in data


def test_what_can_not_be_tested_is_gone_around(tmp_path: Path) -> None:
    history = History(tmp_path, "clean clean api clean clean bug api other bug bug")
    history.builder.failing = frozenset(history.hashes[3:4])
    answer = history.search()
    assert [suspect.commit.hash for suspect in answer.suspects] == [history.hashes[5]]


def test_where_only_skipped_ones_remain_the_answer_is_a_range(tmp_path: Path) -> None:
    history = History(tmp_path, "clean clean api other clean bug bug")
    history.builder.failing = frozenset(history.hashes[4:5])
    answer = history.search()
    assert [suspect.commit.hash for suspect in answer.suspects] == history.hashes[2:6]
    assert not answer.exact
    skipped = answer.to_dict("")["skipped"]
    assert [each["hash"] for each in skipped] == history.hashes[2:5]
    assert "ninja stopped" in skipped[2]["why"]
    assert "verifier" in skipped[1]["why"]


def test_what_is_built_already_is_tested_first(tmp_path: Path) -> None:
    history = History(tmp_path, "clean " * 6 + "bug " * 10)
    plain = history.search()
    history.builder.made = frozenset(history.hashes[at] for at in (5, 6, 9))
    history.builder.built.clear()
    answer = history.search()
    assert answer.suspects == plain.suspects and answer.test_count <= plain.test_count + 1
    ends = {history.hashes[0], history.hashes[-1]}
    assert not set(history.builder.built) - history.builder.made - ends


def test_a_bound_from_the_ends(tmp_path: Path) -> None:
    answer = History(tmp_path, "26 26 24 28 28").search("vgprs")
    assert answer.rule.bound == "vgprs > 27"
    assert answer.suspects[0].commit.subject == "c3 (#3)"


@pytest.mark.parametrize(
    ("words", "find", "said"),
    [
        ("clean clean clean", None, "both endpoints are alike: shows no failure"),
        ("clean bug", Find.FIX, "--find bug"),
        ("bug clean", Find.BUG, "--find fix"),
        ("clean clean api", None, "the newer shows api"),
    ],
)
def test_ends_that_tell_nothing(tmp_path: Path, words: str, find: Find | None, said: str) -> None:
    with pytest.raises(UserError, match=said):
        History(tmp_path, words).search(find=find)


def test_an_end_that_can_not_be_had(tmp_path: Path) -> None:
    history = History(tmp_path, "clean clean bug")
    history.builder.failing = frozenset(history.hashes[-1:])
    with pytest.raises(UserError, match="ninja stopped"):
        history.search()


def test_a_range_without_a_change_for_a_compile(tmp_path: Path) -> None:
    history = History(tmp_path, "clean")
    history.made.commit("docs", {"README.md": "docs"})
    with pytest.raises(UserError, match="none of the 2 commits"):
        history.search(text=f"{history.hashes[0]}..main")


def test_a_proxy_is_used_with_the_users_word_and_is_no_confirmation(tmp_path: Path) -> None:
    history = History(tmp_path, "clean clean clean bug bug")
    history.builder.exact = dict.fromkeys(history.hashes[1:-1], Exactness.PROXY)
    plain = history.search()
    assert [suspect.commit.hash for suspect in plain.suspects] == history.hashes[1:]
    told = history.search(proxies=True)
    assert [suspect.commit.hash for suspect in told.suspects] == history.hashes[3:4]
    assert not told.exact and not told.confirmation.done
    assert "proxy source" in told.strategy


def test_a_change_between_a_proxy_and_an_exact_way_is_cautioned_about(tmp_path: Path) -> None:
    history = History(tmp_path, "clean clean bug bug")
    history.builder.exact = {history.hashes[2]: Exactness.PROXY}
    between = history.search(proxies=True)
    assert between.suspects[0].commit.hash == history.hashes[2]
    assert "over different natives, which may be the change" in between.confirmation.why
    history.builder.exact = dict.fromkeys(history.hashes[1:3], Exactness.PROXY)
    assert "over different natives" not in history.search(proxies=True).confirmation.why


def test_a_proxy_is_not_used_across_a_change_of_the_pin(tmp_path: Path) -> None:
    history = History(tmp_path, "clean clean bug bug")
    history.made.commit("LLVM", {"thirdparty/llvm-hash.txt": "2" * 40, "lib/Fly.cpp": "new"})
    history.builder.exact = dict.fromkeys(history.hashes[1:], Exactness.PROXY)
    answer = history.search(proxies=True, text=f"{history.hashes[0]}..main")
    assert len(answer.suspects) == 4
    assert "pin changes" in answer.notes[0]
    assert answer.suspects[-1].pins == ("1" * 40, "2" * 40)


def test_only_the_ends_and_the_answer_are_run_more_than_once(tmp_path: Path) -> None:
    history = History(tmp_path, "clean " * 6 + "bug " * 7)
    answer = history.search()
    runs = Counter(spec for _, spec in history.replay.ran)
    places = {0, len(answer.line.candidates) - 1, answer.found.before, answer.found.after}
    again = {answer.line.commit(at).hash[:12] for at in places}
    assert {spec: count for spec, count in runs.items() if count > 1} == dict.fromkeys(again, 3)


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_test_is_counted(tmp_path: Path, jobs: int) -> None:
    """One beside the range among them."""
    history = History(tmp_path, "clean clean api clean bug bug bug")
    history.made.git("switch", "--quiet", "-c", "release", history.hashes[0])
    branch = history.made.commit("release", {"python/flydsl/x": "x"})
    data = history.search(text=f"{branch}..{history.hashes[-1]}", jobs=jobs).to_dict("")
    assert data["test_count"] == len(data["tests"])
    assert data["run_count"] == sum(test["runs"] for test in data["tests"]) == len(history.replay.ran)
    beside = [test["commit"] for test in data["tests"] if test["candidate"] is None]
    assert beside == [branch]


def test_a_merge_base_that_is_bad_already(tmp_path: Path) -> None:
    history = History(tmp_path, "bug bug clean")
    history.made.git("switch", "--quiet", "-c", "release", history.hashes[1])
    branch = history.made.commit("release", {"python/flydsl/shows": "clean", "lib/x": "x"})
    with pytest.raises(UserError, match=f"{branch[:8]} is good"):
        history.search(text=f"{branch}..{history.hashes[-1]}")


def test_an_older_end_on_a_branch(tmp_path: Path) -> None:
    history = History(tmp_path, "clean clean bug bug")
    history.made.git("switch", "--quiet", "-c", "release", history.hashes[0])
    branch = history.made.commit("release", {"python/flydsl/shows": "clean", "lib/x": "x"})
    answer = history.search(text=f"{branch}..{history.hashes[-1]}")
    assert answer.suspects[0].commit.hash == history.hashes[2]
    assert "not an ancestor" in answer.notes[0]


def test_a_merge_that_brought_it_in_says_how_to_go_on(tmp_path: Path) -> None:
    history = History(tmp_path, "clean clean")
    history.made.git("switch", "--quiet", "-c", "side")
    history.made.commit("side", {"python/flydsl/shows": "bug"})
    history.made.git("switch", "--quiet", "main")
    history.made.commit("main", {"lib/Other.cpp": "1"})
    history.made.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    answer = history.search(text=f"{history.hashes[0]}..main")
    assert answer.suspects[0].commit.subject == "merge"
    merge = answer.suspects[0].commit.short
    assert f"{merge}^1..{merge}^2" in answer.notes[0]
    inside = history.search(text=f"{merge}^1..{merge}^2")
    assert inside.suspects[0].commit.subject == "side"


@pytest.mark.parametrize("words", ["clean clean clean bug bug", "bug bug clean clean clean"])
def test_git_replays_the_log(tmp_path: Path, words: str) -> None:
    history = History(tmp_path, words)
    answer = history.search()
    log = tmp_path / "bisect.log"
    log.write_text(answer.bisect_log())
    said = history.made.git("bisect", "replay", str(log))
    assert f"{answer.suspects[0].commit.hash} is the first" in said


def test_paths_leave_commits_out_and_git_replays_it(tmp_path: Path) -> None:
    history = History(tmp_path, "clean clean bug bug")
    more = [history.made.commit(f"m{n}", {"python/flydsl/shows": "bug", "lib/it's": f"{n}"}) for n in (1, 2)]
    answer = history.search(text=f"{history.hashes[0]}..{more[-1]}", paths=("python", "lib/it's"))
    assert answer.suspects[0].commit.hash == history.hashes[2]
    assert "left out" in answer.notes[0]
    log = tmp_path / "bisect.log"
    log.write_text(answer.bisect_log())
    assert f"{history.hashes[2]} is the first" in history.made.git("bisect", "replay", str(log))


def test_what_a_commit_touches_is_its_own_change(tmp_path: Path) -> None:
    """With paths the line has gaps, and what lies in a gap is not the next commit's."""
    history = History(tmp_path, "clean clean")
    history.made.commit("lib", {"lib/Other.cpp": "1", "python/flydsl/shows": "bug"})
    last = history.made.commit("kernels", {"kernels/gemm.py": "2"})
    answer = history.search(text=f"{history.hashes[0]}..{last}", paths=("kernels",))
    assert answer.suspects[0].commit.hash == last
    assert answer.suspects[0].touches == ()


def test_git_replays_a_log_with_a_range(tmp_path: Path) -> None:
    history = History(tmp_path, "clean api api bug bug")
    log = tmp_path / "bisect.log"
    log.write_text(history.search().bisect_log())
    with pytest.raises(subprocess.CalledProcessError) as ended:
        history.made.git("bisect", "replay", str(log))
    assert "only 'skip'ped commits left" in ended.value.stdout
    for commit in history.hashes[1:4]:
        assert commit in ended.value.stdout


def test_a_hang_is_told_from_a_slow_end(tmp_path: Path) -> None:
    """The older end never ends; the newer one takes long, so the older one gets longer still."""
    history = History(tmp_path, "clean clean bug bug")
    stuck = replace(SHOWS["clean"], outcome=Outcome.TIMEOUT, kernels=())
    limits: list[float] = []

    def answer(probe: Probe, toolchain: Toolchain) -> Observation:
        limits.append(probe.timeout)
        seen = seen_in(toolchain.paths[0])
        return stuck if seen is SHOWS["clean"] else replace(SHOWS["clean"], seconds=9.0)

    history.replay = Replay(answer)
    found = history.search("hang")
    assert (found.find, found.suspects[0].commit.hash) == (Find.FIX, history.hashes[2])
    assert limits[:2] == [15.0, 15.0]
    assert set(limits[2:]) == {36.0}


class Flaky(History):
    """`bug` shows in a part of the runs only; `shown` counts every one that does."""

    def __init__(self, folder: Path, words: str, rate: float, seed: int) -> None:
        super().__init__(folder, words)
        self.rate = rate
        self.rolls = random.Random(seed)

    def _answer(self, toolchain: Toolchain) -> Observation:
        seen = super()._answer(toolchain)
        return SHOWS["clean"] if seen is SHOWS["bug"] and self.rolls.random() >= self.rate else seen


@pytest.mark.parametrize("seed", range(4))
def test_a_commit_whose_answer_flips_is_repeated(tmp_path: Path, seed: int) -> None:
    history = Flaky(tmp_path, "clean " * 5 + "bug " * 8, 0.6, seed)
    answer = history.search()
    assert [suspect.commit.hash for suspect in answer.suspects] == [history.hashes[5]]
    flaky = answer.flakiness
    assert flaky.flaky and flaky.clean_runs > 1 and flaky.rare is None
    data = answer.to_dict("")
    assert data["last_good"]["test"]["runs"] >= flaky.clean_runs
    assert data["last_good"]["test"]["shown"] == 0
    assert data["first_bad"]["test"]["shown"] > 0
    assert data["first_bad"]["test"]["signature"] == str(answer.rule.signature)
    assert data["repeats"]["runs"] == flaky.clean_runs and data["repeats"]["missed"] == 0.01
    assert data["run_count"] == len(history.replay.ran)
    assert "at most 1 %" in " ".join(flaky.sentences)


def test_a_bug_that_is_too_rare_is_refused_with_its_rate(tmp_path: Path) -> None:
    seen = set()
    for seed in range(8):
        folder = tmp_path / f"{seed}"
        folder.mkdir()
        history = Flaky(folder, "clean clean bug bug", 0.15, seed)
        with pytest.raises(UserError) as refused:
            history.search()
        seen.add("both endpoints are alike" in str(refused.value))
        if "alike" not in str(refused.value):
            assert re.search(
                r"shows the bug in [1-8] of 20 runs. This reproduction rate is too low", str(refused.value)
            )
    assert False in seen


def test_an_older_end_that_shows_it_at_times_is_no_good_end(tmp_path: Path) -> None:
    history = Flaky(tmp_path, "bug bug bug bug bug", 0.5, seed=3)
    with pytest.raises(UserError, match=r"both endpoints show the bug: \w+ in \d+ of \d+ runs, \w+ in"):
        history.search()


def test_the_next_run_knows_how_often_it_was_looked(tmp_path: Path) -> None:
    history = Flaky(tmp_path, "clean " * 3 + "bug " * 5, 0.6, seed=1)
    history.journal = Journal(tmp_path / "journal.sqlite3")
    first = history.search()
    count = len(history.replay.ran)
    again = history.search()
    assert len(history.replay.ran) == count
    assert (again.suspects, again.flakiness) == (first.suspects, first.flakiness)
    assert again.run_count == first.run_count
