"""`python -m bench.vectors`: what vector indexes cost, in CPU of the server.

Items are written to a table, a vector index is added to it and built from them, and it is searched:
at first, when its vectors are read into memory, then again and again, without and with a filter
that keeps one percent of the items, and beside reads of items. With these stands what reading the
bytes of the vectors costs, which no search can do without, and one product of a 32-bit matrix with
a vector in numpy, which a search by brute force needs.
"""

import contextlib
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

import click
import numpy as np
import simsimd

from bench import server
from bench.asking import Answer, Ask, asker
from hashrange.tables.vectors.packed import PackedVectors
from hashrange.tables.vectors.scores import Search, query_of

_TABLE: Final = "Vectors"
_INDEX: Final = "by-vector"
_BATCH: Final = 25
_GROUPS: Final = 100
_TOP: Final = 10
_POLL_SECONDS: Final = 0.2
_PAGE: Final = 100
_NEVER_SECONDS: Final = 1000.0
_ROUNDS: Final = 100
_GETS: Final = 10
_PROCESS_CLOCK: Final = 2
"""With the id of a process it is the clock of its CPU time (clock_getcpuclockid(3))."""
_LINE: Final = "{:<44}{:>12}\n"


@click.command()
@click.option("--entries", default=100_000, show_default=True)
@click.option("--dimensions", default=384, show_default=True)
@click.option("--searches", default=200, show_default=True, help="Of each kind.")
def main(entries: int, dimensions: int, searches: int) -> None:
    """Print rates and CPU times."""
    random = np.random.default_rng(1)
    matrix = random.standard_normal((entries, dimensions), dtype="f4")
    for line in _own_process(matrix, searches):
        sys.stdout.write(line)
    command = ["-m", "hashrange", "serve", "--port", "0", "--memory", "--log-level", "warning"]
    with server.started(command) as started:
        for line in _served(started, matrix, searches):
            sys.stdout.write(line)
            sys.stdout.flush()


def _own_process(matrix: np.ndarray, searches: int) -> Iterator[str]:
    """The figures that need no server."""
    vectors = PackedVectors(matrix.shape[1], np, simsimd)
    begun = time.process_time()
    for first in range(0, len(matrix), _PAGE):
        rows = [row.tobytes() for row in matrix[first : first + _PAGE]]
        vectors.put(range(first, first + len(rows)), rows)
    rate = len(matrix) / (time.process_time() - begun)
    yield _LINE.format("vectors packed from arrays, a second of CPU", f"{rate:,.0f}")
    yield _LINE.format("bytes a dimension", f"{vectors.memory_bytes / matrix.size:.2f}")
    bytes_read = vectors.columns()[0].reshape(-1).view("i8" if matrix.size % 8 == 0 else "i1")
    for name, work in (
        ("reading one byte a dimension, CPU", lambda _: np.add.reduce(bytes_read)),
        ("search of vectors, CPU", lambda number: vectors.nearest(_search(matrix[number]), None)),
        ("product of 32-bit numbers, CPU", lambda number: matrix @ matrix[number]),
    ):
        taken = []
        for number in range(searches):
            begun = time.process_time()
            work(number % len(matrix))
            taken.append(time.process_time() - begun)
        yield _LINE.format(name, f"{_ms(min(taken))} to {_ms(statistics.median(taken))}")
    kept = [_longest_hold(vectors, matrix[number % len(matrix)]) for number in range(searches)]
    yield _LINE.format("longest hold of the interpreter, CPU", _ms(statistics.median(kept)))


def _search(row: np.ndarray) -> Search:
    return Search("COSINE", query_of(row.tolist()), {}, _TOP)


def _longest_hold(vectors: PackedVectors, row: np.ndarray) -> float:
    """The CPU seconds of a scan in a thread between two turns of this one, at most.

    No turn is forced: this thread has one whenever numpy or simsimd lets go of the interpreter. One
    that this thread misses makes the figure larger.
    """
    search = _search(row)
    begin = threading.Event()
    done: list[float] = []

    def scan() -> None:
        begin.wait()
        vectors.nearest(search, None)
        done.append(time.thread_time())

    interval = sys.getswitchinterval()
    sys.setswitchinterval(_NEVER_SECONDS)
    thread = threading.Thread(target=scan)
    thread.start()
    assert thread.ident is not None, "it has started"
    clock = time.pthread_getcpuclockid(thread.ident)
    seen = [time.clock_gettime(clock)]
    begin.set()
    while not done:
        time.sleep(0)
        with contextlib.suppress(OSError):  # it has ended
            seen.append(time.clock_gettime(clock))
    thread.join()
    sys.setswitchinterval(interval)
    return max(later - earlier for earlier, later in pairwise(sorted([*seen, *done])))


