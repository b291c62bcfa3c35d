"""What the engine does in a second on a PostgreSQL of its own, and in how many round trips.

python -m spikes.postgres.measure [rounds]
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from statistics import median

import uvloop

from hashrange.storage.engine import Changes
from spikes.postgres.engine import PostgresEngine
from spikes.postgres.server import running

CLIENTS = 16
ITEM = b"x" * 250
FENCE = {b"definition": b"d" * 300}
AMOUNTS = {b"count": 1, b"bytes": 250}
KEYS = [b"item %06d" % index for index in range(20_000)]
LOAD = 1_000
SLICE_SECONDS = 0.4
YARDSTICK = "UPDATE 1 row, nothing compared"

Step = Callable[[int, int], Awaitable[object]]
"""Client and turn → one operation."""


def sync_ms() -> float:
    """Half of the flushes of a small file take less than this."""
    taken = []
    with tempfile.NamedTemporaryFile(dir="/tmp") as file:  # where the server is too
        for _ in range(200):
            file.write(b"x" * 8192)
            file.flush()
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - began)
    return median(taken) * 1000


class Row:
    """One operation, measured a slice of time after the other."""

    def __init__(self, engine: PostgresEngine, step: Step) -> None:
        self.engine = engine
        self.step = step
        self.rates: list[float] = []
        self.taken: list[float] = []
        self.trips = self.lost = 0

    async def run(self, seconds: float) -> None:
        """Let all clients do it for a while."""
        trips, lost, done = self.engine.round_trips, self.engine.lost, len(self.taken)
        end = time.perf_counter() + seconds

        async def client(number: int) -> None:
            turn = len(self.rates) * 1_000
            while (began := time.perf_counter()) < end:
                await self.step(number, turn)
                self.taken.append(time.perf_counter() - began)
                turn += 1

        await asyncio.gather(*map(client, range(CLIENTS)))
        self.rates.append((len(self.taken) - done) / seconds)
        self.trips += self.engine.round_trips - trips
        self.lost += self.engine.lost - lost

    def line(self, yardstick: "Row") -> str:
        """Medians over the slices; the share is of the yardstick's slice in the same round."""
        taken = sorted(self.taken)
        p50, p99 = (taken[len(taken) * share // 100] * 1000 for share in (50, 99))
        share = median(a / b for a, b in zip(self.rates, yardstick.rates, strict=True))
        return (
            f"{median(self.rates):7,.0f}/s {share:6.2f}  p50 {p50:5.1f} ms  p99 {p99:6.1f} ms  "
            f"{self.trips / len(taken):5.2f} trips  {self.lost / len(taken):6.2%} lost"
        )


def item(client: int, turn: int) -> bytes:
    """A key that the other clients do not use at the same time."""
    return KEYS[(client + CLIENTS * (turn * 7919 % (len(KEYS) // CLIENTS))) % len(KEYS)]


def steps(engine: PostgresEngine) -> dict[str, Step]:
    """The operations measured, by what they are."""
    return _statements(engine) | _reads(engine) | _updates(engine) | _other_writes(engine)


def _statements(engine: PostgresEngine) -> dict[str, Step]:
    async def nothing(client: int, turn: int) -> None:
        await engine.raw("SELECT 1")

    async def plain(client: int, turn: int) -> None:
        await engine.raw("UPDATE kv SET v = $2 WHERE k = $1", item(client, turn), ITEM)

    return {"SELECT 1": nothing, YARDSTICK: plain}


def _reads(engine: PostgresEngine) -> dict[str, Step]:
    async def read(client: int, turn: int) -> None:
        await engine.read([item(client, turn)])

    async def read_fenced(client: int, turn: int) -> None:
        await engine.read([item(client, turn)], fences=FENCE)

    async def page(client: int, turn: int) -> None:
        start = item(client, turn)
        await engine.scan(start, b"item~", limit=100, bytes_max=1_000_000, fences=FENCE)

    async def refused(client: int, turn: int) -> None:
        await engine.write([item(client, turn)], lambda _: Changes(answer=None), fences=FENCE)

    return {
        "read 1 key": read,
        "read 1 key, fence": read_fenced,
        "scan a page of 100, fence": page,
        "write that changes nothing, fence": refused,
    }


def _updates(engine: PostgresEngine) -> dict[str, Step]:
    def write(**more: object) -> Step:
        fences = more.pop("fences", {})
        logs = more.pop("logs", 0)

        async def step(client: int, turn: int) -> None:
            key = item(client, turn)
            appends = [(b"log %d" % (hash(key) % logs), ITEM)] if logs else []
            changes = Changes(answer=None, puts={key: ITEM}, appends=appends, **more)
            await engine.write([key], lambda _: changes, fences=fences)

        return step

    async def own_fence(client: int, turn: int) -> None:
        key, fence = item(client, turn), {b"definition %d" % client: b"d" * 300}
        changes = Changes(answer=None, puts={key: ITEM})
        await engine.write([key], lambda _: changes, fences=fence)

    return {
        "update 1 key": write(),
        "update 1 key, fence": write(fences=FENCE),
        "update 1 key, fence that no other client locks": own_fence,
        "update 1 key, fence, 2 counters": write(fences=FENCE, adds=AMOUNTS),
        "update 1 key, fence, 1 log": write(fences=FENCE, logs=1),
        "update 1 key, fence, 4 logs": write(fences=FENCE, logs=4),
        "update 1 key, fence, 16 logs": write(fences=FENCE, logs=16),
    }


def _other_writes(engine: PostgresEngine) -> dict[str, Step]:
    async def index(client: int, turn: int) -> None:
        key = item(client, turn)
        puts = {key: ITEM, key + b" entry %d" % (turn % 2): ITEM}
        deletes = [key + b" entry %d" % (1 - turn % 2)]
        changes = Changes(answer=None, puts=puts, deletes=deletes)
        await engine.write([key], lambda _: changes, fences=FENCE)

    async def create(client: int, turn: int) -> None:
        key = os.urandom(16)
        changes = Changes(answer=None, puts={key: ITEM}, adds=AMOUNTS)
        await engine.write([key], lambda _: changes, fences=FENCE)

    async def hot(client: int, turn: int) -> None:
        await engine.write([b"hot"], lambda _: Changes(answer=None, puts={b"hot": ITEM}))

    return {
        "update 1 key and its index entry, fence": index,
        "create, fence, 2 counters": create,
        "update the same key, queued in the server": hot,
    }


async def fill(engine: PostgresEngine) -> None:
    """The items and definitions that the operations meet."""
    own = {b"definition %d" % client: b"d" * 300 for client in range(CLIENTS)}
    for first in range(0, len(KEYS), LOAD):
        puts = dict.fromkeys(KEYS[first : first + LOAD], ITEM) | FENCE | own
        changes = Changes(answer=None, puts=puts)
        await engine.write(list(puts), lambda _, changes=changes: changes)


async def measure(connect: dict[str, object], rounds: int) -> None:
    """Print a row for each operation, and those with counters again with fewer shards.

    A round runs a slice of each, so that what else the machine does falls on all of them alike.
    """
    rows: dict[str, Row] = {}
    for shards in (16, 4, 1):
        engine = await PostgresEngine.open(counter_shards=shards, **connect)
        for name, step in steps(engine).items():
            rows.setdefault(
                f"{name} in {shards} shards" if "counters" in name else name, Row(engine, step)
            )
    await fill(engine)
    for number in range(rounds + 1):
        for name, row in list(rows.items()):
            await row.run(SLICE_SECONDS)
            if number == 0:  # statements were prepared
                rows[name] = Row(row.engine, row.step)
    for name, row in rows.items():
        print(f"{name:50} {row.line(rows[YARDSTICK])}")


async def measure_two_servers(connect: dict[str, object], seconds: float) -> None:
    """Print how often works lose when two servers write the same few keys."""
    engines = [await PostgresEngine.open(**connect) for _ in range(2)]
    for keys_each, keys_all in ((1, 1), (4, 20), (25, 200)):
        end = time.perf_counter() + seconds

        async def client(number: int, keys_each: int = keys_each, keys_all: int = keys_all) -> int:
            engine, turns = engines[number % 2], 0
            while time.perf_counter() < end:  # noqa: B023 - all clients end before the next round
                first = turns * 7919 + number * 104_729
                keys = [KEYS[(first + n * 31) % keys_all] for n in range(keys_each)]
                written = keys[::2]  # the others are read and compared
                changes = Changes(answer=None, puts=dict.fromkeys(written, ITEM))
                await engine.write(keys, lambda _, changes=changes: changes)
                turns += 1
            return turns

        before = sum(engine.lost for engine in engines)
        waited = sum(engine.deadlocks for engine in engines)
        done = sum(await asyncio.gather(*map(client, range(CLIENTS))))
        lost = sum(engine.lost for engine in engines) - before
        deadlocks = sum(engine.deadlocks for engine in engines) - waited
        print(
            f"two servers, {keys_each} of {keys_all} keys: {done / seconds:,.0f}/s, "
            f"{lost / done:.2f} lost for each done, {deadlocks} deadlocks"
        )


if __name__ == "__main__":
    print(f"fdatasync p50 {sync_ms():.2f} ms, {CLIENTS} clients; share is of: {YARDSTICK}")
    with running() as connect:
        uvloop.run(measure(connect, int(sys.argv[1]) if len(sys.argv) > 1 else 10))
        uvloop.run(measure_two_servers(connect, seconds=3.0))
    print(f"fdatasync p50 {sync_ms():.2f} ms")
