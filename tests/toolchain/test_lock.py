from __future__ import annotations

import re

from tests.toolchain.lock import ROOT, locked, pins


def test_the_lock_is_of_what_is_pinned() -> None:
    wanted = [str(pin) for pin in pins((ROOT / "constraints.txt").read_text())]
    found = locked((ROOT / "requirements.lock").read_text())
    assert list(found) == wanted
    assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for hashes in found.values() for digest in hashes)


def test_a_lock_is_read_as_it_is_written() -> None:
    text = '# head\na==1 ; python_version >= "3.11" \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\n'
    assert locked(text) == {'a==1 ; python_version >= "3.11"': ["00", "11"]}
