"""Options, errors and connections of the commands on all items of a table."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import functools
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from hashrange.cli.endpoints import Address, reached_at
from hashrange.cli.files import Amount
from hashrange.cli.refusals import Misuse, Refusal
from hashrange.cli.seeding import failures

if TYPE_CHECKING:
    from hashrange.tools.copying.endpoint import Endpoint, Retries
    from hashrange.tools.scanning.masking import Masking
    from hashrange.tools.scanning.scan import ScanOptions

T = TypeVar("T")
Command = Callable[..., Any]

SEGMENTS_SHOWN_MAX: Final = 64
_CONNECTIONS: Final = 64

json_option: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def table_argument(command: Command) -> Command:
    """TABLE as an argument or as --table; the command receives `table`."""

    @click.argument("table_name", metavar="TABLE", required=False)
    @click.option("--table", "table_option", metavar="TABLE", help="The same as the argument.")
    @functools.wraps(command)
    def with_table(
        *args: Any, table_name: str | None, table_option: str | None, **options: Any
    ) -> Any:
        if table_name is not None and table_option not in {None, table_name}:
            raise Misuse(f"two tables: {table_name}, and --table {table_option}")
        table = table_name or table_option
        if not table:
            raise Misuse("the name of the table is missing")
        return command(*args, table=table, **options)

    return with_table


def read_options(command: Command) -> Command:
    """Options of the read: --filter, --values, --names, --index, --consistent."""
    for option in reversed(
        [
            click.option("--filter", metavar="EXPRESSION", help="Only items that fulfil it."),
            click.option(
                "--values",
                metavar="JSON",
                help='Values of expressions, plain or DynamoDB JSON: {":s": "OPEN"}.',
            ),
            click.option(
                "--names",
                metavar="JSON",
                help='Names of expressions: {"#n": "my-name"}. Reserved words need none.',
            ),
            click.option("--index", metavar="NAME", help="Read this index of the table."),
            click.option("--consistent", is_flag=True, help="Strongly consistent reads."),
        ]
    ):
        command = option(command)
    return command


def pace_options(command: Command) -> Command:
    """How fast it is read: --segments, --rate-limit."""
    for option in reversed(
        [
            click.option(
                "--segments",
                metavar="N",
                type=click.IntRange(1, SEGMENTS_SHOWN_MAX),
                help="Segments that are read in parallel  [default: by the size of the table]",
            ),
            click.option(
                "--rate-limit",
                metavar="UNITS",
                type=Amount(above=True),
                help="Capacity units a second, at most.",
            ),
        ]
    ):
        command = option(command)
    return command


def options_of(
    table: str, options: dict[str, Any], *, masking: "Masking | None" = None
) -> "ScanOptions":
    """The options of a scan, from those of the command. Raises InputError."""
    from hashrange.tools.scanning.expressions import expressions
    from hashrange.tools.scanning.masking import Masking
    from hashrange.tools.scanning.scan import ScanOptions

    kinds = ("filter", "projection", "condition", "update")
    texts = {kind: options.get(kind) for kind in kinds}
    return ScanOptions(
        table=table,
        index=options.get("index"),
        expressions=expressions(texts, options.get("names"), options.get("values")),
        segments=options.get("segments"),
        rate_limit=options.get("rate_limit"),
        consistent=options.get("consistent", False),
        limit=options.get("limit"),
        typed=options.get("typed", False),
        masking=Masking() if masking is None else masking,
    )


@contextlib.contextmanager
def scan_failures(stopped: str = "stopped") -> Iterator[None]:
    """Raise errors within the context as Misuse or Refusal, which are printed as one line.

    Args:
        stopped: the text after Ctrl-C.
    """
    from hashrange.tools.scanning.expressions import InputError

    with failures():
        try:
            try:
                yield
            except BaseExceptionGroup as group:
                # Segments that failed together most likely have the same cause.
                raise first_of(group) from group
        except InputError as error:
            raise Misuse(str(error)) from error
        except KeyboardInterrupt as error:
            raise Refusal(stopped) from error


def first_of(error: BaseException) -> BaseException:
    """The first error of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def run_at(
    address: Address,
    work: "Callable[[Endpoint], Awaitable[T]]",
    retries: "Retries | None" = None,
) -> T:
    """Run work with a connection pool; throttled requests are left to it."""
    from hashrange.server.loop import run
    from hashrange.tools.copying.endpoint import Retries

    async def main() -> T:
        chosen = retries or Retries(throttled=False)
        async with reached_at(address, connections=_CONNECTIONS, retries=chosen) as place:
            return await work(place)

    return run(main())
