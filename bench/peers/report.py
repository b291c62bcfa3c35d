"""The comparison as tables in Markdown: workloads down, peers across."""

from collections.abc import Callable, Sequence
from typing import Any, Final

MISSING: Final = "-"
_NONE: Final = "none in time"

Report = dict[str, Any]
Row = dict[str, Any]


def tables(report: Report) -> str:
    """Everything that was measured."""
    parts = [heading(report)]
    for connections in report["connections"]:
        parts += [rates(report, connections), latencies(report, connections)]
    parts += [open_loop(report), refusals(report)]
    return "\n\n".join(part for part in parts if part)


def heading(report: Report) -> str:
    """On which machine, with what."""
    machine = report["machine"]
    return (
        f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}, "
        f"SQLite {machine['sqlite']}, commit {report['commit']}, client {report['client']}; "
        f"fsync p50 {report['fsync_ms_p50']:.2f} ms; {report['seconds']:g} s a row; "
        f"{report['minutes']:.0f} minutes; load of the machine, our own included: "
        f"{min(report['load']):.0f} to {max(report['load']):.0f}"
    )


def rates(report: Report, connections: int) -> str:
    """Requests a second and, in brackets, microseconds of server CPU a request."""
    title = f"{connections} connections: requests/s (CPU µs)"

    def cell(row: Row) -> str:
        if not row["requests_per_second"]:
            return _NONE
        cpu = "?" if row["cpu_us"] is None else f"{row['cpu_us']:,.0f}"
        mark = "!" if row["failed"] else ""
        return f"{row['requests_per_second']:,.0f}{mark} ({cpu})"

    return _table(report, title, lambda row: row.get("connections") == connections, cell)


def latencies(report: Report, connections: int) -> str:
    """Percentiles of the closed loop."""
    title = f"{connections} connections: p50 / p99 ms"
    return _table(report, title, lambda row: row.get("connections") == connections, _percentiles)


def open_loop(report: Report) -> str:
    """Percentiles from when a request was due."""
    title = "open loop at 70 % of the highest rate: p50 / p99 ms"
    return _table(report, title, lambda _: True, _percentiles, loop="open")


def refusals(report: Report) -> str:
    """What peers do not do, and which of them could not be measured."""
    lines = [
        f"{each['peer']}: {row['workload']}: {row['refused']}"
        for each in report["peers"]
        for row in each["rows"]
        if "refused" in row
    ]
    lines += [
        f"{each['peer']}: left out: {each['left_out']}"
        for each in report["peers"]
        if "left_out" in each
    ]
    failed = [
        f"{each['peer']}: {row['workload']}, {row['connections']} connections, {row['loop']} loop: "
        f"{row['failed']} requests failed"
        for each in report["peers"]
        for row in each["rows"]
        if row.get("failed")
    ]
    return "\n".join([*lines, *failed])


def _percentiles(row: Row) -> str:
    if not row["requests_per_second"]:
        return _NONE
    return f"{row['p50_ms']:,.2f} / {row['p99_ms']:,.2f}"


def _table(
    report: Report,
    title: str,
    wanted: Callable[[Row], bool],
    cell: Callable[[Row], str],
    *,
    loop: str = "closed",
) -> str:
    measured = [each for each in report["peers"] if each["rows"]]
    names = list(dict.fromkeys(row["workload"] for each in measured for row in each["rows"]))
    lines = []
    for name in names:
        cells = []
        for each in measured:
            of_name = [row for row in each["rows"] if row["workload"] == name]
            row = next((r for r in of_name if r.get("loop") == loop and wanted(r)), None)
            cells.append(_without(of_name) if row is None else cell(row))
        if any(text[0].isdigit() for text in cells):
            lines.append([name, *cells])
    return markdown([title, *(each["peer"] for each in measured)], lines) if lines else ""


def _without(found: Sequence[Row]) -> str:
    """What stands where there is no figure: how the peer refused, in a word or two."""
    return next((row["refused"].partition(":")[0] for row in found if "refused" in row), MISSING)


def markdown(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table whose columns are as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(heads, *lines, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    padded = [_padded(line, widths) for line in lines]
    return "\n".join(f"| {' | '.join(each)} |" for each in [_padded(heads, widths), rule, *padded])


def _padded(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    rest = zip(cells[1:], widths[1:], strict=True)
    return [cells[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in rest)]