def _served(started: server.Server, matrix: np.ndarray, searches: int) -> Iterator[str]:
    """The figures of a server."""
    ask = asker(started.port)
    seconds = _cpu(started, lambda: _fill(ask, matrix))
    yield _LINE.format("items written, a second of CPU", f"{len(matrix) / seconds:,.0f}")
    seconds = _cpu(started, lambda: _build(ask, matrix.shape[1]))
    yield _LINE.format("entries built from items, a second of CPU", f"{len(matrix) / seconds:,.0f}")
    before = server.memory_mb(started.pid) or 0.0
    yield _LINE.format("memory of the server with the items, MB", f"{before:,.0f}")
    seconds = _cpu(started, lambda: _searches(ask, matrix, 1, {}))
    yield _LINE.format("entries read at first, a second of CPU", f"{len(matrix) / seconds:,.0f}")
    after = server.memory_mb(started.pid) or 0.0
    yield _LINE.format("memory that the first search added, MB", f"{after - before:,.0f}")
    filtered: Answer = {
        "SearchConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": "g-7"}},
    }
    for name, more in (("search", {}), ("search, a filter keeps 1 %", filtered)):
        taken: list[float] = []
        seconds = _cpu(
            started,
            lambda more=more, taken=taken: taken.extend(_searches(ask, matrix, searches, more)),
        )
        yield _LINE.format(f"{name}, CPU", _ms(seconds / searches))
        yield _LINE.format(f"{name}, p50 from outside", _ms(statistics.median(taken)))
    for name, taken in zip(("alone", "in a search"), _gets(started, matrix), strict=True):
        p50, p99 = statistics.median(taken), statistics.quantiles(taken, n=100)[-1]
        yield _LINE.format(f"GetItem {name}, CPU until its answer", f"{_ms(p50)}, p99 {_ms(p99)}")


def _gets(started: server.Server, matrix: np.ndarray) -> tuple[list[float], list[float]]:
    """The CPU seconds that the server takes from a GetItem to its answer, alone and in searches.

    They say what a read waits for on one core, whatever else the machine does.
    """
    clock = ~started.pid << 3 | _PROCESS_CLOCK
    ask, ask_beside = asker(started.port), asker(started.port)
    alone: list[float] = []
    beside: list[float] = []
    for number in range(_ROUNDS):
        key = {"p": {"S": f"p-{number % len(matrix):08}"}}
        get = {"TableName": _TABLE, "Key": key, "ProjectionExpression": "g"}
        search = _request(matrix[number % len(matrix)])
        searching = threading.Thread(target=ask_beside, args=("SearchVectors", search))
        for taken in (alone, beside):
            if taken is beside:
                searching.start()
            for _ in range(_GETS):
                begun = time.clock_gettime(clock)
                ask("GetItem", get)
                if taken is alone or searching.is_alive():
                    taken.append(time.clock_gettime(clock) - begun)
        searching.join()
    return alone, beside


def _cpu(started: server.Server, work: Callable[[], object]) -> float:
    """The CPU seconds of the server while work is done."""
    before = server.cpu_seconds(started.pid)
    work()
    return max(server.cpu_seconds(started.pid) - before, 0.01)


def _fill(ask: Ask, matrix: np.ndarray) -> None:
    table = {
        "TableName": _TABLE,
        "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    ask("CreateTable", table)
    for first in range(0, len(matrix), _BATCH):
        puts = [
            {"PutRequest": {"Item": _item(first + place, row)}}
            for place, row in enumerate(matrix[first : first + _BATCH])
        ]
        ask("BatchWriteItem", {"RequestItems": {_TABLE: puts}})


def _item(number: int, row: np.ndarray) -> Answer:
    group = {"S": f"g-{number % _GROUPS}"}
    return {"p": {"S": f"p-{number:08}"}, "g": group, "v": {"L": _numbers(row)}}


def _numbers(row: np.ndarray) -> list[Answer]:
    return [{"N": text} for text in map(str, row.tolist())]


def _build(ask: Ask, dimensions: int) -> None:
    index = {
        "IndexName": _INDEX,
        "VectorAttribute": {"AttributeName": "v"},
        "Dimensions": dimensions,
        "DistanceFunction": "COSINE",
        "Projection": {"ProjectionType": "KEYS_ONLY"},
        "SearchSchema": [{"AttributeName": "g", "SearchSchemaElementType": "INLINE_FILTER"}],
    }
    request = {
        "TableName": _TABLE,
        "AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}],
        "VectorIndexUpdates": [{"Create": index}],
    }
    ask("UpdateTable", request)
    described = {"TableName": _TABLE}
    while ask("DescribeTable", described)["Table"]["VectorIndexes"][0]["IndexStatus"] != "ACTIVE":
        time.sleep(_POLL_SECONDS)  # bound: all items are built


def _searches(ask: Ask, matrix: np.ndarray, times: int, more: Answer) -> list[float]:
    """The seconds of searches for vectors near those of items."""
    random, taken = np.random.default_rng(2), []
    for number in range(times):
        near = matrix[number % len(matrix)] + random.standard_normal(matrix.shape[1], dtype="f4")
        begun = time.perf_counter()
        found = ask("SearchVectors", {**_request(near), **more})["SearchResults"]
        taken.append(time.perf_counter() - begun)
        assert found, "a search finds entries"
    return taken


def _request(row: np.ndarray) -> Answer:
    vector = _numbers(row)
    return {"TableName": _TABLE, "IndexName": _INDEX, "SearchVector": vector, "TopK": _TOP}


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


if __name__ == "__main__":
    main()
