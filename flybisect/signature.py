"""What makes a failure that failure, freed of what drifts between runs and releases. Pure."""

from __future__ import annotations

COMPILER_KINDS = frozenset(
    {"legalization", "verifier", "assertion", "fatal", "crash", "diagnostic", "hang", "memory"}
)
"""Kinds of failure that are the compiler's, whatever the script does."""

WORTH_REPORTING = COMPILER_KINDS
"""Kinds that are kept as "also seen"; a mutated script raises exceptions of its own all the time."""
