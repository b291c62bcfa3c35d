"""A clock that is moved."""

import mmap

import pytest

from hashrange.clock import OFFSET_MS_MAX, MovableClock, OffsetError, SystemClock


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
