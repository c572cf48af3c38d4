"""Preloaded into workers of tests: the project that they build is made up, and compiles no kernel."""

from __future__ import annotations

from flybisect.cluster import worker_tasks
from tests.toolchain.project import smoke

worker_tasks.smoke_test = lambda runner: smoke  # type: ignore[attr-defined]
