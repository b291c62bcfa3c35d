"""The findings of rules in the figures of a live table. Pure.

Events have the names of CloudWatch's metrics. Source: Developer Guide, "Diagnosing throttling".
"""

from collections.abc import Callable, Iterator
from typing import Final

from hashrange.tools.design_checks import LARGE_ITEM_BYTES
from hashrange.tools.facts import TABLE, Facts, Found, LiveFigures

IDLE_SHARE: Final = 0.2
"""Less of the provisioned units in the busiest time is idle capacity."""
IDLE_UNITS_LEAST: Final = 10.0
"""Fewer units cost little."""
HOT_SHARE: Final = 0.5
"""A partition with this share of the units of several partitions is hot."""
HOT_UNITS_LEAST: Final = 100.0
"""Fewer units say nothing of a partition."""
SCAN_SHARE: Final = 0.2
SCAN_UNITS_LEAST: Final = 1000.0
"""Fewer units of scans are those of somebody who looks at a table."""
STREAM_LAG_SECONDS: Final = 60.0
CONFLICT_SHARE: Final = 0.01
"""Of the writes; fewer conflicts are a matter of retries."""
_DAY_SECONDS: Final = 86_400
_EVENTS: Final = "ThrottleEvents"
_KINDS: Final = ("Write", "Read")


def throttled_by(cause: str) -> Callable[[Facts], Iterator[Found]]:
    """A check for requests that a limit has throttled.

    Args:
        cause: the limit, as in the names of throttling reasons: `KeyRangeThroughput`.
    """

    def check(facts: Facts) -> Iterator[Found]:
        live = facts.live
        if live is None:
            return
        for (index, event), count in sorted(live.throttles.items()):
            kind = next((each for each in _KINDS if event == f"{each}{cause}{_EVENTS}"), None)
            # Writes that an index throttles are those of the table: see index_back_pressure.
            if kind is not None and not (index and kind == "Write"):
                keys = _keys(live, index)
                text = f"{count:,.0f} {kind.lower()}s of {_shown(facts, index)} were throttled"
                yield index or facts.definition.name, f"{text} ({event}{keys})"

    return check


def index_back_pressure(facts: Facts) -> Iterator[Found]:
    """Indexes that throttle the writes of their table."""
    live = facts.live
    if live is None:
        return
    causes: dict[str, dict[str, float]] = {}
    for (index, event), count in sorted(live.throttles.items()):
        if index and event.startswith("Write") and event != f"Write{_EVENTS}":
            causes.setdefault(index, {})[event] = count
    for index, counts in causes.items():
        listed = ", ".join(f"{count:,.0f} {event}" for event, count in counts.items())
        text = f"writes of table {facts.definition.name} were throttled for lack of units of index"
        yield index, f"{text} {index} ({listed}{_keys(live, index)})"


def idle_units(facts: Facts) -> Iterator[Found]:
    """Tables and indexes that never use most of the units that they have."""
    live = facts.live
    for (index, kind), (units, busiest) in (live.idle if live is not None else {}).items():
        if units >= IDLE_UNITS_LEAST and busiest < IDLE_SHARE * units:
            text = f"{_shown(facts, index)} has {units:,.0f} {kind.lower()} units a second, and "
            assert live is not None, "it has them"
            text += f"used {busiest:,.1f} at most ({live.history})"
            yield index or facts.definition.name, text


def hot_partitions(facts: Facts) -> Iterator[Found]:
    """Partitions with most of the load of their table or index."""
    for each in (facts.live and facts.live.partitions) or ():
        if each.count > 1 and each.share >= HOT_SHARE and each.units >= HOT_UNITS_LEAST:
            text = (
                f"partition {each.number} of {_shown(facts, each.index)} has {each.share:.0%} of "
            )
            text += (
                f"the units of {each.count} partitions, and {each.throttled:,} throttled requests"
            )
            if each.hot_key is not None:
                text += f"; its hottest key {each.hot_key} has {each.hot_key_share:.0%} of it"
            yield each.index or facts.definition.name, text


def scans(facts: Facts) -> Iterator[Found]:
    """Scans with a large part of what is read."""
    live, name = facts.live, facts.definition.name
    if live is None:
        return
    reads = sum(read for read, _write in live.operation_units.values())
    scanned = live.operation_units.get("Scan", (0.0, 0.0))[0]
    if scanned >= SCAN_UNITS_LEAST and scanned >= SCAN_SHARE * reads:
        text = f"scans have {scanned / reads:.0%} of the read units of table {name}"
        yield name, f"{text}: {scanned:,.0f} of {reads:,.0f}"


def large_samples(facts: Facts) -> Iterator[Found]:
    """Large items among those of the sample."""
    live, name = facts.live, facts.definition.name
    if live is not None and live.largest_bytes >= LARGE_ITEM_BYTES:
        size = live.largest_bytes / 1024
        yield (
            name,
            f"the largest of {live.sampled:,} sampled items of table {name} has {size:,.0f} KB",
        )


def expired_items(facts: Facts) -> Iterator[Found]:
    """Items whose time to live is over, and which are still there."""
    live, name = facts.live, facts.definition.name
    if live is not None and live.expired:
        days = live.oldest_expired_seconds / _DAY_SECONDS
        text = (
            f"{live.expired:,} of {live.sampled:,} sampled items of table {name} have expired by "
        )
        yield name, f"{text}{facts.definition.time_to_live}, the oldest {days:,.1f} days ago"


def stream_lag(facts: Facts) -> Iterator[Found]:
    """Triggers that are late, or have given records up."""
    live, name = facts.live, facts.definition.name
    if live is None:
        return
    if live.stream_lag_seconds >= STREAM_LAG_SECONDS:
        yield (
            name,
            f"a trigger of this server is {live.stream_lag_seconds:,.0f} s behind its stream",
        )
    if live.records_given_up:
        yield name, f"triggers of this server have given up {live.records_given_up:,.0f} records"


def conflicts(facts: Facts) -> Iterator[Found]:
    """Writes that are refused for conflicts with others, in many cases."""
    live = facts.live
    if live is None:
        return
    for error, count in live.conflicts.items():
        if count and count >= CONFLICT_SHARE * live.writes:
            text = f"{count:,.0f} of {live.writes:,.0f} writes on this server ended with {error}"
            yield facts.definition.name, text


def _shown(facts: Facts, index: str) -> str:
    return f"index {index}" if index != TABLE else f"table {facts.definition.name}"


def _keys(live: LiveFigures, index: str) -> str:
    keys = live.throttled_keys.get(index)
    return f"; most of them of the keys {', '.join(keys)}" if keys else ""
