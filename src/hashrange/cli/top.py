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
from hashrange.cli.refusals import Refusal

if TYPE_CHECKING:
    from rich.console import Console

    from hashrange.observe.snapshot import Snapshot

_PATH: Final = "/top.json"
_TIMEOUT_SECONDS: Final = 10.0
_OK: Final = 200


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
def top(*, interval: float, once: bool, **place: str | None) -> None:
    """Show a live view of the load of a server.

    Rates, latencies, and the tables and partition keys with the most requests.

    Without --endpoint, host and port are read from the settings, as the server reads them. Press
    Ctrl-C to quit.

    \b
    Examples:
      hashrange top
      hashrange top --endpoint http://127.0.0.1:9000 --once
    """  # noqa: D301 - click reads \b as an escape
    from rich.console import Console

    from hashrange.cli.top_view import view
    from hashrange.observe.rates import rates

    server = asked_server(**place)
    console = Console(highlight=False)
    before = snapshot_of(server)
    if once:
        console.print(view(server.url, rates(before, _later(server, before, interval))))
        return
    with contextlib.suppress(KeyboardInterrupt):
        _live(console, server, before, interval)


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
