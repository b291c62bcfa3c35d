"""What the rules share."""

from collections.abc import Iterator

import pytest

from tests.house import sources


@pytest.fixture(scope="package", autouse=True)
def _trees() -> Iterator[None]:
    """The parsed modules take 160 MB, which the tests after these have a use for."""
    yield
    sources.tree.cache_clear()
    sources.comments.cache_clear()
