"""A write that waits to be grouped with others, from its call to its answer."""

from asyncio import Future
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from hashrange.storage.engine import Changes, Fences


class PendingWrite(msgspec.Struct, eq=False):
    """One write. Not frozen: the answer is filled in."""

    keys: Sequence[bytes]
    decide: Callable[[list[bytes | None]], Changes[Any]]
    fences: Fences
    waiter: Future[None]
    """Done when `answer` or `error` may be told."""
    answer: Any = None
    error: Exception | None = None
