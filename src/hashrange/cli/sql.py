"""`hashrange sql "SELECT …"`: SQL over tables, exports and moments, by DuckDB."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.encryption_keys import key_of, key_options
from hashrange.cli.endpoints import Address, endpoint_options, reached_at
from hashrange.cli.refusals import Misuse, Refusal
from hashrange.cli.scan_options import scan_failures
from hashrange.cli.seeding import Progress, progress_of, quiet_option

if TYPE_CHECKING:
    from hashrange.backups.objects.bucket import Bucket
    from hashrange.tools.sql.archives import Archive, StoredObject
    from hashrange.tools.sql.database import SqlOptions
    from hashrange.tools.sql.session import Session
    from hashrange.tools.sql.sources import BucketExports, Exports, Source
    from hashrange.tools.sql.statements import Statement

_PARQUET: Final = "parquet"
_TABLE: Final = "table"
_TABLE_ROWS_MAX: Final = 10_000
_FORMS: Final = {".csv": "csv", ".json": "json", ".jsonl": "json", ".parquet": _PARQUET}
"""The forms by the ending of a file's name."""
_BUCKETS: Final = ("s3://", "http://", "https://")
_CONNECTIONS: Final = 16
_UNITS_UNASKED: Final = 1000.0
"""A live read that costs more is confirmed."""


