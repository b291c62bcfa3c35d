"""The search for a serial order of operations that ran at the same time.

Of such operations only this is asked: that there be some order, in which none comes before another
that had returned when it was called, and in which every outcome is that of the obvious engine
(strict serializability; Wing and Gong, "Testing and verifying concurrent objects", 1993, with the
memory of Lowe, "Testing for linearizability", 2017).
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from hashrange.engine_trials.dict_engine import DictEngine
from hashrange.engine_trials.operations import Operation, outcome, outcome_at_once
from hashrange.storage.engine import Engine


@dataclass(frozen=True, kw_only=True)
class Event:
    """An operation that has returned. `called` and `returned` are ticks of one logical clock."""

    operation: Operation
    outcome: object
    called: int
    returned: int


async def run_clients(
    engine: Engine, clients: Iterable[Iterable[Operation]], pause: Callable[[], int]
) -> list[Event]:
    """What came of it when each client called its operations in order, all at the same time.

    `pause` says for how many turns of the loop an operation is called and not yet with the engine,
    and again done and not yet with its client.
    """
    events: list[Event] = []
    tick = count()

    async def run(operations: Iterable[Operation]) -> None:
        for operation in operations:
            called = next(tick)
            await turns(pause())
            found = await outcome(operation, engine)
            await turns(pause())
            returned = next(tick)
            events.append(
                Event(operation=operation, outcome=found, called=called, returned=returned)
            )

    async def turns(number: int) -> None:
        for _ in range(number):
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for operations in clients:
            group.create_task(run(operations))
    return events


def serial_order(events: list[Event], start: DictEngine) -> list[Event] | None:
    """An order that explains every outcome from the content of `start`; None if there is none.

    Cost: exponential in the number of operations that overlap; half a dozen are fine.
    """
    tried: set[object] = set()
    path: list[Event] = []
    levels = [(start, frozenset[int](), _next(events, frozenset()))]
    while levels:
        before, placed, choices = levels[-1]
        if len(placed) == len(events):
            return path
        place = next(choices, None)
        if place is None:  # nothing can come here: take back what was placed last
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
    """Which may come next: those called before any of the rest had returned."""
    rest = [place for place in range(len(events)) if place not in placed]
    first = min((events[place].returned for place in rest), default=0)
    return iter([place for place in rest if events[place].called < first])
