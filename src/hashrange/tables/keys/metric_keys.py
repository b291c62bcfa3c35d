"""The keys of time series and dashboards, the space 0x13 of the system's table: `tables.series`.

    0x01 scope NUL namespace NUL name NUL digest (16) of the dimensions
                                                a metric
    0x02 resolution (1) chunk (4) series (16)   60 samples of a metric and unit
    0x03 scope NUL name                         a dashboard
    0x04 rule (16) minute (4) process (8)       what a process has counted for a rule of insights

A resolution is its index in `RESOLUTIONS`; the time of a chunk is counted in 60 periods of its
resolution since the epoch. The scope is account ':' region if each has tables of its own, and empty
if not. The layout of the key is by time first: old chunks are the first of their resolution.
"""

from collections.abc import Sequence
from hashlib import blake2b
from struct import Struct
from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range, prefix_range

RESOLUTIONS: Final = (1, 60, 300, 3600)
"""Seconds of the periods that are stored, the finest first."""
CHUNK_SAMPLES: Final = 60
SERIES_BYTES: Final = 16

_METRIC: Final = key_spaces.METRICS.prefix() + b"\x01"
_CHUNK: Final = key_spaces.METRICS.prefix() + b"\x02"
_DASHBOARD: Final = key_spaces.METRICS.prefix() + b"\x03"
_INSIGHTS: Final = key_spaces.METRICS.prefix() + b"\x04"
_NUL: Final = "\0"
_place: Final = Struct(">BI")
_minute: Final = Struct(">I")


def metrics_range() -> Range:
    """All rows of the space."""
    return key_spaces.METRICS.range()


def metric_prefix(scope: str, namespace: str | None = None, name: str | None = None) -> bytes:
    """The prefix of the keys of metrics of a scope, a namespace, a name."""
    parts = [each for each in (scope, namespace, name) if each is not None]
    return _METRIC + "".join(each + _NUL for each in parts).encode()


def metric_key(scope: str, namespace: str, name: str, dimensions: bytes) -> bytes:
    """The key of a metric, by the encoded dimensions."""
    return metric_prefix(scope, namespace, name) + _digest(dimensions)


def dashboard_prefix(scope: str, prefix: str = "") -> bytes:
    """The prefix of the keys of the dashboards whose names have a prefix."""
    return _DASHBOARD + f"{scope}{_NUL}{prefix}".encode()


def dashboard_key(scope: str, name: str) -> bytes:
    """The key of a dashboard."""
    return dashboard_prefix(scope, name)


def series_of(key: bytes, unit: str) -> bytes:
    """The series of a metric's key and a unit, in the keys of chunks."""
    return _digest(key + unit.encode())


def chunk_of(resolution: int, seconds: int) -> int:
    """The chunk in which a time in seconds is."""
    return seconds // (RESOLUTIONS[resolution] * CHUNK_SAMPLES)


def chunk_key(resolution: int, chunk: int, series: bytes) -> bytes:
    """The key of a chunk."""
    return _CHUNK + _place.pack(resolution, chunk) + series


def chunk_parts(key: bytes) -> tuple[int, int, bytes]:
    """The resolution, the chunk and the series of a key."""
    start = len(_CHUNK)
    resolution, chunk = _place.unpack_from(key, start)
    return resolution, chunk, key[start + _place.size :]


def chunks_range(resolution: int, before: int | None = None) -> Range:
    """The chunks of a resolution, or those before one."""
    start, end = prefix_range(_CHUNK + bytes((resolution,)))
    return (start, end) if before is None else (start, _CHUNK + _place.pack(resolution, before))


def chunk_keys(resolution: int, chunks: Sequence[int], series: bytes) -> list[bytes]:
    """The keys of several chunks of a series."""
    return [chunk_key(resolution, each, series) for each in chunks]


def insight_key(place: str, rule: str, minute: int, process: bytes) -> bytes:
    """The key of the counts of a process, by the ARN of the table or index."""
    return _rule_prefix(place, rule) + _minute.pack(minute) + process


def insights_range(place: str, rule: str, minutes: range) -> Range:
    """The counts of a rule in minutes since the epoch."""
    prefix = _rule_prefix(place, rule)
    return prefix + _minute.pack(minutes.start), prefix + _minute.pack(minutes.stop)


def insights_after(rule: bytes | None) -> Range:
    """The counts of the rules behind that of a key; of all rules if None."""
    start, end = prefix_range(_INSIGHTS)
    return start if rule is None else prefix_range(rule[: len(_INSIGHTS) + SERIES_BYTES])[1], end


def insights_before(rule: bytes, minute: int) -> Range:
    """The counts of the rule of a key before a minute."""
    prefix = rule[: len(_INSIGHTS) + SERIES_BYTES]
    return prefix, prefix + _minute.pack(minute)


def minute_of(key: bytes) -> int:
    """The minute of counts."""
    (minute,) = _minute.unpack_from(key, len(_INSIGHTS) + SERIES_BYTES)
    return int(minute)


def _rule_prefix(place: str, rule: str) -> bytes:
    return _INSIGHTS + _digest(f"{place}{_NUL}{rule}".encode())


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=SERIES_BYTES).digest()
