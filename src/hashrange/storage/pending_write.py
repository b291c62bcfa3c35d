"""A write in the queue of an engine, from its call to its answer."""

from asyncio import Future
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from hashrange.storage.engine import Changes, Fences


class PendingWrite(msgspec.Struct, eq=False):
    """One write in a queue; mutable, since its outcome is filled in."""

    keys: Sequence[bytes]
    decide: Callable[[list[bytes | None]], Changes[Any]]
    fences: Fences
    waiter: Future[None]
    """Resolved when the outcome is final, with `answer` or `error` set before."""
    answer: Any = None
    error: Exception | None = None
