"""Random operations on few keys, so that they conflict; each history is derived from a seed.

A single caller must get the results of the reference engine. The results of concurrent callers
must be those of some serial order.

There must be an order in which no operation comes before one that had returned when it was called,
and in which every outcome is that of the reference engine. The algorithm is that of Wing and Gong,
"Testing and verifying concurrent objects", 1993, with the memoization of Lowe, "Testing for
linearizability", 2017.
"""

import asyncio
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from hashrange.assembly.engines.trials.dict_engine import (
    DictEngine,
    Operation,
    Read,
    Scan,
    Write,
    outcome,
    outcome_at_once,
)
from hashrange.assembly.engines.trials.subject import Subject
from hashrange.storage.engine import NO_FENCES, Engine, Fences


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


COUNTERS: Final = (b"\x00#", b"a#", b"\xff#")
LOGS: Final = (b"\x00#\x00", b"a#log", b"a#lo")
RECORDS: Final = tuple(log + number.to_bytes(8) for log in LOGS for number in range(1, 6))
_KEYS: Final = (b"a", b"b", b"b\x00", b"c")
_DEFINITION: Final = b"definition"
_FENCES: Final = ({_DEFINITION: b"1"}, {_DEFINITION: b"2"})
_ALONE_OPERATIONS: Final = 40
_OPERATIONS: Final = 5
"""Operations of each concurrent caller; the search for an order is exponential in their number."""

START: Final = Write(
    keys=(_DEFINITION,),
    name=b"",
    defines={_DEFINITION: b"1", b"a": b"", b"b": b"b"},
    appends=LOGS,
)
_SEEN_RECORDS: Final = RECORDS[::5]
"""The first record of each log, present from the start: only these may be deleted."""
# Effects of the operations may only be visible at the end, so a history ends with a scan.
LAST_LOOK: Final = Scan(start=b"", end=b"\xff" * 9, limit=1000, bytes_max=10**6)


def one_caller(subject: Subject, seed: int) -> None:
    """One caller gets the results of a dict."""
    noise, model = random.Random(seed), DictEngine()
    operations = [_random_operation(noise, b"%d" % index) for index in range(_ALONE_OPERATIONS)]
    for operation in (START, *operations, LAST_LOOK):
        actual = subject.run(outcome(operation, subject.engine))
        expected = outcome_at_once(operation, model)
        assert actual == expected, f"seed {seed}, {operation}: {actual}, and not {expected}"


def concurrent_callers(subject: Subject, seed: int) -> None:
    """The results of concurrent callers have a serial order."""
    events = history(subject, seed)
    assert is_serializable(events), f"no serial order of seed {seed}: {events}"


def history(subject: Subject, seed: int) -> list[Event]:
    """The events of a few concurrent clients, followed by a scan of everything."""
    subject.run(outcome(START, subject.engine))
    noise = random.Random(seed)
    clients = [
        [_random_operation(noise, b"%d %d" % (client, index)) for index in range(_OPERATIONS)]
        for client in range(noise.randint(2, 5))
    ]
    events = subject.run(run_clients(subject.engine, clients, lambda: noise.randrange(3)))
    seen = subject.run(outcome(LAST_LOOK, subject.engine))
    end = 1 + max(event.returned for event in events)
    return [*events, Event(operation=LAST_LOOK, outcome=seen, called=end, returned=end + 1)]


def is_serializable(events: list[Event]) -> bool:
    """Whether the events of `history` have a serial order."""
    start = DictEngine()
    outcome_at_once(START, start)
    return serial_order(events, start) is not None


def _random_operation(noise: random.Random, name: bytes) -> Operation:
    fences = noise.choice(_FENCES) if noise.random() < 0.3 else NO_FENCES
    match noise.choices(["read", "scan", "define", "trim", "write"], [3, 3, 2, 1, 8])[0]:
        case "read":
            others = _some(noise, (*COUNTERS, *RECORDS, _DEFINITION), 3)
            return Read(keys=(*_some(noise, _KEYS, 4), *others), fences=fences)
        case "scan":
            start, end = sorted(noise.choices([b"", b"\xff" * 3, *_KEYS, *LOGS], k=2))
            return Scan(
                start=start,
                end=end,
                limit=noise.randint(1, 12),
                bytes_max=noise.choice([4, 16, 1000]),
                reverse=noise.random() < 0.5,
                fences=fences,
            )
        case "define":
            # The other keys show which writes with the old fence came before this one.
            keys = (_DEFINITION, *_some(noise, _KEYS, 4))
            return Write(keys=keys, name=name, defines=noise.choice(_FENCES))
        case "trim":
            return Write(keys=(b"trimmer",), name=name, deletes=_some(noise, _SEEN_RECORDS, 2))
        case _:
            return _random_write(noise, name, fences)


def _random_write(noise: random.Random, name: bytes, fences: Fences) -> Write:
    """A write that reads up to three keys and changes some of them."""
    keys = _some(noise, _KEYS, 3)
    changed = _some(noise, keys, len(keys))
    cut = noise.randint(0, len(changed))
    return Write(
        keys=keys,
        name=name,
        puts=changed[:cut],
        deletes=changed[cut:],
        adds=_some(noise, COUNTERS, 1),
        appends=_some(noise, LOGS, 2),
        refuses_odd=noise.random() < 0.2,
        fences=fences,
    )


def _some(noise: random.Random, choices: Sequence[bytes], count_max: int) -> tuple[bytes, ...]:
    return tuple(noise.sample(choices, noise.randint(0, count_max)))
