"""The seeds against the real compiler: what `expected.yaml` says is what is seen."""

from __future__ import annotations

import ast
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

import pytest

from flybisect.case.case import load
from flybisect.observation import Observation, Outcome, Probe, Want
from flybisect.probe.runner import Runner
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.resolve import resolve
from flybisect.toolchain.rocm import find_rocm
from tests.releases import KEPT
from tests.seeds.expectations import SEEDS, Expectation, expectations

INSTALLED = importlib.metadata.version("flydsl")
TRANSPOSED = "ds_read_b64_tr_b16"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def runner(work: Path) -> Iterator[Runner]:
    with Runner(work / "scratch", jobs=1) as runner:
        yield runner


@pytest.fixture(scope="module")
def installed(work: Path) -> Toolchain:
    return resolve("installed", work, find_rocm(work))


@pytest.fixture(scope="module")
def old(work: Path) -> Toolchain:
    return resolve("0.3.0", KEPT, find_rocm(work))


def _observe(runner: Runner, toolchain: Toolchain, expected: Expectation) -> Observation:
    wants = frozenset({Want.ASSEMBLY}) if TRANSPOSED in str(expected.figures) else frozenset[Want]()
    probe = Probe(
        source=expected.script.read_text(),
        name=expected.script.name,
        arch=expected.arch,
        argv=tuple(expected.args.split()),
        folder=expected.script.parent,
        wants=wants,
    )
    return runner.run(probe, toolchain)


def _said(seen: Observation) -> str:
    texts = [d.text for d in seen.diagnostics] + [e.message for e in seen.exceptions]
    return "\n".join([*texts, seen.stderr])


def _compare(seen: Observation, expected: Expectation) -> None:
    if expected.fails is not None:
        assert seen.outcome in (Outcome.EXCEPTION, Outcome.SIGNAL)
        assert expected.fails in _said(seen)
        return
    assert seen.outcome is Outcome.OK, _said(seen)
    (kernel,) = seen.kernels
    found = seen.metrics() | {f"bases.{name}": count for name, count in kernel.bases.items()}
    assert {name: found[name] for name in expected.figures} == expected.figures


@pytest.mark.skipif(INSTALLED != "0.5.0", reason=f"nothing was measured on FlyDSL {INSTALLED}")
@pytest.mark.parametrize("seed", ["buffer_copy", "recast_iter"])
def test_the_installed_flydsl_gives_what_was_measured(
    seed: str, runner: Runner, installed: Toolchain
) -> None:
    expected = expectations(seed, INSTALLED)
    assert expected
    for one in expected:
        _compare(_observe(runner, installed, one), one)


@pytest.mark.release
@pytest.mark.parametrize("seed", ["buffer_copy", "recast_iter"])
def test_an_old_release_gives_what_was_measured(seed: str, runner: Runner, old: Toolchain) -> None:
    expected = expectations(seed, "0.3.0")
    assert expected
    for one in expected:
        _compare(_observe(runner, old, one), one)


@pytest.mark.parametrize("path", sorted(SEEDS.glob("*/*case.yaml")), ids=lambda path: path.stem)
def test_a_case_is_about_something_that_was_measured(path: Path) -> None:
    case = load(path)
    measured = {
        (e.script, tuple(e.args.split()), e.arch, e.release): e for e in expectations(path.parent.name)
    }
    flydsl = case.flydsl or "installed"
    subject = measured[case.script, case.arguments, case.arch or "", flydsl]
    if case.baseline is None:
        assert subject.fails is not None
    else:
        base = measured[case.script, case.baseline.argv or (), case.arch or "", flydsl]
        assert subject.figures["vgpr_spills"] > base.figures["vgpr_spills"] == 0


@pytest.mark.parametrize(("seed", "least"), [("buffer_copy", 80), ("recast_iter", 250)])
def test_a_seed_is_as_large_as_a_real_script(seed: str, least: int) -> None:
    script = load(SEEDS / seed / "case.yaml").script
    assert sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(script.read_text()))) >= least
