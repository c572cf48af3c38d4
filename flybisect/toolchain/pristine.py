"""Whether the FlyDSL in a folder is a release as its wheel delivered it, and need not be fetched again.

pip leaves a wheel's list of files behind with their sizes and SHA-256 ("Recording installed projects",
`RECORD`), and says where a distribution is from that no index gave it (`direct_url.json`, PEP 610).
"""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.metadata
from pathlib import Path

from flybisect.toolchain import fingerprint


def is_release(site: Path, version: str) -> bool:
    """True when `site` holds FlyDSL `version` of a package index, with no file changed, added or gone.

    Large files are compared by size alone, as in a toolchain's key: a change there of equal length is
    taken for none. RECORD is read here, since from Python 3.12 on (and with `importlib_metadata`)
    `Distribution.files` leaves out what is gone.
    """
    found = next(iter(importlib.metadata.distributions(name="flydsl", path=[str(site)])), None)
    if found is None or found.version != version or found.read_text("direct_url.json") is not None:
        return False
    recorded = {
        name: (hash_, size)
        for name, hash_, size in csv.reader((found.read_text("RECORD") or "").splitlines())
        if name.split("/")[0] in fingerprint.ROOTS and not name.endswith(".pyc")
    }
    present = {path.relative_to(site).as_posix(): path for path in fingerprint.files(site)}
    return recorded.keys() == present.keys() != set() and all(
        _unchanged(present[name], *entry) for name, entry in recorded.items()
    )


def _unchanged(path: Path, recorded: str, size: str) -> bool:
    """`recorded`: as `sha256=…`, in URL-safe base64 without padding (PEP 376, PEP 627)."""
    kind, _, value = recorded.partition("=")
    if not value or str(path.stat().st_size) != size:
        return False
    if int(size) > fingerprint.READ_WHOLE:
        return True
    digest = hashlib.new(kind, path.read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii") == value
