"""`hashrange top`: a live view of the load of a server."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import time
from typing import TYPE_CHECKING, Final

import click

from hashrange.cli.health import (
    Target,
    answer,
    asked_server,
    reason_of,
    server_options,
)
from hashrange.cli.refusals import Misuse, Refusal

if TYPE_CHECKING:
    from rich.console import Console

    from hashrange.observe.snapshot import Snapshot

_PATH: Final = "/top.json"
_TIMEOUT_SECONDS: Final = 10.0
_OK: Final = 200
_SINCE_SECONDS_MAX: Final = 455 * 86_400
"""Older metrics are not kept."""


@click.command()
@server_options
@click.option(
    "--interval",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1, max=60),
    default=2.0,
    show_default=True,
    help="Seconds between two updates.",
)
@click.option("--once", is_flag=True, help="Print one frame after one interval, and exit.")
@click.option(
    "--since",
    metavar="30m | 6h | 7d",
    callback=lambda _context, _option, text: _seconds(text),
    help="Print the load of so long, from the metrics in CloudWatch, and exit.",
)
def top(*, interval: float, once: bool, since: int | None, **place: str | None) -> None:
    """Show a live view of the load of a server.

    Rates, latencies, and the tables and partition keys with the most requests.

    Without --endpoint, host and port are read from the settings, as the server reads them. Press
    Ctrl-C to quit. With --since the requests are signed with the credentials of the environment,
    and certificates to trust are those of AWS_CA_BUNDLE; the last minute is not stored yet.

    \b
    Examples:
      hashrange top
      hashrange top --since 7d
      hashrange top --endpoint http://127.0.0.1:9000 --once
    """  # noqa: D301 - click reads \b as an escape
    from rich.console import Console

    from hashrange.cli.top_view import view
    from hashrange.observe.rates import rates

    server = asked_server(**place)
    console = Console(highlight=False)
    if since is not None:
        from hashrange.cli.top_past import past_of, past_view

        if place["ca"] is not None or place["client_cert"] is not None:
            raise Misuse("--since cannot be combined with --ca or --client-cert")
        console.print(past_view(past_of(server, since)))
        return
    before = snapshot_of(server)
    if once:
        console.print(view(server.url, rates(before, _later(server, before, interval))))
        return
    with contextlib.suppress(KeyboardInterrupt):
        _live(console, server, before, interval)


def _seconds(text: str | None) -> int | None:
    """The seconds of `--since`. Raises BadParameter."""
    from hashrange.settings.rules import interval_ms

    try:
        seconds = None if text is None else interval_ms(text) // 1000
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    if seconds is not None and seconds > _SINCE_SECONDS_MAX:
        raise click.BadParameter("metrics are kept for 455 days")
    return seconds


def _live(console: "Console", server: Target, before: "Snapshot", interval: float) -> None:
    from rich.live import Live
    from rich.text import Text

    from hashrange.cli.top_view import view
    from hashrange.observe.rates import rates

    with Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            try:
                after = _later(server, before, interval)
            except Refusal as refusal:
                live.update(Text(f"{refusal.message}; retrying"), refresh=True)
            else:
                live.update(view(server.url, rates(before, after)), refresh=True)
                before = after


def _later(server: Target, before: "Snapshot", interval: float) -> "Snapshot":
    """Another snapshot, after an interval or more: a server makes one a second. Raises Refusal."""
    while True:
        time.sleep(interval)
        after = snapshot_of(server)
        if after.at_ns != before.at_ns:
            return after


def snapshot_of(server: Target) -> "Snapshot":
    """The counts of a server. Raises Refusal."""
    import msgspec

    from hashrange.observe.snapshot import Snapshot

    url = server.url
    try:
        status, body = answer(server, _PATH, _TIMEOUT_SECONDS)
        if status == _OK:
            return msgspec.json.decode(body, type=Snapshot)
    except msgspec.DecodeError as error:
        raise Refusal(f"{url} is not a server of this version: {error}") from error
    except (OSError, ValueError) as error:
        raise Refusal(f"{url} does not answer: {reason_of(error)}") from error
    raise Refusal(f"{url} has no {_PATH}: it answers {status}")
