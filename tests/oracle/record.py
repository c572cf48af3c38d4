"""Records observations of the scripts in `scripts/` with real FlyDSL, for the tests to replay.

    python tests/oracle/record.py WORKDIR 0.1.8 0.2.4 0.3.0 0.3.1 0.5.0 [--only NAME]

writes `tests/data/observations/NAME@VERSION.json`. Each spec is what `--flydsl` takes; releases are
installed below WORKDIR.
"""

from __future__ import annotations

import argparse
import json
import sysconfig
from dataclasses import replace
from pathlib import Path

from flybisect.observation import Observation, Probe, Want
from flybisect.probe.runner import Runner
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.resolve import resolve
from flybisect.toolchain.rocm import find_rocm

SCRIPTS = Path(__file__).parent / "scripts"
OBSERVATIONS = Path(__file__).parent.parent / "data" / "observations"
WANTS = {
    "block1024_spill": frozenset({Want.ASSEMBLY}),
    "scaled": frozenset({Want.IR, Want.OUTPUT}),
}
"""What is recorded beside the metrics."""
STAGE = "fly-layout-lowering"
"""Where IR is taken."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workdir", type=Path)
    parser.add_argument("specs", nargs="+")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    OBSERVATIONS.mkdir(parents=True, exist_ok=True)
    with Runner(options.workdir, 1) as runner:
        for spec in options.specs:
            toolchain = resolve(spec, options.workdir, find_rocm(options.workdir))
            for script in sorted(SCRIPTS.glob(f"{options.only or '*'}.py")):
                seen = _lean(runner.run(_probe(script), toolchain))
                path = OBSERVATIONS / f"{script.stem}@{toolchain.version}.json"
                path.write_text(_anywhere(json.dumps(json.loads(seen.to_json()), indent=1), toolchain) + "\n")
                print(path.name, seen.outcome.value)


def _probe(script: Path) -> Probe:
    return Probe(
        source=script.read_text(),
        name=script.name,
        arch="gfx942",
        wants=WANTS.get(script.stem, frozenset()),
        timeout=8,
        memory=1024,
        stage=STAGE,
    )


def _lean(seen: Observation) -> Observation:
    """Without what differs from run to run."""
    return replace(seen, seconds=1.0, cpu_seconds=1.0, under_way=None, peak_mib=0)


def _anywhere(text: str, toolchain: Toolchain) -> str:
    """Without the folders of this machine."""
    for folder in (*toolchain.paths, Path(sysconfig.get_path("purelib"))):
        text = text.replace(str(folder), "/site-packages")
    return text.replace(str(SCRIPTS.parent.parent.parent), "/flybisect")


if __name__ == "__main__":
    main()
