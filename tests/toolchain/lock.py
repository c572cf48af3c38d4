"""The hashes of what constraints.txt pins, as PyPI lists them.

    python -m tests.toolchain.lock > requirements.lock

One version has a wheel for each Python; all of them are listed. torch is left out: which build of it is
installed (CPU, CUDA, ROCm) is a matter of the machine, and each has a hash of its own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from flybisect.toolchain.packages import PYPI, indexes

ROOT = Path(__file__).parents[2]
LEFT_OUT = {"torch"}
HEAD = """\
# Hashes of what constraints.txt pins, for `pip install --require-hashes --no-deps`: CI installs by them
# (make LOCK=requirements.lock). torch is left out, since each of its builds has another. Made by
#     python -m tests.toolchain.lock > requirements.lock
"""


@dataclass(frozen=True)
class Pin:
    """A line of constraints.txt."""

    name: str
    version: str
    marker: str

    def __str__(self) -> str:
        return f"{self.name}=={self.version}" + (f" ; {self.marker}" if self.marker else "")


def pins(text: str) -> Iterator[Pin]:
    for line in text.splitlines():
        wanted, _, marker = line.partition("#")[0].partition(";")
        name, equals, version = wanted.strip().partition("==")
        if equals and canonicalize_name(name) not in LEFT_OUT:
            yield Pin(name, version, marker.strip())


def locked(text: str) -> dict[str, list[str]]:
    """Hashes by the pin, of a lock."""
    found: dict[str, list[str]] = {}
    for entry in re.sub(r"\\\n", " ", text).splitlines():
        pin, *hashes = entry.split(" --hash=sha256:")
        if hashes:
            found[pin.strip()] = [each.strip() for each in hashes]
    return found


def main() -> None:
    where = indexes(PYPI, None)
    print(HEAD, end="")
    for pin in pins((ROOT / "constraints.txt").read_text(encoding="utf-8")):
        files = where.page(PYPI, canonicalize_name(pin.name)).packages
        wheels = (each for each in files if each.package_type == "wheel" and each.version == pin.version)
        hashes = sorted(each.digests["sha256"] for each in wheels if "sha256" in each.digests)
        if not hashes:
            sys.exit(f"{PYPI} has no wheel with a hash for {pin}")
        print(pin, *(f"    --hash=sha256:{digest}" for digest in hashes), sep=" \\\n")


if __name__ == "__main__":
    main()
