"""No history grants more than flows in, whatever happens to clock, process and definition."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from hashrange.capacity.maintenance import maintain
from hashrange.capacity.reservations import RESERVATION_SECONDS, close_reservations
from hashrange.capacity.resources import TableCapacity, Terms, new_resource
from tests.unit.capacity.tables import (
    ARN,
    admitted,
    limiter,
    placed,
    provisioned,
    table,
    taken,
    write,
)

KEYS = st.sampled_from([f"k{number}" for number in range(6)])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("take"), KEYS, st.integers(1, 60)),
        st.tuples(st.just("write"), KEYS, st.integers(1, 60)),
        st.tuples(st.just("wait"), st.sampled_from([1, 9, 100, 2500, 70_000, 1_900_000])),
        st.tuples(st.just("back"), st.sampled_from([3, 900, 1100, 3_600_000])),
        st.tuples(st.just("restart")),
        st.tuples(st.just("maintain")),
        st.tuples(st.just("close")),
        st.tuples(st.just("units"), st.sampled_from([1, 20, 300, 9000])),
        st.tuples(st.just("on demand"), st.sampled_from([None, 15])),
        st.tuples(st.just("index"), st.sampled_from([1, 40])),
        st.tuples(st.just("no index")),
    ),
    max_size=50,
)


class History:
    """A table, and the units that it has left: of another bucket, refilled at each step."""

    def __init__(self):
        self.made = table(provisioned(writes=20))
        self.now_ms = 1_000_000.0
        self.made.table.write.at_ms = self.now_ms
        self.units_left = self.made.table.write.level

    def take(self, text, units):
        """By the fast way."""
        charge = placed(write(text, float(units)))
        for _ in range(30):
            self.units_left -= taken(self.made, charge, self.now_ms)

    def write(self, text, units):
        """With an entry in the index, if there is one."""
        charges = [write(text, float(units))]
        charges += [write(text, float(units), index=name) for name in self.made.indexes]
        limit = limiter(self.made)
        if limit.admit(charges, self.now_ms) is None:
            limit.charge(charges, self.now_ms, charges)
            self.units_left -= units

    def wait(self, ms):
        bucket = self.made.table.write
        self.units_left = min(self.units_left + bucket.rate * ms / 1000, bucket.capacity)
        self.now_ms += ms

    def back(self, ms):
        self.now_ms -= ms

    def restart(self):
        row = msgspec.msgpack.encode(self.made)
        self.made = msgspec.msgpack.decode(row, type=TableCapacity)

    def maintain(self):
        maintain(self.made, self.now_ms)

    def close(self):
        close_reservations(self.made, self.now_ms)

    def units(self, writes):
        self.made.table.apply(provisioned(writes=float(writes)), self.now_ms)

    def on_demand(self, most):
        self.made.table.apply(Terms(max_write_units=most), self.now_ms)

    def index(self, writes):
        terms = provisioned(writes=float(writes))
        self.made.indexes["I"] = new_resource(ARN, "I", terms, self.now_ms)

    def no_index(self):
        self.made.indexes.pop("I", None)

    def check(self):
        buckets = [each.write for each in self.made.resources()]
        buckets += [each.write for place in self.made.resources() for each in place.partitions]
        for each in buckets:
            assert each.level <= each.capacity
        bucket = self.made.table.write
        self.units_left = min(self.units_left, bucket.capacity)
        late = bucket.rate * RESERVATION_SECONDS
        assert bucket.level_at(self.now_ms) <= self.units_left + late + 1e-6


@settings(max_examples=150)
@given(STEPS)
def test_a_table_grants_no_more_than_flows_in(steps):
    history = History()
    for name, *arguments in steps:
        getattr(history, name.replace(" ", "_"))(*arguments)
        history.check()


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from([0, 5, 40, 900, 300_000]), KEYS, st.integers(1, 500))))
def test_no_window_grants_more_than_burst_and_rate(requests):
    made = table(provisioned(writes=30))
    now_ms, grants = 0.0, []
    for pause, text, units in requests:
        now_ms += pause
        grants.append((now_ms, taken(made, placed(write(text, float(units))), now_ms)))
    for number, (begin_ms, _units) in enumerate(grants):
        granted = 0.0
        for at_ms, units in grants[number:]:
            granted += units
            assert granted <= 9000.0 + 0.03 * (at_ms - begin_ms + 1000 * RESERVATION_SECONDS) + 1e-6


# A server whose clock is corrected must not think that an hour of requests was one minute's peak.
def test_a_clock_that_is_set_back_makes_no_peak():
    made = table()
    limit = limiter(made)
    admitted(limit, write(), 3_600_000.0, 1)
    for second in range(0, 3600, 5):
        now_ms = second * 1000.0
        admitted(limit, write("k", 100.0), now_ms, 5)
        maintain(made, now_ms)
    peaks = [minute.write_units / 60 for minute in made.table.minutes]
    assert 0 < max(peaks) <= 101
    maintain(made, 4 * 3_600_000.0)
    assert made.table.rates() == (12_000, 4000)


def test_peaks_from_before_the_clock_was_set_back_count_after_half_an_hour():
    made = table()
    made.table.write_peaks.add(3000.0, 90_000_000.0)
    for minutes, writes in ((0, 4000), (29, 4000), (30, 6000)):
        maintain(made, minutes * 60_000.0)
        assert made.table.rates()[1] == writes


# The table would be throttled for as long as the clock was wrong.
def test_an_index_recovers_after_the_clock_was_set_back():
    made = table(provisioned(writes=1000), indexes={"I": provisioned(writes=10)})
    limit = limiter(made)
    day_ms = 86_400_000.0
    limit.charge([write("k", 3030.0, index="I")], day_ms)
    assert limit.admit([write()], day_ms).is_back_pressure
    maintain(made, 0.0)
    assert limit.admit([write()], 0.0).is_back_pressure, "it owes as much as before"
    maintain(made, 5000.0)
    assert limit.admit([write()], 5000.0) is None
