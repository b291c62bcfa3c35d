"""`hashrange console`: opens the console of a server in a browser."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import click

from hashrange.cli.health import answer, asked_server, reason_of, server_options
from hashrange.cli.refusals import Refusal

_OK = 200
_PATH = "/_console/"


@click.command()
@server_options
@click.option("--print", "prints", is_flag=True, help="Print the URL and open nothing.")
@click.option(
    "--timeout-seconds",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=3.0,
    show_default=True,
    help="Time limit for the answer of the server.",
)
def console(*, prints: bool, timeout_seconds: float, **place: str | None) -> None:
    """Open the console of a server in a browser.

    It shows and changes tables and items, and runs statements of PartiQL. The URL is printed where
    no browser can be opened. Without --endpoint, host and port are read from the settings, as the
    server reads them.

    \b
    Examples:
      hashrange console
      hashrange console --endpoint http://127.0.0.1:9000
    """  # noqa: D301 - click reads \b as an escape
    import webbrowser

    target = asked_server(**place)
    url = target.url.rstrip("/") + _PATH
    try:
        status, _ = answer(target, _PATH, timeout_seconds)
    except (OSError, ValueError) as error:
        text = f"{target.url} does not answer: {reason_of(error)}; hashrange serve starts a server"
        raise Refusal(text) from error
    if status != _OK:
        raise Refusal(f"{target.url} has no console: it answers {status} (--console turns it on)")
    if prints or not webbrowser.open(url):
        click.echo(url)
