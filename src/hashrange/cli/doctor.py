"""`hashrange doctor TABLE`: what is wrong with a table, and what to do."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.endpoints import Address, endpoint_options, reached_at
from hashrange.cli.files import Amount, never_asks
from hashrange.cli.health import Target, answer, target_of
from hashrange.cli.live_load import wait
from hashrange.cli.printable import printable
from hashrange.cli.refusals import REFUSED, Misuse, Refusal
from hashrange.cli.scan_options import table_argument
from hashrange.cli.seeding import failures
from hashrange.cli.top import snapshot_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hashrange.tools.doctor.counters import Seen
    from hashrange.tools.doctor.examining import Described, Diagnosis
    from hashrange.tools.doctor.history import History

DAYS_MAX: Final = 60
"""CloudWatch has 1,440 datapoints in an answer: one for each hour."""
SAMPLE_MAX: Final = 1000
_METRICS: Final = "/metrics"
_TIMEOUT_SECONDS: Final = 10.0
_OK: Final = 200


@click.command()
@table_argument
@click.option(
    "--interval",
    metavar="SECONDS",
    type=Amount(0, 3600),
    default=0.0,
    show_default=True,
    help="Judge what happens in so many seconds; 0: since the server was started.",
)
@click.option(
    "--sample",
    metavar="N",
    type=click.IntRange(0, SAMPLE_MAX),
    default=100,
    show_default=True,
    help="Items to read by one Scan, for their sizes and expiry; it costs read units.",
)
@click.option(
    "--days",
    metavar="N",
    type=click.IntRange(1, DAYS_MAX),
    help="Judge throttling and idle units by CloudWatch's metrics of so many days.",
)
@endpoint_options
@never_asks
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(
    context: click.Context, /, table: str, *, address: Address, as_json: bool, **asked: Any
) -> None:
    """Find what is wrong with TABLE, and what to do.

    Throttling, hot partitions, large items, scans, unread indexes, expired items, late streams and
    conflicts.

    Judges the figures of a live server of hashrange, of which --throttle on and contributor
    insights show most, and what operations of the API say of the table, also on AWS. With --days,
    throttling is that of the metrics in CloudWatch, and idle units are found. Each finding
    has a remedy and a page of the documentation. The exit code is 0 if nothing was found, 1 for
    findings, 2 if the table cannot be examined.

    \b
    Examples:
      hashrange doctor orders
      hashrange doctor orders --interval 60 --json
      hashrange doctor orders --days 7
      hashrange doctor orders --endpoint aws --region eu-west-1
    """  # noqa: D301 - click reads \b as an escape
    import msgspec

    try:
        found = examined(address, table, **asked)
    except Refusal as refusal:
        raise Misuse(refusal.message) from refusal
    click.echo(msgspec.json.encode(found) if as_json else "\n".join(_text(found)))
    if found.findings:
        context.exit(REFUSED)


def examined(
    address: Address, table: str, *, interval: float, sample: int, days: int | None = None
) -> "Diagnosis":
    """The diagnosis of a table; arguments as the options. Raises Refusal."""
    from hashrange.clock import SystemClock
    from hashrange.server.loop import run
    from hashrange.tools.doctor.examining import diagnosis

    with failures():
        before, after = _pages(target_of(address.url, None), interval)
        described = run(_described(address, table, sample))
        now_seconds = SystemClock().now_ms() / 1000
        history = None if days is None else run(_history(address, described, now_seconds, days))
    return diagnosis(described, now_seconds, after, before, history=history)


async def _history(
    address: Address, table: "Described", now_seconds: float, days: int
) -> "History":
    from hashrange.clock import SystemClock
    from hashrange.tools.design.apis import services_at
    from hashrange.tools.doctor.history import history_of

    async with services_at(address.url, address.credentials, SystemClock()) as services:
        found = await history_of(services, table.shown, now_seconds, days)
    if found is None:
        raise Misuse(f"{address.url} has no metrics of CloudWatch")
    return found


async def _described(address: Address, name: str, sample: int) -> "Described":
    from hashrange.tools.doctor.examining import described

    async with reached_at(address) as place:
        found = await described(place, place.named(name), sample=sample)
        if found is None:
            raise Misuse(f"{place.shown} has no table {name}")
        return found


def _pages(target: Target, interval: float) -> "tuple[Seen | None, Seen | None]":
    """The pages of the server before and after the interval; None where there are none.

    A server makes them once a second, so a shorter interval is waited for again.
    """
    before = _seen(target)
    if before is None or not interval:
        return None, before
    while True:
        wait(target.url, interval)
        after = _seen(target)
        if after is None or after.snapshot.at_ns != before.snapshot.at_ns:
            return before, after


def _seen(target: Target) -> "Seen | None":
    """The pages of a server; None for one of another kind, or with other means to ask it."""
    from hashrange.tools.doctor.counters import Seen, counters_of

    try:
        snapshot = snapshot_of(target)
        status, body = answer(target, _METRICS, _TIMEOUT_SECONDS)
        return Seen(counters_of(body.decode()), snapshot) if status == _OK else None
    except (Refusal, OSError, ValueError):
        return None


def _text(found: "Diagnosis") -> "Iterator[str]":
    if found.seconds is not None:
        yield f"{found.table}, in {found.seconds:.0f} s:"
    for each in found.findings:
        yield printable(each.line)
    if not found.findings:
        yield f"{found.table}: nothing was found"
    for note in found.not_known:
        yield f"not judged: {note}"
