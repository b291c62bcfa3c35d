"""`python -m bench.vectors`: what vector indexes cost, in CPU of the server.

Items are written to a table, a vector index is added to it and built from them, and it is searched:
at first, when its vectors are read into memory, then again and again, without and with a filter
that keeps one percent of the items. Then 50 searches a second come, whether or not the last is
answered, and items are read beside them. With these stands what reading the bytes of the vectors
costs, which no search can do without, and one product of a 32-bit matrix with a vector in numpy,
which a search by brute force needs.
"""

import contextlib
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, pairwise
from typing import Final

import click
import numpy as np
import simsimd

from bench import open_loop, server
from bench.asking import Answer, Ask, Sent, asker, encoded
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
_SEARCHES_PER_SECOND: Final = 50
_GETS_PER_SECOND: Final = 200
_CONNECTIONS: Final = 8
_KEYS: Final = 1000
_FILTERED: Final[Answer] = {
    "SearchConditionExpression": "g = :g",
    "ExpressionAttributeValues": {":g": {"S": "g-7"}},
}
_LINE: Final = "{:<44}{:>12}\n"


@click.command()
@click.option("--entries", default=100_000, show_default=True)
@click.option("--dimensions", default=384, show_default=True)
@click.option("--searches", default=200, show_default=True, help="Of each kind.")
@click.option("--seconds", default=10.0, show_default=True, help="Of each rate of requests.")
def main(entries: int, dimensions: int, searches: int, seconds: float) -> None:
    """Print rates and CPU times."""
    random = np.random.default_rng(1)
    matrix = random.standard_normal((entries, dimensions), dtype="f4")
    for line in _own_process(matrix, searches):
        sys.stdout.write(line)
    command = ["-m", "hashrange", "serve", "--port", "0", "--memory", "--log-level", "warning"]
    with server.started(command) as started:
        served = _served(started, matrix, searches)
        for line in chain(served, _rates(started.port, matrix, searches, seconds)):
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
    for name, more in (("search", {}), ("search, a filter keeps 1 %", _FILTERED)):
        seconds = _cpu(started, lambda more=more: _searches(ask, matrix, searches, more))
        yield _LINE.format(f"{name}, CPU", _ms(seconds / searches))


def _rates(port: int, matrix: np.ndarray, searches: int, seconds: float) -> Iterator[str]:
    """The latencies of requests that come at a rate."""

    def due(requests: Sequence[Sent], per_second: int) -> open_loop.Due:
        return open_loop.Due(
            port=port,
            requests=requests,
            per_second=per_second,
            seconds=seconds,
            connections=_CONNECTIONS,
        )

    def line(name: str, answered: open_loop.OpenAnswered) -> str:
        assert not answered.failed, "all are answered"
        found = f"{answered.p50_us / 1000:.2f}, p99 {answered.p99_us / 1000:.2f} ms"
        return _LINE.format(f"{name}, p50", found)

    near = list(_near(matrix, searches))
    plain = [Sent("SearchVectors", encoded(each)) for each in near]
    filtered = [Sent("SearchVectors", encoded(each | _FILTERED)) for each in near]
    gets = [Sent("GetItem", encoded(_get(number % len(matrix)))) for number in range(_KEYS)]
    yield line("50 filtered searches/s", open_loop.run(due(filtered, _SEARCHES_PER_SECOND)))
    yield line("200 gets/s alone", open_loop.run(due(gets, _GETS_PER_SECOND)))
    with ThreadPoolExecutor(1) as pool:
        searching = pool.submit(open_loop.run, due(plain, _SEARCHES_PER_SECOND))
        yield line("200 gets/s beside 50 searches/s", open_loop.run(due(gets, _GETS_PER_SECOND)))
        yield line("50 searches/s beside 200 gets/s", searching.result())


def _get(number: int) -> Answer:
    key = {"p": {"S": f"p-{number:08}"}}
    return {"TableName": _TABLE, "Key": key, "ProjectionExpression": "g"}


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


def _searches(ask: Ask, matrix: np.ndarray, times: int, more: Answer) -> None:
    for request in _near(matrix, times):
        assert ask("SearchVectors", request | more)["SearchResults"], "a search finds entries"


def _near(matrix: np.ndarray, times: int) -> Iterator[Answer]:
    """Searches for vectors near those of items."""
    random = np.random.default_rng(2)
    for number in range(times):
        noise = random.standard_normal(matrix.shape[1], dtype="f4")
        yield _request(matrix[number % len(matrix)] + noise)


def _request(row: np.ndarray) -> Answer:
    vector = _numbers(row)
    return {"TableName": _TABLE, "IndexName": _INDEX, "SearchVector": vector, "TopK": _TOP}


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


if __name__ == "__main__":
    main()
