from __future__ import annotations

import sys
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.oracle.plugin import Evidence, Options, TrialLimits
from flybisect.oracle.registry import listing, load
from flybisect.oracle.same_as import counting_as_same
from tests.oracle.recorded import recorded

MINE = """
from dataclasses import dataclass
from flybisect.observation import Answer, Verdict
from flybisect.oracle.plugin import Plugin

@dataclass(frozen=True)
class Slow:
    name: str = "slow"
    wants: frozenset = frozenset()
    def needs_baseline(self, subject):
        return False
    def judge(self, evidence):
        return Verdict(Answer.INTERESTING, None, {"seconds": evidence.subject.seconds})

PLUGIN = Plugin("slow", "takes long", lambda options: Slow())
"""


def test_three_ship() -> None:
    known = listing()
    assert {"spills", "legalization", "assertion"} <= {plugin.name for plugin in known.plugins}
    assert all(plugin.summary and "\n" not in plugin.summary for plugin in known.plugins)


def test_an_unknown_name_lists_those_that_there_are() -> None:
    with pytest.raises(UserError) as error:
        load("spils")
    assert "did you mean spills?" in str(error.value)
    assert "legalization" in str(error.value)


def test_a_python_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    oracle = load(str(tmp_path / "mine.py")).build(Options())
    verdict = oracle.judge(Evidence(recorded("nothing@0.5.0")))
    assert verdict.interesting
    assert verdict.metrics == {"seconds": 1.0}


def test_a_yaml_file(tmp_path: Path) -> None:
    (tmp_path / "mine.yml").write_text("name: mine\nsummary: s\npattern: std::bad_cast\n")
    oracle = load(str(tmp_path / "mine.yml")).build(Options())
    assert oracle.judge(Evidence(recorded("wide_constant@0.2.4"))).interesting


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\nundefined\n", "line 2: NameError: name 'undefined' is not defined"),
        ("def f(:\n", "line 1: SyntaxError"),
        ("raise ValueError('a\\nb')\n", "line 1: ValueError: a"),
        ("PLUGIN = 3\n", "defines no PLUGIN"),
    ],
)
def test_a_broken_file_says_where(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(UserError) as error:
        load(str(tmp_path / "mine.py"))
    assert words in str(error.value)
    assert str(tmp_path / "mine.py") in str(error.value)


def test_a_plugin_that_fails_while_it_judges_is_a_user_error(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE.replace("evidence.subject.seconds", "evidence.nothing"))
    oracle = load(str(tmp_path / "mine.py")).build(Options())
    with pytest.raises(UserError, match="nothing"):
        oracle.judge(Evidence(recorded("nothing@0.5.0")))


@pytest.mark.parametrize("name", ["none.py", "none.yaml"])
def test_a_file_that_is_not_there(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=name):
        load(str(tmp_path / name))


def distribution(folder: Path, entry: str, module: str) -> None:
    """An installed distribution, as pip leaves one."""
    sys.modules.pop("extra_oracles_module", None)  # of another test's distribution
    info = folder / "extra_oracles-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-oracles\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[flybisect.oracles]\n{entry}\n")
    (folder / "extra_oracles_module.py").write_text(module)


@pytest.mark.parametrize("target", ["extra_oracles_module", "extra_oracles_module:PLUGIN"])
def test_an_installed_distribution(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution(tmp_path, f"slow = {target}", MINE)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "slow" in {plugin.name for plugin in listing().plugins}
    assert load("slow").build(Options()).name == "slow"


def test_a_broken_distribution_does_not_hide_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distribution(tmp_path, "slow = extra_oracles_missing", MINE)
    monkeypatch.syspath_prepend(str(tmp_path))
    known = listing()
    assert "spills" in {plugin.name for plugin in known.plugins}
    assert any("extra_oracles_missing" in problem for problem in known.problems)
    with pytest.raises(UserError, match="extra_oracles_missing"):
        load("slow")


def test_a_name_that_is_taken_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution(tmp_path, "spills = extra_oracles_module", MINE.replace('"slow"', '"spills"'))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert any("left out" in problem for problem in listing().problems)


DERIVED = """
from dataclasses import dataclass
from flybisect.observation import Answer, Verdict
from flybisect.oracle.plugin import Oracle, Plugin, TrialLimits

@dataclass(frozen=True)
class Open(Oracle):
    name: str = "open"
    limits_trials: bool = True
    provisional: bool = True
    def judge(self, evidence):
        return Verdict(Answer.INTERESTING)
    def trial_limits(self, base):
        return TrialLimits(10 * base.seconds, 100)
    def specialized(self, first):
        return Open("closed", provisional=False)

PLUGIN = Plugin("open", "becomes another one", lambda options: Open())
"""


def test_what_a_plugin_can_do_is_kept(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(DERIVED)
    seen = recorded("nothing@0.5.0")
    for plugin in (
        load(str(tmp_path / "mine.py")),
        counting_as_same(load(str(tmp_path / "mine.py")), ("verifier",)),
    ):
        oracle = plugin.build(Options())
        assert (oracle.limits_trials, oracle.provisional, oracle.needs_baseline(seen)) == (True, True, False)
        assert oracle.trial_limits(seen) == TrialLimits(10.0, 100)
        settled = oracle.specialized(Evidence(seen))
        assert (settled.name, settled.provisional) == ("closed", False)
        assert settled.judge(Evidence(seen)).interesting


def test_one_that_does_not_derive_has_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    oracle = load(str(tmp_path / "mine.py")).build(Options())
    seen = recorded("nothing@0.5.0")
    assert (oracle.limits_trials, oracle.provisional, oracle.trial_limits(seen)) == (False, False, None)
    assert oracle.specialized(Evidence(seen)) is oracle
    assert oracle.margins(Evidence(seen)) == {}