@click.command()
@click.argument("statement", metavar="[STATEMENT | FILE.sql]", required=False)
@click.option(
    "--from",
    "source",
    metavar="SOURCE",
    help="A data directory that no server uses, a database (postgresql://…), or exports or an "
    "archive: a directory, or a bucket, s3://NAME or https://HOST/NAME  [default: the endpoint]",
)
@click.option("--prefix", metavar="PREFIX", default="", help="Of the keys in a bucket.")
@endpoint_options
@click.option(
    "--as-of",
    metavar="TIME",
    help="Read the tables as they were at TIME, or at the latest moment that can be restored: "
    "latest.",
)
@click.option(
    "--output",
    type=click.Choice([_TABLE, "csv", "json", _PARQUET]),
    help="[default: table on a terminal, else csv; or as FILE ends]",
)
@click.option("--file", "target", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@click.option(
    "--schema",
    metavar="NAME=TYPE",
    multiple=True,
    help="Fix the type of a column, such as price=DECIMAL(12,2); repeatable.",
)
@click.option(
    "--unnest",
    type=click.Choice(["TOP_LEVEL", "FULL", "NO_UNNEST"], case_sensitive=False),
    default="TOP_LEVEL",
    show_default=True,
    help="Columns as in AWS's zero-ETL integrations: attributes; fields of maps too; the key only.",
)
@click.option("--memory", metavar="SIZE", default="1GB", show_default=True, help="Of DuckDB.")
@click.option("--allow-files", is_flag=True, help="Statements may read and write files.")
@click.option("--yes", is_flag=True, help="Do not ask before a live read of more than 1,000 units.")
@quiet_option
@key_options
def sql(*, statement: str | None, **options: Any) -> None:
    """Run SQL on the items of tables.

    Each table is a view with a column for each attribute, with joins, windows and aggregates of
    DuckDB. Numbers are exact. Keys in WHERE make a Query of the read of an endpoint; a read that
    names none is a Scan, whose cost is shown before. With AS OF 'TIME' or --as-of, copies of the
    tables are restored, read and deleted, and the tables themselves are not read.

    Without STATEMENT they are read from standard input, on a terminal at a prompt. Statements
    neither write nor read files.

    \b
    Examples:
      hashrange sql "SELECT status, count(*), sum(total) FROM orders GROUP BY status"
      hashrange sql report.sql --from hashrange-data --file report.parquet
      hashrange sql "SELECT * FROM orders AS OF '2026-11-27T10:00:00Z'" --output json
      hashrange sql "SELECT max(price) FROM products" --from exports --schema "price=DECIMAL(12,2)"
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.server.loop import run

    with scan_failures(), progress_of(quiet=options.pop("quiet")) as progress:
        run(_Run(options, progress).run(statement))


class _Run:
    def __init__(self, options: dict[str, Any], progress: Progress) -> None:
        self._key = key_of(options)
        self._address: Address = options["address"]
        self._from: str | None = options["source"]
        self._prefix: str = options["prefix"]
        self._yes: bool = options["yes"]
        self._moment: str | None = options["as_of"]
        self._progress = progress
        self._target: Path | None = options["target"]
        self._form = _form(options["output"], self._target)
        if self._target is not None and self._target.exists() and not options["overwrite"]:
            raise Misuse(f"{self._target} exists; --overwrite replaces it")
        self._options = _sql_options(options)

    async def run(self, text: str | None) -> None:
        from hashrange.tools.sql.session import Session
        from hashrange.tools.sql.statements import require_duckdb

        require_duckdb()
        with TemporaryDirectory(prefix="hashrange-sql-") as folder:
            async with self._source(Path(folder)) as source:
                session = Session(
                    source,
                    Path(folder),
                    self._options,
                    moment=self._moment,
                    note=self._progress.note,
                )
                with contextlib.closing(session.database):
                    if text is None and sys.stdin.isatty():
                        await self._prompt(session)
                    else:
                        await self._answer(session, _text_of(text))

    async def _answer(self, session: "Session", text: str) -> None:
        from hashrange.tools.sql.statements import statements_of

        statements = statements_of(text)
        if not statements:
            raise Misuse("there is no statement")
        if self._target is not None and len(statements) > 1:
            raise Misuse(f"{self._target} takes the rows of one statement")
        for each in statements:
            await session.prepare(each)
            self._write(session, each)

    def _write(self, session: "Session", statement: "Statement") -> None:
        from hashrange.tools.sql import results

        if self._target is None:
            with session.database.answers(statement) as cursor:
                if self._form == _TABLE:
                    _print_table(cursor)
                else:
                    results.WRITERS[self._form](cursor, sys.stdout)
                    sys.stdout.flush()
            return
        part = self._target.with_name(f"{self._target.name}.part")
        try:
            if self._form == _PARQUET:
                session.database.write_parquet(statement, part.absolute())
            else:
                with (
                    session.database.answers(statement) as cursor,
                    part.open("w", encoding="utf-8", newline="") as file,
                ):
                    results.WRITERS[self._form](cursor, file)
            part.replace(self._target)
        finally:
            part.unlink(missing_ok=True)

    async def _prompt(self, session: "Session") -> None:
        from hashrange.cli.prompt.sql_prompt import typed_statements
        from hashrange.tools.copying.place import CopyError

        click.echo(f"SQL on {session.shown}; end statements with a semicolon, \\q to end", err=True)
        async for text in typed_statements():
            try:
                await self._answer(session, text)
            except (CopyError, Misuse) as error:
                click.echo(f"hashrange: {error}", err=True)

    @contextlib.asynccontextmanager
    async def _source(self, folder: Path) -> "AsyncIterator[Source]":
        from hashrange.assembly.engines.kinds import kind_of
        from hashrange.clock import SystemClock
        from hashrange.storage.engine import StorageError, StorageOpenError
        from hashrange.storage.sqlite.directory import holds_data
        from hashrange.tools.copying.local import opened_source
        from hashrange.tools.sql.sources import Directory, Live

        clock = SystemClock()
        if self._from is None:
            async with reached_at(self._address, connections=_CONNECTIONS) as place:
                yield Live(place, clock, note=self._progress.note, confirm=self._confirm)
        elif self._from.startswith(_BUCKETS) or (
            "://" not in self._from and not holds_data(Path(self._from))
        ):
            yield await stored_source(self._from, self._prefix, folder / "stored")
        else:
            try:
                kind_of(self._from)
                async with opened_source(self._from, clock, self._key) as local:
                    yield Directory(local, clock)
            except (ValueError, StorageOpenError) as error:
                raise Misuse(str(error)) from error
            except StorageError as error:
                raise Refusal(str(error)) from error

    def _confirm(self, text: str, units: float) -> None:
        self._progress.note(text)
        if self._yes or units <= _UNITS_UNASKED:
            return
        if not sys.stdin.isatty():
            raise Misuse(f"{text}: give --yes, or --as-of latest for a copy")
        click.confirm("Read it?", abort=True, err=True)


def _form(given: str | None, target: Path | None) -> str:
    """The form of the rows. Raises Misuse."""
    if target is None:
        if given == _PARQUET:
            raise Misuse("--output parquet needs --file FILE")
        return given or (_TABLE if sys.stdout.isatty() else "csv")
    form = given or _FORMS.get(target.suffix.lower())
    if form is None or form == _TABLE:
        raise Misuse(f"{target}: the name must end in {', '.join(_FORMS)}, or give --output")
    return form


def _sql_options(options: dict[str, Any]) -> "SqlOptions":
    """The options of the database. Raises InputError."""
    from hashrange.tools.scanning.expressions import InputError
    from hashrange.tools.sql.columns import Unnest, fixed_type
    from hashrange.tools.sql.database import SqlOptions

    fixed = {}
    for text in options["schema"]:
        name, separator, given = text.rpartition("=")
        if not separator or not name:
            raise InputError(f"--schema {text}: give NAME=TYPE, such as price=DECIMAL(12,2)")
        fixed[name] = fixed_type(given)
    return SqlOptions(
        fixed=fixed,
        unnest=Unnest(options["unnest"].upper()),
        memory=options["memory"],
        allow_files=options["allow_files"],
    )


async def stored_source(
    place: str, prefix: str, folder: Path
) -> "Archive | Exports | BucketExports":
    """The archives or the exports in a directory or a bucket.

    Args:
        place: a directory, or the URL of a bucket.
        prefix: of the keys in a bucket.
        folder: for files, which the caller removes.

    Raises:
        InputError: there are none, or both.
        CopyError: they cannot be read.
    """
    from hashrange.tools.sql import archives
    from hashrange.tools.sql.sources import BucketExports, Exports

    if place.startswith(_BUCKETS):
        bucket = _bucket(place)
        objects = await archives.bucket_objects(bucket, prefix)
        if objects:
            return archives.bucket_archive(bucket, place, objects, folder)
        return BucketExports(bucket, place, prefix, folder)
    objects = archives.folder_objects(Path(place))
    if objects:
        return archives.folder_archive(Path(place), objects)
    return Exports(Path(place))


async def stored_objects(
    place: str, prefix: str, storage_class: str | None
) -> "tuple[Bucket, Sequence[StoredObject]]":
    """The objects of archives in a directory or a bucket, to be changed, and the bucket.

    Args:
        place: a directory, or the URL of a bucket.
        prefix: of the keys in a bucket.
        storage_class: of new objects in S3.

    Raises:
        InputError: exports are there, too.
        CopyError: they cannot be read.
    """
    from hashrange.tools.sql import archives

    if place.startswith(_BUCKETS):
        bucket = _bucket(place, storage_class)
        return bucket, await archives.bucket_objects(bucket, prefix)
    return _directory_objects(Path(place))


def _directory_objects(folder: Path) -> "tuple[Bucket, Sequence[StoredObject]]":
    import msgspec

    from hashrange.backups.objects.directory import DirectoryBucket
    from hashrange.clock import SystemClock
    from hashrange.tools.sql import archives

    root = folder.absolute()
    found = [
        # The name has the table, which may be that of the directory itself.
        msgspec.structs.replace(each, key=Path(each.key).relative_to(root).as_posix())
        for each in archives.folder_objects(root)
    ]
    return DirectoryBucket(root.name, root, new_id=SystemClock().new_uuid), found


def _bucket(url: str, storage_class: str | None = None) -> "Bucket":
    """The bucket of a URL. Raises Misuse."""
    from hashrange.backups.objects.bucket import BucketError
    from hashrange.backups.objects.buckets import Buckets
    from hashrange.clock import SystemClock
    from hashrange.optional_packages import MissingPackageError

    try:
        buckets = Buckets.of(f"exports={url}", new_id=SystemClock().new_uuid)
        return buckets.opened("exports", storage_class=storage_class)
    except (ValueError, BucketError, MissingPackageError) as error:
        raise Misuse(f"{url}: {error}") from error


def _text_of(statement: str | None) -> str:
    """The statements: those of the argument, of the file that it names, or of standard input."""
    if statement is None:
        return sys.stdin.read()
    if statement.lower().endswith(".sql") and not any(map(str.isspace, statement)):
        return Path(statement).read_text("utf-8")
    return statement


def _print_table(cursor: Any) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from hashrange.tools.sql.results import names_of, pages_of, text_of

    table = Table()
    for name in names_of(cursor):
        table.add_column(Text(name))
    for page in pages_of(cursor):
        for row in page:
            if table.row_count == _TABLE_ROWS_MAX:
                Console(highlight=False).print(table)
                click.echo(
                    f"and more than {_TABLE_ROWS_MAX:,} rows: --output csv has all", err=True
                )
                return
            table.add_row(*(Text("NULL" if value is None else text_of(value)) for value in row))
    Console(highlight=False).print(table)
