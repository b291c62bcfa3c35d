"""Executes calls: the end of every chain of `Execute`. What performs them is an argument."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

import msgspec

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import AnyOperation, Caller, Performer
from hashrange.dax.cached.reads import KnownItem
from hashrange.dax.protocol.calls import Call
from hashrange.dax.protocol.items import UnknownFactError
from hashrange.errors import DynamoError, Fault
from hashrange.limits.dax import DAX_REFRESHES_MAX
from hashrange.messages.dax import batch_throttled
from hashrange.model.structures.dynamodb import BatchWriteItemAnswer, TransactGetItems
from hashrange.server.dax.facts import CallerFacts
from hashrange.storage.engine import StorageError

_PERFORMERS_MAX: Final = 10_000
_RETRIES: Final = 8
_RETRY_SECONDS: Final = 0.25
"""Eight times: the two seconds for which throttled writes of a batch are tried again."""
_RETRIES_NS: Final = 2_000_000_000
"""The same as a bound, for writes that take their time."""
_THROTTLED: Final = frozenset((Fault.THROUGHPUT_EXCEEDED, Fault.THROTTLED))


class Execution:
    """Executes calls.

    Args:
        performer: performs the requests of an operation for a caller.
        facts_of: the facts of a caller.
        wait: waits for seconds, in a coroutine that no task runs.
        monotonic_ns: the clock.
    """

    def __init__(
        self,
        performer: Callable[[str, Caller], Performer],
        facts_of: Callable[[Caller], CallerFacts],
        wait: Callable[[float], Coroutine[Any, Any, None]],
        *,
        monotonic_ns: Callable[[], int],
    ) -> None:
        self._performer = performer
        self._facts_of = facts_of
        self._wait = wait
        self._monotonic_ns = monotonic_ns

    async def __call__(self, call: Call, caller: Caller) -> bytes:
        """The bytes of the answer. Raises DynamoError, StorageError."""
        perform = self._performer(call.operation, caller)
        answer = await perform(call.request)
        if isinstance(answer, BatchWriteItemAnswer) and answer.unprocessed_items:
            answer = await self._insist(call, perform, answer)
        facts = self._facts_of(caller)
        # Of a hit the bytes are kept; the numbers of attribute lists are those of a scope.
        known = answer.encoded if type(answer) is KnownItem else None
        if known and known[0] == facts.scope:
            kept: bytes = known[1]
            return kept
        try:
            encoded = call.encode(answer, facts)
        except UnknownFactError:
            encoded = await facts.known(lambda: call.encode(answer, facts))
        if known is not None:
            known[:] = facts.scope, encoded
        return encoded

    async def _insist(
        self, call: Call, perform: Performer, answer: BatchWriteItemAnswer
    ) -> BatchWriteItemAnswer:
        """Write what was throttled, again and again: clients cannot receive it."""
        consumed = list(answer.consumed_capacity or ())
        until_ns = self._monotonic_ns() + _RETRIES_NS
        for _ in range(_RETRIES):
            if self._monotonic_ns() >= until_ns:
                break
            await self._wait(_RETRY_SECONDS)
            rest = msgspec.structs.replace(call.request, request_items=answer.unprocessed_items)
            try:
                more: Any = await perform(rest)
            except DynamoError as error:
                if error.fault not in _THROTTLED:
                    raise
                continue
            answer = more
            consumed += answer.consumed_capacity or ()
            if not answer.unprocessed_items:
                return msgspec.structs.replace(answer, consumed_capacity=consumed or None)
        raise DynamoError(Fault.THROUGHPUT_EXCEEDED, batch_throttled())


class PipelinePerformers:
    """Makes performers of a pipeline.

    Args:
        pipeline: performs requests.
        rows: of the operations.
    """

    def __init__(self, pipeline: Pipeline, rows: Mapping[str, AnyOperation] = OPERATIONS) -> None:
        self._pipeline = pipeline
        self._rows = rows
        self._epoch = pipeline.epoch
        self._performers: dict[tuple[str, int], tuple[Caller, Performer]] = {}

    def __call__(self, operation: str, caller: Caller) -> Performer:
        """The performer of an operation for a caller; kept, since making one costs more."""
        if self._epoch != self._pipeline.epoch or len(self._performers) >= _PERFORMERS_MAX:
            self._performers.clear()
            self._epoch = self._pipeline.epoch
        # The caller itself is in the value, so that no other object gets its id.
        found = self._performers.get((operation, id(caller)))
        if found is None:
            found = (caller, self._pipeline.performer(operation, caller, self._rows))
            self._performers[operation, id(caller)] = found
        return found[1]


_log: Final = logging.getLogger(__name__)


class Refresher:
    """Performs TransactGetItems in tasks; a refresh that fails leaves no entry.

    Args:
        performer: performs it for a caller, and keeps what it reads.
    """

    def __init__(self, performer: Callable[[Caller], Performer]) -> None:
        self._performer = performer
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, caller: Caller, request: TransactGetItems) -> None:
        """Begin to read, unless too many reads are under way."""
        if len(self._tasks) < DAX_REFRESHES_MAX:
            task = asyncio.get_running_loop().create_task(self._read(caller, request))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """Cancel what is under way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _read(self, caller: Caller, request: TransactGetItems) -> None:
        try:
            await self._performer(caller)(request)
        except (DynamoError, StorageError) as error:
            _log.debug("the items of a transaction are not cached: %s", error)
