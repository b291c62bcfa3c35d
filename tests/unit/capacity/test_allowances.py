"""Buckets of several processes together grant what the one set of buckets would."""

import copy

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashrange.capacity.allowances import (
    ALLOWANCE_MS,
    GRACE_MS,
    Allowances,
    Holder,
    Return,
    Want,
    allot,
    forget,
    take_back,
)
from hashrange.capacity.bucket_keys import BucketKey, find_bucket, named_buckets
from hashrange.capacity.maintenance import maintain
from hashrange.capacity.resources import Terms
from tests.unit.capacity.tables import limiter, provisioned, table, write

WRITES = BucketKey("T", None, is_write=True)
STEP_MS = 10


class Worker:
    """A process that borrows; its requests and its questions are on the clock of the test."""

    def __init__(self, leader, allowances):
        self.leader, self.allowances = leader, allowances
        self.tables = {name: copy.deepcopy(made) for name, made in leader.items()}
        self.limiter = limiter(self.tables["T"])
        self.holder = Holder(self.tables, 0.0)
        self.granted = 0

    def ask(self, needs, now_ms):
        given_back = self.holder.give_back(needs)
        take_back(self.leader, self.allowances, given_back, now_ms)
        if given_back.wants:
            self.holder.receive(allot(self.leader, self.allowances, given_back.wants, now_ms))

    def request(self, charge, now_ms):
        if self.limiter.admit([charge], now_ms) is not None:
            self.ask(self.limiter.needs([charge]), now_ms)
            if self.limiter.admit([charge], now_ms) is not None:
                return 0
        self.limiter.charge([charge], now_ms, [charge])
        return 1

    def renew(self, now_ms):
        if now_ms >= self.holder.until_ms:
            self.ask({}, now_ms)


def run(rates, writes, *, seconds, burst=1):
    """Workers with requests at their rates; gives what was granted, and what one would grant."""
    allowances = Allowances()
    leader, single_table = ({"T": table(provisioned(writes=writes))} for _ in range(2))
    for made in (leader["T"], single_table["T"]):
        made.table.write.level = burst * writes
    alone = limiter(single_table["T"])
    workers = [Worker(leader, allowances) for _ in rates]
    due = [0.0] * len(rates)
    shared, single = [], []
    for now_ms in range(0, seconds * 1000, STEP_MS):
        granted = granted_alone = 0
        for number, worker in enumerate(workers):
            worker.renew(now_ms)
            due[number] += rates[number] * STEP_MS / 1000
            while due[number] >= 1:
                due[number] -= 1
                charge = write(f"k{now_ms % 7}")
                granted += worker.request(charge, now_ms)
                if alone.admit([charge], now_ms) is None:
                    alone.charge([charge], now_ms, [charge])
                    granted_alone += 1
        shared.append(granted)
        single.append(granted_alone)
    return shared, single


def windows(counts, seconds):
    size = seconds * 1000 // STEP_MS
    return [sum(counts[begin : begin + size]) for begin in range(0, len(counts) - size + 1, 10)]


