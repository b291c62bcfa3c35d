"""Peaks and decreases, by value."""

import pytest

from hashrange.capacity.throughput import Peaks, next_decrease_ms

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS


def test_a_peak_counts_after_30_minutes():
    peaks = Peaks()
    peaks.add(3000.0, MINUTE_MS)
    peaks.count_until(30 * MINUTE_MS)
    assert peaks.allowance(4000.0) == 4000.0
    peaks.count_until(31 * MINUTE_MS)
    assert peaks.allowance(4000.0) == 6000.0


def test_a_peak_never_falls():
    peaks = Peaks()
    for minute in range(200):
        peaks.add(5000.0 if minute == 3 else 1.0, minute * MINUTE_MS)
    assert peaks.allowance(4000.0) == 10_000.0


def test_what_is_kept_of_peaks_is_bounded():
    peaks = Peaks()
    for minute in range(500):
        peaks.add(float(minute), minute * MINUTE_MS)
        assert len(peaks.recent) <= 30
    assert peaks.previous == 469.0


@pytest.mark.parametrize(
    ("today", "last_ms", "now_ms", "next_ms"),
    [
        (0, None, 5, 5),
        (3, HOUR_MS, HOUR_MS, HOUR_MS),
        (4, HOUR_MS, HOUR_MS + 1, 2 * HOUR_MS),
        (4, HOUR_MS, 3 * HOUR_MS, 3 * HOUR_MS),
        (9, DAY_MS - MINUTE_MS, DAY_MS - 1, DAY_MS),
    ],
)
def test_decreases_wait_for_an_hour_or_for_midnight(today, last_ms, now_ms, next_ms):
    assert next_decrease_ms(today, last_ms, now_ms) == next_ms
