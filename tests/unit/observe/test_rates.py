"""Two snapshots as rates, by value."""

import random

import pytest

from hashrange.observe.counts import LATENCY_BOUNDS_NS, LATENCY_BOUNDS_S, Durations
from hashrange.observe.rates import Latency, OperationRate, TableRate, percentile_ms, rates
from hashrange.observe.snapshot import KeyCount, KeyCounts, Requests, Snapshot, Spread, TableUse

MS = 1_000_000


def spread(*durations_ms):
    durations = Durations()
    for duration_ms in durations_ms:
        durations.add(round(duration_ms * MS))
    return Spread.of(durations)


def snapshot(**members):
    nothing = {
        "version": "1",
        "at_ns": 5_000 * MS,
        "operations": {},
        "tables": {},
        "connections": 0,
        "figures": {},
        "commits": spread(),
        "syncs": spread(),
        "hot_keys": None,
    }
    return Snapshot(**(nothing | members))


BEFORE = snapshot(
    operations={"GetItem": Requests({"": 2}, spread(1, 1))},
    tables={"Orders": TableUse(1.0, 5.0, 1, 100)},
    figures={"engine_writes_total": 10.0, "process_cpu_seconds_total": 1.0},
    commits=spread(3),
)
AFTER = snapshot(
    at_ns=7_000 * MS,
    operations={
        "GetItem": Requests({"": 4, "ValidationException": 2}, spread(1, 1, 2.4, 2.4, 2.4, 2.4)),
        "PutItem": Requests({"": 10}, spread(*[0.03] * 10)),
    },
    tables={"Orders": TableUse(2.0, 25.0, 11, 1100), "Users": TableUse(size=7)},
    connections=3,
    figures={
        "engine_writes_total": 20.0,
        "engine_writes_refused_total": 4.0,
        "engine_write_queue_length": 6.0,
        "engine_down": 1.0,
        "process_cpu_seconds_total": 2.0,
        "process_resident_memory_bytes": 4096.0,
    },
    commits=spread(3, 3, 3),
    hot_keys=KeyCounts(9, [KeyCount("Orders", "o#1", 6)]),
)


def test_rates_are_what_happened_between():
    found = rates(BEFORE, AFTER)
    assert found.seconds == 2
    put, get = found.operations
    latency = Latency(5.0, 0.025, pytest.approx(0.0495))
    assert put == OperationRate("PutItem", 0.0, latency)
    assert (get.name, get.errors_per_second, get.latency.per_second) == ("GetItem", 1.0, 2.0)
    assert get.latency.p50_ms == pytest.approx(1.75)
    assert found.tables == [
        TableRate("Orders", 0.5, 10.0, 11, 1100),
        TableRate("Users", 0.0, 0.0, 0, 7),
    ]
    assert (found.writes, found.refused, found.queue, found.cpu) == (5.0, 2.0, 6, 0.5)
    assert (found.commits.per_second, found.syncs) == (1.0, Latency(0.0, 0.0, 0.0))
    assert (found.connections, found.resident_bytes) == (3, 4096.0)
    assert (found.is_down, found.is_full) == (True, False)
    assert found.hot_keys is AFTER.hot_keys


# Its counts begin anew, and its clock may: no rate is negative, or of a time that was not.
@pytest.mark.parametrize("at_ns", [1, 9_000 * MS])
def test_a_server_that_was_started_anew(at_ns):
    young = snapshot(at_ns=at_ns, operations={"GetItem": Requests({"": 1}, spread(1))})
    found = rates(AFTER, young)
    assert found.seconds == 1
    assert [each.latency.per_second for each in found.operations] == [1.0]
    assert found.writes == found.cpu == 0


# Against the exact percentile: never in another bucket than it.
@pytest.mark.parametrize("seed", range(5))
def test_percentiles_are_right_to_the_bucket(seed):
    drawn = random.Random(seed)
    durations = [round(10 ** drawn.uniform(3.5, 9.2)) for _ in range(drawn.randint(1, 200))]
    counted = Durations()
    for duration_ns in durations:
        counted.add(duration_ns)
    for share in (0.5, 0.99, 1.0):
        exact = sorted(durations)[max(0, -(-len(durations) * round(share * 100) // 100) - 1)]
        above = [bound for bound in LATENCY_BOUNDS_NS if bound >= exact]
        end_ms = (above[0] if above else LATENCY_BOUNDS_NS[-1]) / MS
        begin_ms = max([bound / MS for bound in LATENCY_BOUNDS_NS if bound < exact], default=0)
        assert begin_ms <= percentile_ms(counted.buckets, share) <= end_ms + 1e-9


def test_no_requests_took_no_time():
    assert percentile_ms([0] * (len(LATENCY_BOUNDS_S) + 1), 0.5) == 0
