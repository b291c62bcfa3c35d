"""The totals of commands on all items of a table, as JSON."""

from typing import Any

import msgspec

from hashrange.tools.scanning.scan import ScanResult


def totals_json(table: str, result: ScanResult, **more: Any) -> str:
    """A JSON object of the totals; members of `more` that are None are left out."""
    totals = result.totals
    members = {
        "table": table,
        "items": totals.items,
        "scanned": totals.scanned,
        "units": totals.units,
        "seconds": round(totals.seconds, 3),
        "segments": result.segments,
        "throttled": totals.throttled,
        "dollars": totals.dollars,
        **{name: value for name, value in more.items() if value is not None},
    }
    return msgspec.json.encode(members).decode()
