"""For all tests: hypothesis measures no time, which on a machine at work would fail what is right."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")
