"""The table of the tools, and a call of one of them."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import click
import msgspec

from hashrange.cli.assistants import designs, documentation, figures, items
from hashrange.cli.assistants.answers import ToolError, text_of
from hashrange.cli.endpoints import Address
from hashrange.errors import DynamoError
from hashrange.optional_packages import MissingPackageError
from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.item_lines import ItemError
from hashrange.tools.copying.place import CopyError
from hashrange.tools.models.schema import ModelError

_FAILURES: Final = (
    ToolError,
    CopyError,
    DynamoError,
    ItemError,
    ModelError,
    MissingPackageError,
    msgspec.ValidationError,
)
"""Errors that stop a tool; their texts are for the model."""


class Tool(msgspec.Struct, frozen=True):
    """A row.

    Attributes:
        arguments: a Struct.
        run: performs it; the answer is what msgspec can encode.
        is_writing: whether it may change data.
    """

    name: str
    description: str
    arguments: type[Any]
    run: Callable[[Any], Awaitable[object]]
    is_writing: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        _, found = msgspec.json.schema_components([self.arguments])
        schema: dict[str, Any] = found[self.arguments.__name__]
        return {name: value for name, value in schema.items() if name != "description"}


_Row: TypeAlias = tuple[str, str, type[Any], Callable[[Any, Any], Awaitable[object]]]
"""Name, description, arguments, and a function of the endpoint and them."""

_ON_TABLES: Final[tuple[_Row, ...]] = (
    ("list_tables", "The names of the tables.", items.ListTables, items.list_tables),
    (
        "describe_table",
        "Keys, indexes, capacity, size, streams and time to live of a table.",
        items.TableName,
        items.describe_table,
    ),
    ("get_item", "One item by its primary key.", items.GetItem, items.get_item),
    (
        "query",
        "Items of one partition of a table or index, in the order of the sort key.",
        items.Query,
        items.query,
    ),
    (
        "scan",
        "Items of a table in no order. Each page costs the units of all that it evaluates.",
        items.Scan,
        items.scan,
    ),
)
_ON_DESIGNS: Final[tuple[_Row, ...]] = (
    (
        "check_model",
        "Checks a model of tables and runs its access patterns on a server in memory.",
        designs.CheckModel,
        designs.check_model,
    ),
    (
        "units_of_item",
        "The size of an item in bytes, and the capacity units of operations on it.",
        designs.UnitsOfItem,
        designs.item_units,
    ),
    (
        "price_load",
        "The capacity units of a load, and what a month costs for each way of paying.",
        designs.PriceLoad,
        designs.price_load,
    ),
)
_ON_PAGES: Final[tuple[_Row, ...]] = (
    (
        "search_documentation",
        "Sections of hashrange's documentation that have the words.",
        documentation.Search,
        documentation.search,
    ),
    (
        "read_documentation",
        "A page of hashrange's documentation, or a section of one.",
        documentation.Read,
        documentation.read,
    ),
)
_ON_FIGURES: Final[tuple[_Row, ...]] = (
    (
        "heat",
        "The keys and partitions of a table with the most requests. Only on hashrange.",
        items.TableName,
        figures.heat,
    ),
    (
        "diagnose_table",
        "Finds what is wrong with a table, with remedies. Reads 100 items.",
        items.TableName,
        figures.diagnose,
    ),
)
"""Functions of the address, since they have connections of their own."""


def tools(place: Endpoint, address: Address, *, is_writing: bool) -> Sequence[Tool]:
    """The tools on an endpoint.

    Args:
        place: a connection to it.
        address: the same, for tools with connections of their own.
        is_writing: whether statements may change data.
    """
    statements = "any statement" if is_writing else "a SELECT; others are refused"
    run = items.execute if is_writing else items.select
    pages = _ON_PAGES if documentation.folder() is not None else ()
    return [
        *_bound(_ON_TABLES, place),
        Tool(
            "partiql",
            f"Runs a statement of PartiQL: {statements}.",
            items.Statement,
            partial(run, place),
            is_writing,
        ),
        *_bound((*_ON_DESIGNS, *pages), place),
        *_bound(_ON_FIGURES, address),
    ]


def _bound(rows: Iterable[_Row], target: Endpoint | Address) -> Iterator[Tool]:
    for name, description, arguments, run in rows:
        yield Tool(name, description, arguments, partial(run, target))


async def called(tool: Tool, arguments: Mapping[str, Any]) -> str:
    """The text of a tool's answer. Raises ToolError."""
    try:
        return text_of(await tool.run(msgspec.convert(arguments, tool.arguments)))
    except click.ClickException as error:
        raise ToolError(error.format_message()) from error
    except _FAILURES as error:
        raise ToolError(str(error)) from error
