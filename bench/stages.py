"""Where the microseconds of a request go, stage by stage, in one process and in memory.

`python -m bench.stages`: each stage is run alone, many times; the fastest repeat counts, in CPU
time, so that whoever else uses the machine does not.
What the sockets cost is measured from outside (`python -m bench`).
"""

import asyncio
import time
import timeit
from collections.abc import Callable, Coroutine
from typing import Any, Final

import msgspec

from bench.rows import _get, _put
from hashrange.auth.sigv4 import caller
from hashrange.clock import SystemClock
from hashrange.observe.metrics import Metrics
from hashrange.operations import get_item, put_item
from hashrange.operations.pipeline import Pipeline
from hashrange.server.endpoint import Endpoint
from hashrange.server.exchange import Request, Response
from hashrange.server.journal import Journal
from hashrange.server.sampler import Sampler
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog import Catalog
from hashrange.tables.store import Store
from hashrange.wire.answers import encode
from hashrange.wire.codec import Decoder

RUNS: Final = 20_000
REPEATS: Final = 5
GROUP: Final = 32

_HEADERS: Final = {
    b"host": b"127.0.0.1:8000",
    b"content-type": b"application/x-amz-json-1.0",
    b"x-amz-date": b"20260101T000000Z",
    b"authorization": b"AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request"
    b", SignedHeaders=host, Signature=" + b"0" * 64,
}
_TABLE: Final = {
    "TableName": "Bench",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "p", "AttributeType": "S"},
        {"AttributeName": "s", "AttributeType": "S"},
    ],
    "KeySchema": [
        {"AttributeName": "p", "KeyType": "HASH"},
        {"AttributeName": "s", "KeyType": "RANGE"},
    ],
}


def microseconds(stage: Callable[[], object]) -> float:
    """Of one run."""
    repeats = timeit.repeat(stage, number=RUNS, repeat=REPEATS, timer=time.process_time)
    return min(repeats) / RUNS * 1e6


def driven(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that does not suspend."""
    try:
        coroutine.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("it waits for something")


def request(operation: str, body: object) -> Request:
    """As the HTTP edge hands it on."""
    headers = {**_HEADERS, b"x-amz-target": b"DynamoDB_20120810." + operation.encode()}
    return Request(b"POST", b"/", b"", headers, msgspec.json.encode(body))


async def group_microseconds(respond: Callable[[Request], Any], sent: Request) -> float:
    """Of one write among others that are committed together."""
    best = float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        for _ in range(RUNS // GROUP):
            await asyncio.gather(*(respond(sent) for _ in range(GROUP)))
        best = min(best, time.process_time() - began)
    return best / RUNS * 1e6


async def main() -> None:
    """Print both budgets."""
    engine = SqliteEngine.open(None)
    clock, metrics = SystemClock(), Metrics()
    catalog = Catalog(engine)
    store = Store(engine, clock)
    pipeline = Pipeline(store, catalog, metrics.consumed)
    journal = Journal(lambda: b"0" * 52, clock.monotonic_ns, 1000)
    sampler = Sampler(pipeline.cached, clock.monotonic_ns)
    endpoint = Endpoint(pipeline, clock, metrics, journal=journal, sampler=sampler)
    get, put = request("GetItem", _get(1)), request("PutItem", _put(1))
    for first in (request("CreateTable", _TABLE), put):
        response: Response = await endpoint.respond(first)
        assert response.status == 200, response.body
    table = await catalog.open("Bench")
    assert table is not None
    for operation, sent in ((get_item.OPERATION, get), (put_item.OPERATION, put)):
        decoder = Decoder(operation.request)
        decoded = decoder.decode(sent.body)
        checked = operation.check(decoded)
        plan = operation.fit(checked, [table])
        rows = {
            "authorization header": microseconds(lambda: caller(_HEADERS, b"")),
            "decode": microseconds(lambda d=decoder, s=sent: d.decode(s.body)),
            "check": microseconds(lambda o=operation, d=decoded: o.check(d)),
            "fit to the schema": microseconds(lambda o=operation, c=checked: o.fit(c, [table])),
        }
        if operation is get_item.OPERATION:
            run = lambda p=plan: driven(get_item.run(p, store))  # noqa: E731
            rows["run: read, answer"] = microseconds(run)
            answer = run().answer
            rows["encode"] = microseconds(lambda a=answer: encode(a))
            whole = microseconds(lambda s=sent: driven(endpoint.respond(s)))
        else:
            whole = await group_microseconds(endpoint.respond, sent)
        print(operation.request.__name__)
        for name, figure in rows.items():
            print(f"  {name:32}{figure:6.1f}")
        rest = (
            "run: decide, apply, commit, answer" if sent is put else "between the stages, metrics"
        )
        print(f"  {rest:32}{whole - sum(rows.values()):6.1f}")
        print(f"  {'all':32}{whole:6.1f}")
        if operation is get_item.OPERATION:
            sampler.watch()
            watched = microseconds(lambda s=sent: driven(endpoint.respond(s)))
            sampler.is_watched = False
            print(f"  {'all, while keys are sampled':32}{watched:6.1f}")
        print()
    engine.close()


if __name__ == "__main__":
    asyncio.run(main())
