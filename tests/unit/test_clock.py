"""A clock that is moved."""

import mmap

import pytest

from hashrange.clock import (
    BELIEVED_NS,
    OFFSET_MS_MAX,
    MovableClock,
    OffsetError,
    SteadyClock,
    SystemClock,
)
from tests.unit.tables.definitions import HOUR_MS, NOON_MS


def test_clock_is_ahead_by_what_it_was_moved():
    real, moved = SystemClock(), MovableClock()
    moved.advance(86_400_000)
    before, now, after = real.now_ms(), moved.now_ms(), real.now_ms()
    assert before <= now - 86_400_000 <= after
    moved.reset()
    assert real.now_ms() <= moved.now_ms() <= real.now_ms() + 60_000


# Timeouts and leases would run out otherwise.
def test_monotonic_time_does_not_move():
    moved = MovableClock()
    before = moved.monotonic_ns()
    moved.advance(OFFSET_MS_MAX)
    assert moved.monotonic_ns() - before < 60 * 10**9


def test_processes_share_an_offset_in_memory():
    with mmap.mmap(-1, 8) as shared, memoryview(shared) as bytes_, bytes_.cast("q") as cell:
        one, other = MovableClock(cell), MovableClock(cell)
        one.advance(5)
        other.advance(OFFSET_MS_MAX - 5)
        assert one.offset_ms == other.offset_ms == OFFSET_MS_MAX
        with pytest.raises(OffsetError):
            one.advance(1)
        one.reset()
        assert other.offset_ms == 0


class SetClock(SystemClock):
    """A clock that is set; time passes when the test says so."""

    def __init__(self):
        self.ran_ms, self.set_ms = 0, NOON_MS

    def now_ms(self):
        return self.ran_ms + self.set_ms

    def monotonic_ns(self):
        return self.ran_ms * 10**6


SECOND_MS, BELIEVED_MS = 1000, BELIEVED_NS // 10**6
STEPS = {
    # By which the clock is set; how long that is; the times then, less noon and what ran.
    "never set": (0, HOUR_MS, (0, 0, 0)),
    "corrected slowly": (SECOND_MS, 1, (SECOND_MS, SECOND_MS, SECOND_MS)),
    "forward by seconds": (10 * SECOND_MS, 1, (10 * SECOND_MS, 0, 10 * SECOND_MS)),
    "forward by hours": (9 * HOUR_MS, BELIEVED_MS - 1, (9 * HOUR_MS, 0, 9 * HOUR_MS)),
    "forward for an hour": (9 * HOUR_MS, BELIEVED_MS, (9 * HOUR_MS, 9 * HOUR_MS, 9 * HOUR_MS)),
    "back by seconds": (-10 * SECOND_MS, 1, (-10 * SECOND_MS, -10 * SECOND_MS, 0)),
    "back by hours": (-9 * HOUR_MS, 2 * BELIEVED_MS, (-9 * HOUR_MS, -9 * HOUR_MS, 0)),
}


@pytest.mark.parametrize("name", STEPS)
def test_times_when_the_clock_is_set(name):
    by_ms, passed_ms, expected = STEPS[name]
    clock = SetClock()
    steady = SteadyClock(clock)
    clock.ran_ms += HOUR_MS
    assert steady.times() == (NOON_MS + HOUR_MS,) * 3
    clock.set_ms += by_ms
    steady.times()
    clock.ran_ms += passed_ms
    assert tuple(each - NOON_MS - clock.ran_ms for each in steady.times()) == expected
    assert steady.kept_ms() == steady.times()[1]


def test_a_clock_that_is_set_forth_and_back_has_kept_the_time():
    clock = SetClock()
    steady = SteadyClock(clock)
    clock.set_ms += 5 * HOUR_MS
    assert steady.kept_ms() == NOON_MS
    clock.ran_ms += SECOND_MS
    clock.set_ms -= 5 * HOUR_MS
    now_ms = NOON_MS + SECOND_MS
    assert steady.times() == (now_ms, now_ms, now_ms + 5 * HOUR_MS)


def test_what_tests_add_has_passed():
    clock = MovableClock()
    steady = SteadyClock(clock)
    clock.advance(9 * HOUR_MS)
    now_ms, *others = steady.times()
    assert others == [now_ms] * 2
    assert now_ms >= SystemClock().now_ms() + 9 * HOUR_MS - SECOND_MS


@pytest.mark.parametrize(("by_ms", "is_later"), [(-1, False), (1000, False), (HOUR_MS, True)])
def test_a_time_that_was_seen_before_the_process(by_ms, is_later):
    clock = SetClock()
    steady = SteadyClock(clock)
    steady.seen(NOON_MS + by_ms)
    assert steady.times()[2] == (NOON_MS + by_ms if is_later else NOON_MS)
