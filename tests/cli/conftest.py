"""Running the command line in this process, on the installed FlyDSL."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flybisect.cli.main import main
from tests.cli.running import Ran, Run

SCRIPTS = [Path(__file__).parent.parent / folder for folder in ("data/scripts", "oracle/scripts")]


@pytest.fixture(autouse=True)
def signals_reach_children() -> Iterator[None]:
    """A suite that was started in the background ignores these, and what it starts would as well."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGHUP)}
    for number, handler in before.items():
        if handler is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls `flybisect` with some words."""

    def call(*words: object) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return Ran(int(ended.value.code or 0), said.out, said.err)

    return call


@pytest.fixture(scope="session")
def workdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests, so that the linker is staged once."""
    return tmp_path_factory.mktemp("workdir")


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of one of the tests' scripts, in a folder of its own."""

    def copy(name: str) -> Path:
        found = next(folder / name for folder in SCRIPTS if (folder / name).exists())
        return Path(shutil.copy(found, tmp_path / name))

    return copy
