"""The frame of `hashrange top`: rates as tables for a terminal."""

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hashrange.cli.printable import printable
from hashrange.cli.scan_progress import duration_text
from hashrange.observe.partition_rates import PartitionRate
from hashrange.observe.rates import Latency, OperationRate, Rates, TableRate
from hashrange.observe.snapshot import Contributors, JobState, KeyCounts

ROWS_MAX: Final = 10
"""Rows of each table of the frame."""
_UNIT: Final = 1024
_PER_CENT: Final = 100
_HASH_DIGITS: Final = 8
_PLACE_CHARS: Final = 18
"""The least width of the column that names a partition."""
_CONTRIBUTORS_SHOWN: Final = 3


def view(url: str, rates: Rates) -> RenderableType:
    """A frame: a panel of totals, and tables of operations, tables and partition keys."""
    shown = [_head(url, rates), _operations(rates.operations[:ROWS_MAX])]
    if rates.tables:
        shown.append(_tables(rates.tables[:ROWS_MAX]))
    if rates.partitions:
        shown.append(_partitions(rates.partitions[:ROWS_MAX]))
    if rates.jobs:
        shown.append(_jobs(rates.jobs))
    if rates.contributors:
        shown.append(_contributors(rates.contributors))
    shown.append(_keys(rates.hot_keys))
    return Group(*shown)


def _head(url: str, rates: Rates) -> RenderableType:
    requests = sum(each.latency.per_second for each in rates.operations)
    errors = sum(each.errors_per_second for each in rates.operations)
    memory = "" if rates.resident_bytes is None else f", {_bytes(rates.resident_bytes)} of memory"
    commits = rates.commits
    lines = [
        f"{requests:,.0f} requests/s, {errors:,.0f} errors/s, {rates.connections} connections",
        f"{rates.writes:,.0f} writes/s, {commits.per_second:,.0f} commits/s, {rates.queue} queued",
        f"commit: {_times(commits)}; log write and sync: {_times(rates.syncs)}",
        f"{rates.cpu * _PER_CENT:.0f} % of a processor{memory}",
    ]
    if rates.peers is not None:
        peers = rates.peers
        lines += [
            f"to {each.region}: {each.changes:,.0f} changes/s, "
            f"lag {milliseconds(each.lag_seconds * 1000)}"
            for each in peers.regions
        ]
        lines.append(
            f"to all regions: {_bytes(peers.sent_bytes)}/s, {peers.failures:,.1f} failed calls/s"
        )
    if rates.refused:
        lines.append(f"OVERLOAD: {rates.refused:,.0f} writes/s refused")
    if rates.is_full:
        lines.append("DISK FULL: only deletes are accepted")
    if rates.is_down:
        lines.append("DOWN: nothing can be read or written")
    title = Text(f"hashrange {rates.version} {url}")
    return Panel(Text("\n".join(lines)), title=title, title_align="left")


def _times(latency: Latency) -> str:
    if not latency.per_second:
        return "none"
    return f"p50 {milliseconds(latency.p50_ms)}, p99 {milliseconds(latency.p99_ms)}"


def _operations(operations: Sequence[OperationRate]) -> RenderableType:
    table = columns("Operation", "requests/s", "errors/s", "p50", "p99")
    for each in operations:
        latency = each.latency
        table.add_row(
            safe(each.name),
            f"{latency.per_second:,.1f}",
            f"{each.errors_per_second:,.1f}",
            *_percentiles(latency),
        )
    return table


def _percentiles(latency: Latency) -> tuple[str, str]:
    """The texts of two columns; dashes for an operation without requests."""
    if not latency.per_second:
        return "-", "-"
    return milliseconds(latency.p50_ms), milliseconds(latency.p99_ms)


def _tables(tables: Sequence[TableRate]) -> RenderableType:
    table = columns("Table", "read units/s", "write units/s", "items", "size")
    for each in tables:
        table.add_row(
            safe(each.name),
            f"{each.read_units:,.1f}",
            f"{each.write_units:,.1f}",
            f"{each.items:,}",
            _bytes(each.size),
        )
    return table


def _partitions(partitions: Sequence[PartitionRate]) -> RenderableType:
    table = columns(
        "Partition",
        *("read\nunits/s", "write\nunits/s", "throttled\na second", "left,\nread"),
        *("left,\nwrite", "size", "hottest key"),
        right=6,
    )
    # Both hold names: on a narrow terminal neither takes the room of the other, and a partition,
    # which is found by its name, takes more lines.
    table.columns[0].min_width = _PLACE_CHARS
    table.columns[0].no_wrap, table.columns[0].overflow = False, "fold"
    table.columns[-1].ratio = 1
    for each in partitions:
        share = f" {each.hot_share * _PER_CENT:.0f} %"
        table.add_row(
            safe(f"{each.place} #{each.number} {each.start[:_HASH_DIGITS] or '0'}…"),
            f"{each.read_units:,.1f}",
            f"{each.write_units:,.1f}",
            f"{each.throttled:,.1f}",
            f"{each.read_left:,.0f}",
            f"{each.write_left:,.0f}",
            _bytes(each.item_bytes),
            Text("-") if each.hot_key is None else safe(each.hot_key + share),
        )
    return table


def _jobs(jobs: Sequence[JobState]) -> RenderableType:
    table = columns("Job", "done", "left")
    for each in jobs:
        table.add_row(
            safe(f"{each.kind} {each.table} {each.name}".rstrip()),
            "-" if each.share is None else f"{each.share * _PER_CENT:.1f} %",
            "-" if each.seconds_left is None else duration_text(each.seconds_left),
        )
    return table


def _contributors(found: Sequence[Contributors]) -> RenderableType:
    """The first keys of each rule in the last minute; `hashrange insights` prints all."""
    table = columns("Contributor insights", "rule", "count a minute", "key", right=2)
    last = [each for each in found if each.minutes == 1]
    for each in last[:ROWS_MAX]:
        place = f"{each.table}/{each.index}" if each.index else each.table
        for key in each.keys[:_CONTRIBUTORS_SHOWN]:
            table.add_row(safe(place), each.rule, f"{key.count:,.1f}", safe(key.key))
    return table


def _keys(counts: KeyCounts | None) -> RenderableType:
    if counts is None:
        return Text("Partition keys are not shown: the server runs without --hot-keys on.")
    # A key that was sampled once means nothing: with many keys most of the sample are such keys.
    hot = [each for each in counts.keys if each.count > 1]
    if not hot:
        return Text("No partition key was seen more than once in the sample.")
    table = columns("Table", "share", "partition key", right=1)
    for each in hot[:ROWS_MAX]:
        table.add_row(
            safe(each.table), f"{each.count / counts.total * _PER_CENT:.1f} %", safe(each.key)
        )
    return table


def columns(first: str, *others: str, right: int | None = None) -> Table:
    """A table whose first column takes the remaining width.

    The first `right` of the other columns, or all if None, are aligned to the right as numbers.
    """
    table = Table(box=None, expand=True, pad_edge=False, header_style="bold")
    table.add_column(first, ratio=1, no_wrap=True)
    for position, name in enumerate(others, start=1):
        is_number = right is None or position <= right
        table.add_column(name, justify="right" if is_number else "left", no_wrap=True)
    return table


def safe(text: str) -> Text:
    """A text of data without control characters, which could move the cursor."""
    return Text(printable(text))


def milliseconds(ms: float) -> str:
    """A duration as text."""
    return f"{ms:.2f} ms"


def _bytes(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if count < _UNIT:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= _UNIT
    return f"{count:,.1f} GiB"