@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=4),
    st.integers(20, 400),
    st.sampled_from([0, 1, 4, 300]),
)
@settings(max_examples=settings.default.max_examples // 3)
def test_workers_grant_what_one_server_would(rates, writes, burst):
    shared, single = run(rates, float(writes), seconds=12, burst=burst)
    pairs = zip(windows(shared, 10), windows(single, 10), strict=True)
    for together, alone in pairs:
        assert together <= 1.05 * alone + 1
        assert together >= 0.9 * alone - 1
    assert sum(shared) <= writes * (burst + 12)


# What an idle worker holds would be missing elsewhere.
def test_an_unused_allowance_is_back_within_a_second():
    leader, allowances = {"T": table(provisioned(writes=300))}, Allowances()
    workers = [Worker(leader, allowances) for _ in range(3)]
    held = []
    for now_ms in range(0, 2000, STEP_MS):
        for worker in workers:
            worker.renew(now_ms)
            if now_ms < 1000:
                worker.request(write(), now_ms)
        held.append(leader["T"].table.write.allotted)
    assert held[99] > 0
    assert held[-1] == 0
    assert leader["T"].table.write.refill(2000.0) == pytest.approx(300.0 + 600.0 - 300.0, rel=0.01)


def test_debts_of_a_holder_are_those_of_the_leader():
    leader, allowances = {"T": table(provisioned(writes=100))}, Allowances()
    worker = Worker(leader, allowances)
    assert worker.request(write(), 0.0)
    assert worker.limiter.admit([write()], 0.0) is None
    worker.limiter.charge([write(units=250.0)], 0.0, [write()])
    worker.ask({}, 0.0)
    assert leader["T"].table.write.level + leader["T"].table.write.allotted == 100.0 - 251.0
    assert worker.request(write(), 1000.0) == 0
    assert worker.request(write(), 3000.0) == 1


# What it spent is not known; to allot it again could grant it twice.
def test_the_allowance_of_a_dead_process_is_spent():
    leader, allowances = {"T": table(provisioned(writes=100))}, Allowances()
    allowance = allot(leader, allowances, {WRITES: Want(50.0)}, 0.0)
    assert allowance.units == {WRITES: 50.0}
    bucket = leader["T"].table.write
    forget(leader, allowances, ALLOWANCE_MS + GRACE_MS)
    assert bucket.allotted == 50.0
    forget(leader, allowances, ALLOWANCE_MS + GRACE_MS + 1.0)
    assert (bucket.allotted, allowances.open) == (0.0, {})
    level = bucket.refill(ALLOWANCE_MS + GRACE_MS + 1.0)
    take_back(
        leader,
        allowances,
        Return(allowance.number, {WRITES: 50.0}, {}),
        ALLOWANCE_MS + GRACE_MS + 1.0,
    )
    assert bucket.level == level, "too late"


def test_units_of_a_partition_that_was_split_are_gone():
    leader, allowances = {"T": table(provisioned(writes=100))}, Allowances()
    gone = BucketKey("T", None, is_write=True, partition=77)
    assert find_bucket(leader, gone) is None
    assert allot(leader, allowances, {gone: Want(5.0)}, 0.0).units == {}
    take_back(leader, allowances, Return(1, {gone: 5.0}, {}), 0.0)
    assert allowances.open == {}


# Otherwise each new allowance would let one more write through.
def test_an_index_below_zero_throttles_writes_of_holders():
    leader, allowances = (
        {"T": table(provisioned(writes=100), indexes={"I": provisioned(writes=2)})},
        Allowances(),
    )
    worker, other = Worker(leader, allowances), Worker(leader, allowances)
    assert worker.request(write(), 0.0)
    worker.limiter.charge([write("x", 12.0, index="I")], 0.0)
    worker.ask({}, 100.0)
    for now_ms in range(100, 4900, 100):
        assert worker.request(write(), now_ms) == 0
        assert other.request(write(), now_ms) == 0
    assert worker.request(write(), 5100.0)
    assert other.request(write(), 5100.0)


# Holders see the requests, the leader splits.
def test_the_heat_of_holders_splits_partitions_of_the_leader():
    leader, allowances = {"T": table(provisioned(writes=4000))}, Allowances()
    workers = [Worker(leader, allowances) for _ in range(2)]
    limits = [worker.limiter for worker in workers]
    now_ms, splits = 0.0, []
    while not splits and now_ms < 400_000:
        for worker, limit in zip(workers, limits, strict=True):
            charge = write(sort=bytes([int(now_ms) * 7 % 256]))
            worker.ask(dict.fromkeys(limit.needs([charge]), 250.0), now_ms)
            limit.admit_many([charge], 1000, now_ms)
        splits = maintain(leader["T"], now_ms)
        now_ms += 250.0
    assert [split.reason for split in splits] == ["HEAT"]
    assert now_ms < 320_000


def test_a_request_larger_than_the_bucket_is_allotted_to_as_well():
    leader, allowances = {"T": table(provisioned(writes=1))}, Allowances()
    worker = Worker(leader, allowances)
    assert worker.request(write(units=400.0), 0.0) == 0
    assert worker.request(write(units=400.0), 300_000.0) == 1


def test_each_bucket_has_a_name():
    tables = {"T": table(provisioned(), indexes={"I": Terms()})}
    names = dict(named_buckets(tables))
    assert len(names) == 2 + 2 + 2 + 2 + 8
    assert all(find_bucket(tables, name) is bucket for name, bucket in names.items())
    assert find_bucket(tables, BucketKey("U", None, is_write=True)) is None
    assert find_bucket(tables, BucketKey("T", "J", is_write=True)) is None


@pytest.mark.parametrize("kind", [Allowances, Return])
def test_messages_are_plain_data(kind):
    leader, allowances = {"T": table(provisioned(writes=100))}, Allowances()
    worker = Worker(leader, allowances)
    worker.request(write(), 0.0)
    told = allowances if kind is Allowances else worker.holder.give_back({})
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(told), type=kind) == told
