"""placeholder"""
from __future__ import annotations

from pathlib import Path

from flybisect.onescript import OneScript


def target_script(script: Path, text: str, test: str) -> OneScript:
    raise NotImplementedError
