"""The rows of time series: metrics with their units, and chunks of 60 samples."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.observe.statistic_sets import StatisticSet, merged
from hashrange.tables.keys.metric_keys import (
    CHUNK_SAMPLES,
    RESOLUTIONS,
    chunk_of,
    metric_key,
)

Dimensions: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values, in the order of the names."""
Chunk: TypeAlias = dict[int, StatisticSet]
"""Samples by their offset in the chunk."""

_HOUR: Final = 3600
_encode: Final = msgspec.msgpack.encode
_chunk: Final = msgspec.msgpack.Decoder(Chunk).decode
_parts: Final = msgspec.msgpack.Decoder(dict[int, msgspec.Raw]).decode
_sample: Final = msgspec.msgpack.Decoder(StatisticSet).decode


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """The name of a metric.

    Attributes:
        scope: whose metric it is: `tables.keys.metric_keys`.
    """

    scope: str
    namespace: str
    name: str
    dimensions: Dimensions = ()

    @property
    def key(self) -> bytes:
        """Its key in the engine."""
        return metric_key(self.scope, self.namespace, self.name, _encode(self.dimensions))


class StoredUnit(msgspec.Struct, frozen=True, array_like=True):
    """Samples of a metric in one unit.

    Attributes:
        last_hour: of the newest sample, in hours since the epoch.
        fine: there were samples of a second.
    """

    last_hour: int
    fine: bool = False


class StoredMetric(msgspec.Struct, frozen=True, array_like=True):
    """The row of a metric; its units by their names. Members are never moved."""

    namespace: str
    name: str
    dimensions: Dimensions
    units: Mapping[str, StoredUnit]

    @property
    def last_hour(self) -> int:
        """Of the newest sample, in hours since the epoch."""
        return max(unit.last_hour for unit in self.units.values())


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Values of a metric within a second, or a minute.

    Attributes:
        seconds: when, since the epoch.
        fine: kept by the second at first.
    """

    metric: Metric
    unit: str
    seconds: int
    values: StatisticSet
    fine: bool = False


decode_metric: Final = msgspec.msgpack.Decoder(StoredMetric).decode


def chunk_with(stored: bytes | None, samples: Iterable[tuple[int, StatisticSet]]) -> bytes:
    """The row of a chunk with further samples, by their offsets."""
    # Most samples of a chunk stay as they are: they are not decoded, which takes most of the time.
    chunk: dict[int, msgspec.Raw | StatisticSet] = {} if stored is None else {**_parts(stored)}
    more: dict[int, list[StatisticSet]] = {}
    for offset, values in samples:
        before = chunk.get(offset)
        if before is None:
            chunk[offset] = values
            continue
        known = _sample(before) if isinstance(before, msgspec.Raw) else before
        more.setdefault(offset, [known]).append(values)
    for offset, found in more.items():
        chunk[offset] = merged(found)
    return _encode(chunk)


def offset_of(resolution: int, seconds: int) -> int:
    """The offset of a time in its chunk, in periods."""
    return seconds // RESOLUTIONS[resolution] % CHUNK_SAMPLES


def samples_of(resolution: int, chunk: int, stored: bytes) -> list[tuple[int, StatisticSet]]:
    """The samples of a chunk with their times in seconds."""
    period = RESOLUTIONS[resolution]
    start = chunk * period * CHUNK_SAMPLES
    return [(start + offset * period, values) for offset, values in _chunk(stored).items()]


def metric_with(metric: Metric, stored: bytes | None, samples: Sequence[Sample]) -> bytes | None:
    """The row of a metric after samples were added; None if it stays as it is."""
    before: Mapping[str, StoredUnit] = {} if stored is None else decode_metric(stored).units
    units = dict(before)
    for each in samples:
        known = units.get(each.unit, StoredUnit(0))
        units[each.unit] = StoredUnit(
            max(known.last_hour, each.seconds // _HOUR), known.fine or each.fine
        )
    if units == before:
        return None
    return _encode(StoredMetric(metric.namespace, metric.name, metric.dimensions, units))


def resolution_of(sample: Sample) -> int:
    """The resolution in which a sample is stored first."""
    return 0 if sample.fine else 1


def first_chunk(resolution: int, seconds: int, oldest: int) -> int:
    """The chunk of a time, or the oldest one that there is."""
    return max(chunk_of(resolution, max(0, seconds)), oldest)
