"""Whether the FlyDSL in a folder is a release as its wheel delivered it, and need not be fetched again.

pip leaves a wheel's list of files behind with their sizes and SHA-256 ("Recording installed projects",
`RECORD`), and says where a distribution is from that no index gave it (`direct_url.json`, PEP 610).
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
from pathlib import Path

from flybisect.toolchain import fingerprint


def is_release(site: Path, version: str) -> bool:
    """True when `site` holds FlyDSL `version` of a package index, with no file changed, added or gone.

    Large files are compared by size alone, as in a toolchain's key: a change there of equal length is
    taken for none.
    """
    found = next(iter(importlib.metadata.distributions(name="flydsl", path=[str(site)])), None)
    if found is None or found.version != version or found.read_text("direct_url.json") is not None:
        return False
    recorded = {
        entry.as_posix(): entry
        for entry in found.files or ()
        if entry.parts[0] in fingerprint.ROOTS and entry.suffix != ".pyc"
    }
    present = {path.relative_to(site).as_posix(): path for path in fingerprint.files(site)}
    return recorded.keys() == present.keys() != set() and all(
        _unchanged(present[name], entry) for name, entry in recorded.items()
    )


def _unchanged(path: Path, recorded: importlib.metadata.PackagePath) -> bool:
    size = path.stat().st_size
    if recorded.hash is None or size != recorded.size:
        return False
    if size > fingerprint.READ_WHOLE:
        return True
    digest = hashlib.new(recorded.hash.mode, path.read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii") == recorded.hash.value
