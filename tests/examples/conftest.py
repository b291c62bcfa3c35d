"""A server for the examples, and empty tables as they want them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import ModuleType
from typing import Any

import pytest

from playground import temporary_table
from tests.api.conftest import start_server  # noqa: F401 - a fixture


@pytest.fixture(scope="session")
def endpoint(start_server: Callable[..., str]) -> str:  # noqa: F811 - the fixture
    """URL of a server that only the examples use."""
    return start_server()


@pytest.fixture
def table_for(endpoint: str) -> Iterator[Callable[[ModuleType], Any]]:
    """Makes the table of an example, empty."""
    with ExitStack() as tables:

        def make(example: ModuleType) -> Any:
            indexes = getattr(example, "INDEXES", None)
            return tables.enter_context(temporary_table("test", example.KEY, indexes, endpoint))

        yield make
