from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flybisect.observation import Observation, Probe, Want
from flybisect.probe.runner import Runner
from flybisect.toolchain.installed import installed
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.rocm import find_rocm

Run = Callable[..., Observation]


@pytest.fixture(scope="session")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    """The FlyDSL that is installed beside the tests, with a linker."""
    return installed(find_rocm(tmp_path_factory.mktemp("rocm")))


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    with Runner(tmp_path_factory.mktemp("scratch"), jobs=2) as runner:
        yield runner


@pytest.fixture(scope="session")
def run(runner: Runner, toolchain: Toolchain) -> Run:
    """Runs a script, given as indented text, warm and under the installed FlyDSL."""

    def run(
        source: str,
        *argv: str,
        arch: str = "gfx942",
        folder: Path | None = None,
        wants: tuple[Want, ...] = (),
        timeout: float = 60.0,
        memory: int = 8192,
        stage: str | None = None,
        command: str | None = None,
    ) -> Observation:
        probe = Probe(
            source=textwrap.dedent(source),
            name="script.py",
            arch=arch,
            argv=argv,
            folder=folder,
            wants=frozenset(wants),
            timeout=timeout,
            memory=memory,
            stage=stage,
            command=command,
        )
        return runner.run(probe, toolchain)

    return run
