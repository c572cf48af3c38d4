"""The object that `--json` prints."""

from __future__ import annotations

import json
from collections.abc import Mapping


def print_json(data: Mapping[str, object]) -> None:
    """In ASCII, because a script's output or a file's name may not fit the terminal's encoding."""
    print(json.dumps(data, indent=2))
