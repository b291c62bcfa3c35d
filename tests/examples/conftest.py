"""A server for the examples, and empty tables as they want them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import ModuleType
from typing import Any

import pytest

from playground import temporary_table
from tests.api.conftest import starting


@pytest.fixture(scope="session")
def endpoint(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """URL of a server that only the examples use."""
    with starting(request, tmp_path_factory) as start:
        yield start()


@pytest.fixture
def table_for(endpoint: str) -> Iterator[Callable[[ModuleType], Any]]:
    """Makes the table of an example, empty."""
    with ExitStack() as tables:

        def make(example: ModuleType) -> Any:
            indexes = getattr(example, "INDEXES", None)
            vectors = getattr(example, "VECTOR_INDEXES", ())
            table = temporary_table("test", example.KEY, indexes, endpoint, vector_indexes=vectors)
            return tables.enter_context(table)

        yield make
