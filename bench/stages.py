"""`python -m bench.stages`: the microseconds of each stage of a request, in one process, in memory.

Each stage runs alone, many times; the result is the CPU time of the fastest repeat, so that other
load of the machine does not matter. The cost of sockets is measured by `python -m bench`.
"""

import time
import timeit
from collections import defaultdict
from collections.abc import Callable, Coroutine
from functools import partial
from types import ModuleType
from typing import Any, Final

from bench import rows
from bench.in_process import HEADERS, InProcess, received
from hashrange.access.signatures.sigv4 import caller
from hashrange.api.dynamodb.items import get_item, put_item, query, update_item
from hashrange.api.steps.operation import CallerContext, TableChoices
from hashrange.clock import SystemClock
from hashrange.observe.counts import UnitCounts
from hashrange.server.verified_heads import NOBODY
from hashrange.wire.answers import encode
from hashrange.wire.codec import Decoder

RUNS: Final = 20_000
REPEATS: Final = 5
GROUP: Final = 32
_TABLE: Final = "Bench"

READS: Final = ((rows.GET, get_item), (rows.QUERY_10, query))
WRITES: Final = ((rows.PUT, put_item), (rows.UPDATE, update_item))


def microseconds(stage: Callable[[], object], *, of: int = 1, runs: int = RUNS) -> float:
    """Microseconds of a run, or of one of the `of` requests that it answers."""
    number = runs // of
    repeats = timeit.repeat(stage, number=number, repeat=REPEATS, timer=time.process_time)
    return min(repeats) / number / of * 1e6


def driven(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that does not suspend."""
    try:
        coroutine.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("it waits for something")


def budget(
    server: InProcess, row: rows.Row, module: ModuleType, runs: int = RUNS
) -> dict[str, float]:
    """Microseconds of each stage, in their order, and of all together."""
    timed = partial(microseconds, runs=runs)
    operation, sent = module.OPERATION, rows.requests(row)[0]
    table = server.catalog.cached(_TABLE)
    assert table is not None
    decoder = Decoder(operation.request)
    decoded = decoder.decode(sent.body)
    checked = operation.check(decoded)
    plan = operation.fit(checked, table)
    stages = {
        "authorization header": timed(lambda: caller(HEADERS, b"")),
        "decode": timed(lambda: decoder.decode(sent.body)),
        "check": timed(lambda: operation.check(decoded)),
        "fit to the schema": timed(lambda: operation.fit(checked, table)),
    }
    request = received(sent)
    if (row, module) in READS:
        context = CallerContext(
            *(NOBODY, server.store, server.catalog, 0, TableChoices()),
            defaultdict[str, UnitCounts](UnitCounts),
        )
        answer = driven(operation.run(plan, context)).answer
        stages |= {
            "run: read, answer": timed(lambda: driven(operation.run(plan, context))),
            "encode": timed(lambda: encode(answer)),
        }
        whole = timed(lambda: driven(server.endpoint.respond(request)))
        rest = "between the stages, metrics"
    else:
        requests = [received(each) for each in rows.requests(row)[:GROUP]]
        whole = timed(lambda: server.answer(requests, GROUP), of=GROUP)
        rest = f"decide, apply, commit of {GROUP}, answer"
    return {**stages, rest: whole - sum(stages.values()), "all": whole}


def main() -> None:
    """Print the budgets."""
    server = InProcess(SystemClock())
    rows.prepare(server.ask)
    for row, module in (*READS, *WRITES):
        rows.prove(server.ask, row)
        stages = budget(server, row, module)
        if row is rows.GET:
            server.sampler.watch()
            request = received(rows.requests(row)[0])
            watched = microseconds(lambda r=request: driven(server.endpoint.respond(r)))
            stages["all, while keys are sampled"] = watched
            server.sampler.end()
        print(row.name)
        for name, figure in stages.items():
            print(f"  {name:36}{figure:6.1f}")
        print()
    server.close()


if __name__ == "__main__":
    main()
