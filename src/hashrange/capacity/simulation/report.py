"""The result of a simulation as text."""

from collections.abc import Iterator, Sequence
from typing import Final

from hashrange.capacity.simulation.results import PlaceMinute, Result

EVENTS_MAX: Final = 20
"""Lines of splits, and of auto scaling."""
_MINUTE_SECONDS: Final = 60
_KEY_CHARS: Final = 12


def report(result: Result) -> str:
    """The text, in paragraphs."""
    parts = [
        [f"{result.title}: {result.seconds} s"],
        _traffic(result),
        *[list(_place(result, name)) for name in result.places],
        _splits(result),
        _scaling(result),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _traffic(result: Result) -> list[str]:
    lines = [f"{'Requests':<20}{'all':>14}{'throttled':>14}{'share':>9}"]
    for name in result.traffic:
        total = result.total(name)
        share = total.throttled / total.requests if total.requests else 0.0
        lines.append(f"{name:<20}{total.requests:>14,}{total.throttled:>14,}{share:>9.1%}")
    return lines


def _place(result: Result, name: str) -> Iterator[str]:
    minutes = result.places[name]
    yield (
        f"Table: {_partitions(result, name)}"
        if name == result.table
        else (f"Index {name}: {_partitions(result, name)}")
    )
    yield f"  {'units a second':<18}{'first':>12}{'highest':>12}{'last':>12}{'served, last':>15}"
    for kind in ("read", "write"):
        rates = [getattr(minute, f"{kind}_units") / _MINUTE_SECONDS for minute in minutes]
        if any(rates):
            served = getattr(minutes[-1], f"{kind}_rate")
            values = (rates[0], max(rates), rates[-1])
            shown = "".join(f"{value:>12,.1f}" for value in values)
            yield f"  {kind:<18}{shown}{served:>15,.1f}"
    for reason, requests in sorted(result.throttled(name).items(), key=lambda each: -each[1]):
        yield f"  throttled: {requests:,} {reason}, {_when(minutes, reason)}"


def _partitions(result: Result, name: str) -> str:
    first, last = result.partitions[name], result.places[name][-1].partitions
    noun = "partition" if first == last == 1 else "partitions"
    return f"{last} {noun}" if first == last else f"{first} {noun}, {last} at the end"


def _when(minutes: Sequence[PlaceMinute], reason: str) -> str:
    """The minutes in which a reason occurred, counted from 1."""
    found = [number for number, each in enumerate(minutes, 1) if each.throttled.get(reason)]
    if len(found) == 1:
        return f"in minute {found[0]}"
    return f"in {len(found)} minutes from {found[0]} to {found[-1]}"


def _splits(result: Result) -> list[str]:
    if not result.splits:
        return []
    lines = ["Splits:"]
    for split in result.splits[:EVENTS_MAX]:
        place = "table" if split.index is None else split.index
        cuts = ", ".join(child.start.hex()[:_KEY_CHARS] for child in split.children[1:])
        count = len(split.children)
        lines.append(f"  {split.at_ms / 1000:>8.0f} s  {place}: {split.reason}, {count} at {cuts}")
    return lines + _more(len(result.splits))


def _scaling(result: Result) -> list[str]:
    if not result.scaling:
        return []
    lines = ["Auto scaling:"]
    for event in result.scaling[:EVENTS_MAX]:
        change = (
            f"stays {event.before:,}"
            if event.before == event.after
            else f"{event.before:,} to {event.after:,}"
        )
        place = f"{event.place} {event.kind}"
        lines.append(f"  {event.second:>8.0f} s  {place}: {change} ({event.note})")
    return lines + _more(len(result.scaling))


def _more(count: int) -> list[str]:
    return [f"  and {count - EVENTS_MAX} more"] if count > EVENTS_MAX else []
