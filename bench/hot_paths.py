"""The hot paths with fixed inputs, in this process and in memory: the same work in every run.

`python -m bench.hot_paths` prints the bytecode instructions of a request, a row each, as JSON. With
the path of a library made of callgrind.c it runs the rows between that library's marks, for
`bench.instructions`.

The clock advances by a microsecond at each call, and nothing is random; the caller must set
PYTHONHASHSEED, since the order of sets of strings depends on it. On the server that throttles, the
time of day advances too, by a millisecond at each call: buckets are refilled then.
"""

import ctypes
import gc
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from bench import rows
from bench.in_process import InProcess, received

ROWS: Final = (
    rows.GET,
    *rows.PUTS,
    rows.UPDATE,
    rows.QUERY,
    rows.QUERY_10,
    rows.BATCH_WRITE,
    rows.TRANSACT,
    rows.TRANSACT_TOKEN,
    rows.TRANSACT_MIXED,
    rows.SELECT,
    rows.SELECT_LITERAL,
    rows.INSERT,
    rows.INSERT_LITERAL,
)
INDEXED_ROWS: Final = (rows.PUT_INDEXED, rows.PUT_BOTH, rows.BATCH_WRITE_BOTH)
ALL_ROWS: Final = (*ROWS, *INDEXED_ROWS, *rows.THROTTLED_ROWS)
CONCURRENT: Final = 32
"""Requests in one turn of the loop, whose writes share a commit."""
WARM_TIMES: Final = 2
GROUPS: Final = 4
REQUESTS: Final = CONCURRENT * GROUPS
"""Requests of each row that are counted."""
_NOW_MS: Final = 1_767_225_600_000


class StillClock:
    """A `hashrange.clock.Clock` with the same times in every run."""

    def __init__(self) -> None:
        self._looks = 0

    def now_ms(self) -> int:
        return _NOW_MS

    def monotonic_ns(self) -> int:
        self._looks += 1
        return self._looks * 1000

    def new_uuid(self) -> str:
        self._looks += 1
        return f"00000000-0000-4000-8000-{self._looks:012}"

    def random_bytes(self, count: int) -> bytes:
        return b"r" * count


class DayClock(StillClock):
    """A clock whose time of day advances too: by a millisecond at each call."""

    def __init__(self) -> None:
        super().__init__()
        self._now_ms = _NOW_MS

    def now_ms(self) -> int:
        self._now_ms += 1
        return self._now_ms


def measure(begin: Callable[[], None], end: Callable[[str], None]) -> None:
    """Answer the requests of each row between `begin()` and `end(name of the row)`."""
    gc.disable()
    server = InProcess(StillClock())
    rows.prepare(server.ask)
    rows.prepare_stream(server.ask)
    rows.prepare_recovery(server.ask)
    _measure(server, ROWS, begin, end)
    # The definition of a table with indexes is a large value: here puts are made beside such ones.
    indexed = InProcess(StillClock())
    rows.prepare_indexes(indexed.ask)
    _measure(indexed, INDEXED_ROWS, begin, end)
    throttled = InProcess(DayClock(), throttles=True)
    rows.prepare(throttled.ask, warm=True)
    _measure(throttled, rows.THROTTLED_ROWS, begin, end)


def _measure(
    server: InProcess,
    measured: Sequence[rows.Row],
    begin: Callable[[], None],
    end: Callable[[str], None],
) -> None:
    """Answer the requests of some rows on a server, and close it."""
    for row in measured:
        rows.prove(server.ask, row)
        all_requests = rows.requests(row)
        if row.is_fresh:
            warm = (1 + 2 * WARM_TIMES) * REQUESTS
            server.answer([received(sent) for sent in all_requests[REQUESTS:warm]], CONCURRENT)
            begin()
            server.answer([received(sent) for sent in all_requests[:REQUESTS]], CONCURRENT)
            end(row.name)
            gc.collect()
            continue
        requests = [received(sent) for sent in all_requests[:REQUESTS]]
        # Each item of these is another one when it is written again, as SQLite does less where a
        # row stays as it is.
        turn = min(rows.TURN, len(all_requests) // 2) if row.is_turned else 0
        others = all_requests[turn:][:REQUESTS]
        for _ in range(WARM_TIMES):
            server.answer(requests, CONCURRENT)
            server.answer([received(sent) for sent in others], CONCURRENT)
        begin()
        server.answer(requests, CONCURRENT)
        end(row.name)
        gc.collect()
    server.close()


def bytecode() -> dict[str, int]:
    """Bytecode instructions per request, by row."""
    counts: dict[str, int] = {}
    counter = _Monitoring() if sys.version_info >= (3, 12) else _Tracing()

    def end(name: str) -> None:
        counts[name] = round(counter.end() / REQUESTS)

    measure(counter.begin, end)
    return counts


class _Tracing:
    """Counts by `sys.settrace`."""

    def __init__(self) -> None:
        self._count = 0

    def begin(self) -> None:
        self._count = 0
        sys.settrace(self._called)

    def end(self) -> int:
        sys.settrace(None)
        return self._count

    def _called(self, frame: Any, event: str, argument: object) -> object:
        del event, argument
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return self._ran

    def _ran(self, frame: object, event: str, argument: object) -> object:
        del frame, argument
        self._count += event == "opcode"
        return self._ran


class _Monitoring:
    """Counts by `sys.monitoring`, which Python has from 3.12 on."""

    def __init__(self) -> None:
        self._count = 0
        self._monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
        self._tool = self._monitoring.PROFILER_ID
        self._monitoring.use_tool_id(self._tool, "bench")
        instruction = self._monitoring.events.INSTRUCTION
        self._monitoring.register_callback(self._tool, instruction, self._ran)

    def begin(self) -> None:
        self._count = 0
        self._monitoring.set_events(self._tool, self._monitoring.events.INSTRUCTION)

    def end(self) -> int:
        self._monitoring.set_events(self._tool, 0)
        return self._count

    def _ran(self, code: object, offset: int) -> None:
        del code, offset
        self._count += 1


def between_marks(library: str) -> None:
    """Run all rows for callgrind, which counts outside of this process."""
    marks = ctypes.CDLL(library)
    measure(marks.begin, lambda name: marks.end(name.encode()))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        between_marks(sys.argv[1])
    else:
        print(json.dumps(bytecode()))
