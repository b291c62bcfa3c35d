"""Moves samples that are too old for their resolution to the next one, and deletes the oldest.

A chunk is merged into the next resolution and deleted in one write, so that each value is counted
once whenever the server stops.
"""

from collections.abc import Callable
from typing import Final

from hashrange.observe.statistic_sets import StatisticSet
from hashrange.storage.engine import Changes, Engine, Fences, Pair
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.metric_keys import (
    CHUNK_SAMPLES,
    RESOLUTIONS,
    chunk_key,
    chunk_of,
    chunk_parts,
    chunks_range,
    metric_prefix,
)
from hashrange.tables.series.samples import chunk_with, decode_metric, offset_of, samples_of

DAY: Final = 24 * 3600
KEPT_SECONDS: Final = (3 * 3600, 15 * DAY, 63 * DAY, 455 * DAY)
"""For how long samples are kept at each of `RESOLUTIONS`. Source: CloudWatch User Guide."""
_PAGE_CHUNKS: Final = 50
_PAGE_BYTES: Final = 2**20
_HOUR: Final = 3600


async def roll_up_page(engine: Engine, resolution: int, now_seconds: int, fences: Fences) -> bool:
    """Move a page of chunks that are too old for their resolution; whether there was one.

    Raises StorageError, StaleFenceError.
    """
    before = chunk_of(resolution, max(0, now_seconds - KEPT_SECONDS[resolution]))
    start, end = chunks_range(resolution, before)
    page = await engine.scan(start, end, limit=_PAGE_CHUNKS, bytes_max=_PAGE_BYTES)
    if page:
        await _move(engine, page, fences)
    return bool(page)


async def _move(engine: Engine, page: list[Pair], fences: Fences) -> None:
    old = [key for key, _ in page]
    targets = {key: _target(key) for key in old}
    new = list(dict.fromkeys(key for key in targets.values() if key is not None))

    def decide(stored: list[bytes | None]) -> Changes[None]:
        rows = dict(zip([*old, *new], stored, strict=True))
        samples: dict[bytes, list[tuple[int, StatisticSet]]] = {}
        for key, target in targets.items():
            row = rows[key]
            if row is None or target is None:
                continue
            resolution, chunk, _ = chunk_parts(key)
            samples.setdefault(target, []).extend(
                (offset_of(resolution + 1, at), values)
                for at, values in samples_of(resolution, chunk, row)
            )
        puts = {key: chunk_with(rows[key], found) for key, found in samples.items()}
        return Changes(answer=None, puts=puts, deletes=old)

    await engine.write([*old, *new], decide, fences=fences)


def _target(key: bytes) -> bytes | None:
    """The chunk of the next resolution into which a chunk goes; None for the coarsest."""
    resolution, chunk, series = chunk_parts(key)
    if resolution + 1 == len(RESOLUTIONS):
        return None
    seconds = chunk * RESOLUTIONS[resolution] * CHUNK_SAMPLES
    return chunk_key(resolution + 1, chunk_of(resolution + 1, seconds), series)


async def forget_metrics(engine: Engine, now_seconds: int, fences: Callable[[], Fences]) -> None:
    """Delete the rows of metrics of which no sample is left. Raises as `roll_up_page`."""
    oldest = (now_seconds - KEPT_SECONDS[-1]) // _HOUR
    prefix = metric_prefix("").rstrip(b"\0")
    async for key, row in pairs(engine, (prefix, chunks_range(0)[0])):
        if decode_metric(row).last_hour >= oldest:
            continue

        def decide(stored: list[bytes | None], key: bytes = key) -> Changes[None]:
            now = stored[0]
            gone = now is not None and decode_metric(now).last_hour < oldest
            return Changes(answer=None, deletes=[key] if gone else [])

        await engine.write([key], decide, fences=fences())
