"""What an oracle plugin is.

An oracle judges observations; it starts nothing and reads nothing. A plugin module (in
`oracles/`, a user's `.py`, or an installed distribution's entry point in the group
`flybisect.oracles`) has one name, `PLUGIN`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from flybisect.observation import Observation, Verdict, Want


@dataclass(frozen=True)
class Evidence:
    """The observations that a judgement stands on."""

    subject: Observation
    """The candidate under the case's own argv and toolchain."""
    base: Observation | None = None
    """The same candidate under what it is compared with, where the case compares."""
    first: Evidence | None = None
    """What the unreduced script showed; None while that itself is being judged."""


@dataclass(frozen=True)
class Options:
    """What the command line gives an oracle when it is built."""

    when: str | None = None
    """A condition over metrics that replaces the oracle's own (see `flybisect.expression`)."""
    compares: bool = False
    """True when there is a base to compare with."""


class Oracle(Protocol):
    """A judgement over what probes showed."""

    @property
    def name(self) -> str: ...

    @property
    def wants(self) -> frozenset[Want]:
        """What its probes must yield beside the metrics."""
        ...

    def needs_base(self, subject: Observation) -> bool:
        """False when the subject alone decides, so that the base is not compiled at all."""
        ...

    def judge(self, evidence: Evidence) -> Verdict:
        """Pure. `evidence.base` is None where there is none or `needs_base` said no."""
        ...


@dataclass(frozen=True)
class Plugin:
    """An oracle as it is listed and built."""

    name: str
    summary: str
    """One line, for `flybisect oracles`."""
    build: Callable[[Options], Oracle]
    """Raises `flybisect.errors.UserError` when an option makes no sense for it."""
    metric: str | None = None
    """The figure it is about, where it is about one: a bisection may take its bound from the two ends."""
