"""The pictures in README.md, made from real runs.

    python docs/pictures/make.py reduce            # docs/pictures/reduce.svg
    python docs/pictures/make.py report --repo DIR # docs/pictures/report.png; DIR is a clone of FlyDSL

The second one needs Chromium and the releases of FlyDSL from 0.2.4 to 0.3.2.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH = 112
"""Characters of a line in the terminal."""
WINDOW = (1100, 1560)
"""Pixels of the report that are shown."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("picture", choices=("reduce", "report"))
    parser.add_argument("--repo", help="a clone of FlyDSL")
    parser.add_argument("--workdir", default=str(ROOT / "workdirs"), help="where releases are installed")
    asked = parser.parse_args()
    if asked.picture == "reduce":
        reduce_picture()
    elif asked.repo is None:
        parser.error("`report` needs --repo")
    else:
        report_picture(asked.repo, asked.workdir)


def reduce_picture() -> None:
    """The terminal: the command and what it prints."""
    with TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "seeds/buffer_copy", Path(folder) / "seeds/buffer_copy")
        words = ["reduce", "seeds/buffer_copy", "-o", "bug.py"]
        done = subprocess.run(
            [sys.executable, "-m", "flybisect", *words],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
        )  # fmt: skip
        lines = done.stdout.replace(f"{Path(folder).resolve()}/", "").splitlines()
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, highlight=False)
        console.print(Text(f"$ flybisect {' '.join(words)}", style="bold"))
        for line in lines:
            style = "dim" if line.startswith(("  ", "also seen")) else ""
            console.print(Text(line, style=style), no_wrap=True, overflow="ellipsis")
        console.save_svg(str(HERE / "reduce.svg"), title="flybisect")


def report_picture(repo: str, workdir: str) -> None:
    """The beginning of a report as one HTML file, in a browser."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("the picture of the report needs Chromium, and none is on PATH")
    with TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        seed = ROOT / "seeds/recast_iter"
        words = ["run", str(seed), "--reduced", str(seed / "reduced/spills.py"), "--matrix"]
        words += ["--releases", "0.2.4..0.3.2", "--repo", repo, "--workdir", workdir]
        words += ["-o", str(page.with_suffix(".md"))]
        done = subprocess.run(
            [sys.executable, "-m", "flybisect", *words, "--json"], stdout=subprocess.PIPE, check=True
        )
        session = json.loads(done.stdout)["session"]
        words = ["report", session, "--workdir", workdir, "--html", str(page)]
        words += ["-o", str(page.with_suffix(".md"))]
        subprocess.run([sys.executable, "-m", "flybisect", *words], check=True)
        shot = [browser, "--headless", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=0.8"]
        shot += ["--window-size={},{}".format(*WINDOW), f"--screenshot={HERE / 'report.png'}"]
        subprocess.run([*shot, page.as_uri()], check=True)


if __name__ == "__main__":
    main()
