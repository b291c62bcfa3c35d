"""Every engine in turn, empty, inside of the contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.contract import DURABLE, ENGINES, OpenedEngine, Opener


@pytest.fixture(params=list(ENGINES))
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenedEngine]:
    with OpenedEngine(ENGINES[request.param], tmp_path) as engine:
        yield engine


@pytest.fixture(params=[name for name in ENGINES if name in DURABLE])
def durable(request: pytest.FixtureRequest) -> Opener:
    return ENGINES[request.param]
