"""How the pure rooms are tested with hypothesis: the same examples every time, no clock."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def examples(number: int) -> settings:
    """`number` examples, drawn anew from the same seed in every run."""
    return settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        database=None,
        print_blob=False,
        suppress_health_check=SLOW,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
    )
