from __future__ import annotations

from collections.abc import Iterator

import pytest

from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.toolchains import Toolchains
from tests.cluster.cluster import Cluster, cluster


@pytest.fixture(scope="session")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of two workers; who takes one away adds another."""
    pytest.importorskip("distributed")
    with cluster(tmp_path_factory.mktemp("cluster"), workers=2) as made:
        yield made


@pytest.fixture(scope="session")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    """The installed FlyDSL."""
    return Toolchains(tmp_path_factory.mktemp("workdir"), print).get("installed")
