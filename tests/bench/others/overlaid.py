"""What a person would have `git bisect run` do for one commit of FlyDSL that is checked out.

    python -m tests.bench.others.overlaid CHECKOUT NATIVES CASE TOLD_FIRST LOG

The commit's Python over the natives of one release (the folder NATIVES), then one `flybisect check`. Exit
codes are git's: 0 like the older end, 1 like the newer one, 125 where it can't be judged. TOLD_FIRST says
what `check` says of the older end: `interesting` or `uninteresting`. Each test adds a line to LOG.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SKIP = 125


def main(checkout: Path, natives: Path, case: Path, told_first: str, log: Path) -> int:
    site = log.with_name("overlay")
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(checkout / "python" / "flydsl", site / "flydsl")
    for name in ("flydsl/_mlir", "flydsl.libs"):
        if (natives / name).is_dir():
            (site / name).symlink_to(natives / name, target_is_directory=True)
    command = [sys.executable, "-m", "flybisect", "check", str(case), "--flydsl", str(site), "--quiet"]
    code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    with log.open("a") as lines:
        lines.write(f"{code}\n")
    if code not in (0, 1):
        return SKIP
    return int((code == 0) != (told_first == "interesting"))


if __name__ == "__main__":
    checkout, natives, case = (Path(each) for each in sys.argv[1:4])
    sys.exit(main(checkout, natives, case, sys.argv[4], Path(sys.argv[5])))
