"""The report of `hashrange check` as text. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from hashrange.tools.checking.results import PatternResult, Report

_COLUMNS: Final = (
    *("Pattern", "Operation", "Read or written", "Requests", "Items", "Units", "ms"),
    *("$ a month", ""),
)
_TEXTS: Final = 3
"""Columns of text, which are aligned to the left."""


def text_of(report: Report) -> str:
    """The report: a line for each pattern, then the findings."""
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    tables = ", ".join(report.tables)
    samples = f", {report.samples} samples" if report.samples else ""
    yield f"{report.model}: tables {tables}{samples}, {report.endpoint}"
    if report.patterns:
        yield ""
        yield from _aligned([_COLUMNS, *map(_row, report.patterns)])
    if report.monthly is not None:
        yield f"On-demand capacity of all patterns in a month: ${report.monthly:,.2f}"
    if report.findings:
        yield ""
    for finding in report.findings:
        yield f"{finding.severity}: {finding.place}: {finding.text} [{finding.kind}]"
    errors = sum(finding.is_error for finding in report.findings)
    yield ""
    yield f"{_count(errors, 'error')}, {_count(len(report.findings) - errors, 'warning')}"


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def _row(result: PatternResult) -> tuple[str, ...]:
    units = result.read_units or result.write_units
    kind = "write" if result.write_units else "read"
    where = f"{result.table}/{result.index}" if result.index else result.table or ""
    ran = result.status == "ok"
    return (
        result.name,
        result.operation,
        where,
        f"{result.requests}" if ran else "",
        f"{result.items}" if ran else "",
        f"{units:g} {kind}" if ran else "",
        f"{result.milliseconds:.1f}" if ran else "",
        "" if result.monthly is None else f"{result.monthly:,.2f}",
        "" if ran else result.status,
    )


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if at < _TEXTS or at == len(row) - 1 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
