"""Statements and commands of the shell, run against an endpoint."""

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Final

import msgspec
from rich.console import Console

from hashrange.cli.prompt.completion import KnownNames
from hashrange.cli.prompt.rendering import FORMS, Item, lines_of, table_of
from hashrange.cli.prompt.statements import StatementBuffer, StatementTooLongError
from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.place import CopyError, RefusedError, ask
from hashrange.tools.copying.tables import describe_table

HELP: Final = """\
A statement ends with a semicolon and may have several lines:
  SELECT * FROM "Music" WHERE Artist = 'Acme' ORDER BY SongTitle DESC;
  INSERT INTO "Music" VALUE {'Artist': 'Acme', 'SongTitle': 'Happy Day'};
\\d             the tables
\\d TABLE       keys, indexes and settings of a table
\\o FORM        how items are printed: table, json (DynamoDB-JSON) or plain (JSON)
\\consistent on|off   strongly consistent reads
\\?             this text; help, too
\\q             end; exit, quit and Ctrl-D, too"""
_NS_PER_MS: Final = 1e6


class Page(msgspec.Struct, frozen=True):
    """A page of an answer.

    Attributes:
        units: capacity units that it consumed; None where the server does not say.
        milliseconds: from the request to its answer.
        has_more: another page may follow.
    """

    items: list[Item]
    units: float | None
    milliseconds: float
    has_more: bool

    @property
    def summary(self) -> str:
        """Items, units and time, as one line."""
        count = len(self.items)
        units = "" if self.units is None else f", {self.units:g} capacity units"
        return f"{count} item{'' if count == 1 else 's'}{units}, {self.milliseconds:.1f} ms"


class Session:
    """The state of a shell.

    Attributes:
        form: how items are printed, one of `rendering.FORMS`.
        is_consistent: whether reads are strongly consistent.
        known: names of tables, indexes and attributes, for completion.

    Args:
        now_ns: a monotonic clock.
        page_items: how many items a page of a SELECT evaluates at most; None for up to 1 MB.
    """

    def __init__(
        self,
        place: Endpoint,
        now_ns: Callable[[], int],
        *,
        form: str,
        page_items: int | None = None,
    ) -> None:
        self.form = form
        self.is_consistent = False
        self.known = KnownNames()
        self._place = place
        self._caller = place.named("").caller
        self._now_ns = now_ns
        self._page_items = page_items

    async def pages(self, statement: str) -> AsyncIterator[Page]:
        """The answer of a statement, page by page. Raises CopyError, RefusedError."""
        request: dict[str, Any] = {"Statement": statement, "ReturnConsumedCapacity": "TOTAL"}
        if self.is_consistent:
            request["ConsistentRead"] = True
        if self._page_items is not None:
            request["Limit"] = self._page_items
        has_more = True
        while has_more:
            began = self._now_ns()
            answer = await ask(self._place, self._caller, "ExecuteStatement", request)
            elapsed = (self._now_ns() - began) / _NS_PER_MS
            request["NextToken"] = answer.get("NextToken")
            has_more = request["NextToken"] is not None
            items = answer.get("Items") or []
            for item in items:
                self.known.add_attributes(item)
            units = (answer.get("ConsumedCapacity") or {}).get("CapacityUnits")
            yield Page(items, units, elapsed, has_more)

    async def command(self, line: str) -> str:
        """Carry out a command that begins with a backslash: the text to print.

        The command to quit is not one of them: it ends the loop that reads. Raises CopyError.
        """
        name, _, argument = line.partition(" ")
        argument = argument.strip().rstrip(";").strip('"')
        match name, argument:
            case "\\?", "":
                return HELP
            case "\\d", "":
                await self.learn()
                return "\n".join(self.known.indexes) or "no tables"
            case "\\d", table:
                return await self._description(table)
            case "\\o", form if form in FORMS:
                self.form = form
                return f"items are printed as {form}"
            case "\\consistent", "on" | "off":
                self.is_consistent = argument == "on"
                return f"strongly consistent reads are {argument}"
            case _:
                raise CopyError(f"{line} is not a command; \\? lists them")

    async def learn(self) -> None:
        """Read the names of the tables anew; indexes that are known stay."""
        names = [named.name for named in await self._place.tables()]
        self.known.indexes = {name: self.known.indexes.get(name, []) for name in names}

    async def _description(self, name: str) -> str:
        shown = await describe_table(self._place, self._place.named(name))
        if shown is None:
            raise CopyError(f"no table {name}")
        types = {
            each["AttributeName"]: each["AttributeType"] for each in shown["AttributeDefinitions"]
        }
        indexes = [
            (kind, index)
            for kind, member in (
                ("global index", "GlobalSecondaryIndexes"),
                ("local index", "LocalSecondaryIndexes"),
            )
            for index in shown.get(member) or ()
        ]
        self.known.indexes[name] = [index["IndexName"] for _, index in indexes]
        self.known.add_attributes(types)
        size = f"{shown.get('ItemCount', 0):,} items, {shown.get('TableSizeBytes', 0):,} bytes"
        lines = [
            f"table {name}: {shown['TableStatus']}, {_billing(shown)}, {size}",
            f"  key: {_keys(shown['KeySchema'], types)}",
        ]
        for kind, index in indexes:
            projection = index["Projection"]
            attributes = ", ".join(projection.get("NonKeyAttributes") or ())
            lines.append(
                f"  {kind} {index['IndexName']}: {_keys(index['KeySchema'], types)}; "
                f"projects {' '.join(filter(None, [projection['ProjectionType'], attributes]))}"
            )
        stream = shown.get("StreamSpecification") or {}
        if stream.get("StreamEnabled"):
            lines.append(f"  stream: {stream['StreamViewType']}")
        return "\n".join(lines)


