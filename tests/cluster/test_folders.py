"""Where workers keep what they need."""

from __future__ import annotations

from flybisect.cluster.worker_state import TRIALS
from flybisect.cluster.worker_tasks import SHARED


def test_no_folder_of_a_worker_is_taken_for_a_package() -> None:
    """Dask puts them on `sys.path`, where a `flybisect` without code hid an editable install."""
    assert not SHARED.isidentifier()
    assert not TRIALS.isidentifier()
