"""Verifies exports: their descriptions, and the numbers of what they keep."""

import msgspec

from hashrange.storage.engine import Engine
from hashrange.tables.jobs.export_jobs import EXPORTS
from hashrange.tables.keys.paging import pairs


async def export_findings(engine: Engine) -> tuple[list[str], set[int]]:
    """The faults of exports, and the numbers of the images of those in progress."""
    found: list[str] = []
    numbers: set[int] = set()
    async for key, value in pairs(engine, EXPORTS.range()):
        try:
            job = EXPORTS.decode(value)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            found.append(f"exports: the description at {key.hex()} cannot be read: {error}")
            continue
        if key != EXPORTS.key(job.arn):
            found.append(f"exports: {job.arn} stands at {key.hex()}, where another belongs")
        if job.ended_ms is None:
            numbers.add(job.number)
    return found, numbers