def refusal_of(error: CopyError) -> str:
    """An error as one line: a server's with its code, as the API names it."""
    if isinstance(error, RefusedError):
        return f"{error.code}: {error.text}"
    return str(error)


def _keys(schema: list[dict[str, str]], types: dict[str, str]) -> str:
    return ", ".join(
        f"{key['AttributeName']} {types.get(key['AttributeName'], '?')} {key['KeyType']}"
        for key in schema
    )


def _billing(shown: dict[str, Any]) -> str:
    if (shown.get("BillingModeSummary") or {}).get("BillingMode") == "PAY_PER_REQUEST":
        return "on demand"
    units = shown.get("ProvisionedThroughput") or {}
    return (
        f"{units.get('ReadCapacityUnits')} read and {units.get('WriteCapacityUnits')} write units"
    )


QUIT: Final = "\\q"
_WIDTH: Final = 10_000
"""Columns of a table that no terminal shows."""


async def run_script(session: Session, lines: Iterable[str], console: Console) -> None:
    """Run statements and commands, with all pages of each. Raises CopyError at the first fault."""
    buffer = StatementBuffer()
    try:
        for line in lines:
            for statement in buffer.add(line):
                if statement == QUIT:
                    return
                await run_all(session, statement, console)
    except StatementTooLongError as error:
        raise CopyError(str(error)) from error
    for statement in buffer.take_rest():
        await run_all(session, statement, console)


async def run_all(session: Session, statement: str, console: Console) -> None:
    """Run a statement or command, and print all that it answers. Raises CopyError."""
    try:
        if statement.startswith("\\"):
            console.print(await session.command(statement), markup=False)
            return
        async for page in session.pages(statement):
            print_items(page, session.form, console)
    except CopyError as error:
        raise CopyError(refusal_of(error)) from error


def print_items(page: Page, form: str, console: Console) -> None:
    """The items of a page, in the form of the session."""
    if form == "table":
        if page.items:
            width = None if console.is_terminal else _WIDTH
            console.print(table_of(page.items), width=width)
        return
    for line in lines_of(page.items, form):
        # Not wrapped: each item is one line, however wide the terminal is.
        console.file.write(line + "\n")
