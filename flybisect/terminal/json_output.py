"""The object that `--json` prints."""

from __future__ import annotations

import json
from collections.abc import Mapping


def print_json(data: Mapping[str, object]) -> None:
    """In ASCII: what a script printed, or how a file is called, may be no text in the terminal's encoding."""
    print(json.dumps(data, indent=2))
