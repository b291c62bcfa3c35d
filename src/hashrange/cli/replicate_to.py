"""`hashrange replicate-to TARGET`: keeps a target up to date with tables."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import asyncio
import re
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.endpoints import Address, endpoint_options, reached_at
from hashrange.cli.refusals import Misuse
from hashrange.cli.seeding import failures, progress_of, quiet_option
from hashrange.cli.sink_targets import target_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hashrange.background.triggers.patterns import Fields
    from hashrange.tools.sinks.figures import SinkFigures
    from hashrange.tools.sinks.replication import Process, Sink
    from hashrange.tools.sinks.targets import Positions, Target

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_BYTES: Final = {"MB": 1024**2, "GB": 1024**3, "TB": 1024**4}
_KEEP_SECONDS_MAX: Final = 365 * 86400
_STATE: Final = "hashrange-sink.json"
_PORT_MAX: Final = 65_535


class _Size(click.ParamType[int]):
    """A number of bytes, as `10GB`."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"([1-9][0-9]{0,5})(MB|GB|TB)", str(value))
        if match is None:
            self.fail(f"{value!r} is not a size like 500MB, 10GB or 1TB", param, ctx)
        return int(match[1]) * _BYTES[match[2]]


class _Duration(click.ParamType[int]):
    """A number of seconds, minutes, hours or days, as `8d`; the value is in seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"([1-9][0-9]{0,8})([smhd])", str(value))
        seconds = 0 if match is None else int(match[1]) * _UNITS[match[2]]
        if not 0 < seconds <= _KEEP_SECONDS_MAX:
            self.fail(f"{value!r} is not a time like 8d, 12h, 30m or 90s, up to 365d", param, ctx)
        return seconds


@click.command("replicate-to")
@click.argument("target")
@click.option("--table", "tables", multiple=True, required=True, help="A table; may be repeated.")
@click.option(
    "--filter",
    "patterns",
    metavar="PATTERN",
    multiple=True,
    help="Only changes that match this pattern, or another one. May be repeated.",
)
@click.option(
    "--keep",
    type=_Duration(),
    default="8d",
    show_default=True,
    help="How long the streams of the tables are to keep changes while this command does not run.",
)
@click.option(
    "--keep-bytes",
    type=_Size(),
    default="100GB",
    show_default=True,
    help="How much of the changes that are older than a day they are to keep for that.",
)
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    default=_STATE,
    show_default=True,
    help="The file that keeps how far the target has come.",
)
@click.option("--once", is_flag=True, help="End when the target is up to date.")
@click.option(
    "--header", "headers", metavar="'NAME: VALUE'", multiple=True, help="A header of each POST."
)
@click.option(
    "--target-profile",
    metavar="NAME",
    help="Profile of the shared AWS files: the keys of tables:URL.",
)
@click.option(
    "--form",
    type=click.Choice(["jsonl", "parquet"]),
    default="jsonl",
    show_default=True,
    help="The form of files:DIRECTORY; parquet needs DuckDB.",
)
@click.option(
    "--publish",
    type=_Duration(),
    default="10s",
    show_default=True,
    help="How long after a replacement the file of duckdb:FILE is replaced again.",
)
@click.option("--metrics", metavar="HOST:PORT", help="Answer GET /metrics for Prometheus there.")
@quiet_option
@endpoint_options
def replicate_to(
    target: str, *, address: Address, quiet: bool, metrics: str | None, **options: Any
) -> None:
    """Keep a webhook, files or a database up to date with tables.

    TARGET gets all items first, then each change. It is one of these:

    \b
      https://HOST/PATH    an HTTP endpoint: batches in the form of Lambda's events
      tables:URL           tables of the same names at another endpoint of DynamoDB
      files:DIRECTORY      files of changes by table and date
      files:s3://BUCKET/P  the same in a bucket; also files:https://HOST/BUCKET/P
      duckdb:FILE          a file of DuckDB, which others open read-only meanwhile
      postgresql://HOST/DB tables of PostgreSQL
      opensearch:URL       indexes of OpenSearch or Elasticsearch
      kafka:URL            topics of Kafka, by the REST API of a proxy

    The position is stored behind each delivery. After a stop or a kill the command continues there:
    some changes are delivered again, none is left out. Changes that were not read within --keep
    and --keep-bytes are lost; the command says so, and begins with a new snapshot.

    \b
    Examples:
      hashrange replicate-to https://hooks.example.com/orders --table orders
      hashrange replicate-to tables:http://127.0.0.1:8001 --table orders --table customers
      hashrange replicate-to files:lake --form parquet --table orders
      hashrange replicate-to duckdb:shop.duckdb --table orders --table customers
      hashrange replicate-to tables:aws --table orders --filter '{"eventName": ["INSERT"]}'
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.clock import SystemClock
    from hashrange.server.loop import run
    from hashrange.tools.sinks.figures import SinkFigures
    from hashrange.tools.sinks.positions import StateFile
    from hashrange.tools.sinks.replication import Process, Sink
    from hashrange.tools.sinks.targets import Positions

    sink = Sink(
        tables=list(dict.fromkeys(options["tables"])),
        filters=_patterns(options["patterns"]),
        keep_seconds=options["keep"],
        keep_bytes=options["keep_bytes"],
        is_once=options["once"],
    )
    chosen = target_of(target, address, options)
    figures = SinkFigures(SystemClock().now_ms)
    with failures(), progress_of(quiet=quiet) as progress:
        if metrics is not None:
            progress.note(f"metrics on http://{_served(figures, metrics)}/metrics")
        name = f"{target} {' '.join(sorted(sink.tables))}"
        state = StateFile(options["state"], name)
        keeper = chosen if isinstance(chosen, Positions) else state
        process = Process(
            clock=SystemClock(), pause=asyncio.sleep, note=progress.note, figures=figures
        )
        with nullcontext() if keeper is chosen else state.opened():
            run(_replicated(address, sink, chosen, keeper, process=process))


async def _replicated(
    address: Address, sink: "Sink", target: "Target", keeper: "Positions", *, process: "Process"
) -> None:
    from hashrange.tools.sinks.replication import Replication

    async with reached_at(address) as place, target.opened():
        await Replication(place, sink, target, keeper, process=process).run()


def _patterns(texts: "Sequence[str]") -> "list[Fields]":
    from hashrange.background.triggers.patterns import PatternError, pattern_from

    try:
        return [pattern_from(text) for text in texts]
    except PatternError as error:
        raise Misuse(f"--filter: {error}") from error


def _served(figures: "SinkFigures", text: str) -> str:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > _PORT_MAX:
        raise Misuse(f"--metrics: {text!r} is not HOST:PORT")
    try:
        return f"{host}:{figures.serve(host, int(port))}"
    except OSError as error:
        raise Misuse(f"--metrics: {text}: {error.strerror}") from error
