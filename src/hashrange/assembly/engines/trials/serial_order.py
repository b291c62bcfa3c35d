"""Searches for a serial order of concurrent operations (strict serializability).

There must be an order in which no operation comes before one that had returned when it was called,
and in which every outcome is that of the reference engine. The algorithm is that of Wing and Gong,
"Testing and verifying concurrent objects", 1993, with the memoization of Lowe, "Testing for
linearizability", 2017.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.assembly.engines.trials.operations import Operation, outcome, outcome_at_once
from hashrange.storage.engine import Engine


@dataclass(frozen=True, kw_only=True)
class Event:
    """An operation that has returned; `called` and `returned` are times of a logical clock."""

    operation: Operation
    outcome: object
    called: int
    returned: int


async def run_clients(
    engine: Engine, clients: Iterable[Iterable[Operation]], pause: Callable[[], int]
) -> list[Event]:
    """The events of concurrent clients, each of which calls its operations in order.

    `pause` returns the number of iterations of the event loop to wait before and after each call
    of the engine, within the time of the event.
    """
    events: list[Event] = []
    tick = count()

    async def run(operations: Iterable[Operation]) -> None:
        for operation in operations:
            called = next(tick)
            await turns(pause())
            result = await outcome(operation, engine)
            await turns(pause())
            returned = next(tick)
            events.append(
                Event(operation=operation, outcome=result, called=called, returned=returned)
            )

    async def turns(number: int) -> None:
        for _ in range(number):
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for operations in clients:
            group.create_task(run(operations))
    return events


def serial_order(events: list[Event], start: DictEngine) -> list[Event] | None:
    """A serial order with these outcomes, beginning with the content of `start`; None for none.

    The cost is exponential in the number of operations that overlap; half a dozen are fine.
    """
    tried: set[object] = set()
    path: list[Event] = []
    levels = [(start, frozenset[int](), _next(events, frozenset()))]
    while levels:
        before, placed, choices = levels[-1]
        if len(placed) == len(events):
            return path
        place = next(choices, None)
        if place is None:  # no event fits here: backtrack
            levels.pop()
            path = path[:-1]
            continue
        after = before.copy()
        if outcome_at_once(events[place].operation, after) != events[place].outcome:
            continue
        now = placed | {place}
        state = (now, frozenset(after.pairs.items()), frozenset(after.numbers.items()))
        if state not in tried:
            tried.add(state)
            path = [*path, events[place]]
            levels.append((after, now, _next(events, now)))
    return None


def _next(events: list[Event], placed: frozenset[int]) -> Iterator[int]:
    """The positions of events that may be next: those called before any of the rest returned."""
    rest = [place for place in range(len(events)) if place not in placed]
    first = min((events[place].returned for place in rest), default=0)
    return iter([place for place in rest if events[place].called < first])
