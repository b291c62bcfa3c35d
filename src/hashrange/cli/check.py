"""`hashrange check MODEL`: runs the access patterns of a model."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hashrange.cli.endpoints import Address, address_of, endpoint_option, reached_at
from hashrange.cli.files import never_asks
from hashrange.cli.model_files import model_at
from hashrange.cli.refusals import Refusal

if TYPE_CHECKING:
    from hashrange.tools.checking.results import PatternResult, Report
    from hashrange.tools.models.schema import Model

FAILED: Final = 1
"""Exit code if the check found errors."""
_RANDOM_BYTES: Final = 4
_COLUMNS: Final = (
    *("Pattern", "Operation", "Read or written", "Requests", "Items", "Units", "ms"),
    *("$ a month", ""),
)
_TEXTS: Final = 3
"""Columns of text, which are aligned to the left."""


def text_of(report: "Report") -> str:
    """The report: a line for each pattern, then the findings."""
    return "\n".join(_lines(report))


def _lines(report: "Report") -> Iterator[str]:
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


def _row(result: "PatternResult") -> tuple[str, ...]:
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


@click.command()
@click.argument("model_file", metavar="MODEL", type=click.Path(path_type=Path))
@endpoint_option
@click.option("--profile", metavar="NAME", help="Profile of the shared AWS files.")
@click.option("--region", metavar="NAME", help="Region of the requests.")
@click.option(
    "--live",
    is_flag=True,
    help="Compare with the tables of the server, instead of making scratch tables.",
)
@never_asks
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def check(
    model_file: Path,
    endpoint: str | None,
    profile: str | None,
    region: str | None,
    *,
    live: bool,
    as_json: bool,
) -> None:
    """Run the access patterns of a model.

    MODEL is a file in any form that docs/models.md lists. Without --endpoint the patterns run on a
    server in memory that ends with the command. With it the tables are made under names with the
    prefix scratch- and removed at the end. Exit codes: 0, 1 if the check found errors, 2 if MODEL
    cannot be read.

    \b
    Examples:
      hashrange check shop.toml
      hashrange check shop.toml --json --endpoint http://127.0.0.1:8000
      hashrange check template.yaml --live --endpoint aws --region eu-west-1
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.server.loop import run
    from hashrange.tools.checking.results import as_members
    from hashrange.tools.models.files import json_text

    found = model_at(model_file)
    needs_server = endpoint is not None or profile is not None or region is not None or live
    if needs_server:
        report = run(_report(found, address_of(endpoint, profile, region), live=live))
    else:
        report = checked_in_memory(found)
    click.echo(json_text(as_members(report)) if as_json else text_of(report))
    if report.has_errors:
        click.get_current_context().exit(FAILED)


def checked_in_memory(model: "Model") -> "Report":
    """The report of a check on a server in memory that ends with it. Raises Refusal."""
    from hashrange.process import StartError, started
    from hashrange.server.loop import run

    try:
        server = started({"memory": True, "port": 0})
    except StartError as error:
        raise Refusal(str(error)) from error
    with server:
        return run(_report(model, address_of(server.endpoint), live=False, prefix=""))


async def _report(
    model: "Model", address: Address, *, live: bool, prefix: str | None = None
) -> "Report":
    from hashrange.clock import SystemClock
    from hashrange.tools.checking.checks import SCRATCH, compare_live
    from hashrange.tools.checking.checks import check as checked
    from hashrange.tools.copying.place import CopyError

    clock = SystemClock()
    if prefix is None:
        prefix = f"{SCRATCH}{clock.random_bytes(_RANDOM_BYTES).hex()}-"
    async with reached_at(address) as place:
        try:
            if live:
                return await compare_live(model, place)
            return await checked(
                model,
                place,
                prefix=prefix,
                pause=asyncio.sleep,
                monotonic_ns=clock.monotonic_ns,
            )
        except CopyError as error:
            raise Refusal(str(error)) from error
