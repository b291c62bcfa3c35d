"""Verifies exports: their descriptions, and the numbers of what they keep."""

import msgspec

from hashrange.storage.engine import Engine
from hashrange.tables.export_jobs import export_from
from hashrange.tables.export_keys import export_key, exports_range
from hashrange.tables.paging import pairs


async def export_findings(engine: Engine) -> tuple[list[str], set[int]]:
    """What is wrong with exports, and the numbers of the images of those in progress."""
    found: list[str] = []
    numbers: set[int] = set()
    async for key, value in pairs(engine, exports_range()):
        try:
            job = export_from(value)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            found.append(f"exports: the description at {key.hex()} cannot be read: {error}")
            continue
        if key != export_key(job.arn):
            found.append(f"exports: {job.arn} stands at {key.hex()}, where another belongs")
        if job.ended_ms is None:
            numbers.add(job.number)
    return found, numbers
