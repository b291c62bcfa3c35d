"""The facts that a caller's requests and answers need: schemas of tables, and attribute lists."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from hashrange.dax.protocol.items import Names, UnknownFactError
from hashrange.dax.protocol.keys import Schema
from hashrange.server.dax.attribute_lists import AttributeLists
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.opened.open_table import OpenTable
from hashrange.wire.arns import table_name_of

T = TypeVar("T")

_FACTS_MAX: int = 2_000
"""Facts that one request may need: tables, and attribute lists of items of an answer."""


class Schemas(Protocol):
    """The key schemas of the tables that a caller sees, by names or ARNs as sent."""

    def cached(self, table: str) -> Schema | None:
        """The schema of a table that is in memory."""

    async def load(self, table: str) -> Schema | None:
        """The schema of a table; None if it does not exist. Raises DynamoError."""


class CatalogSchemas:
    """The schemas of the tables of a catalog."""

    __slots__ = ("_catalog",)

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def cached(self, table: str) -> Schema | None:
        """The schema of a table that is in memory."""
        found = self._catalog.cached(table_name_of(table))
        return None if found is None else _schema_of(found)

    async def load(self, table: str) -> Schema | None:
        """The schema of a table; None if it does not exist."""
        found = await self._catalog.open(table_name_of(table))
        return None if found is None else _schema_of(found)


class CallerFacts:
    """The facts of one caller.

    Args:
        schemas: those of the tables that the caller sees.
        lists: all attribute lists.
        scope: which of them are the caller's.

    Attributes:
        scope: as above.
        encoded: items that were encoded with the lists.
    """

    def __init__(self, schemas: Schemas, lists: AttributeLists, scope: str) -> None:
        self._schemas = schemas
        self._lists = lists
        self.scope = scope
        self.encoded = lists.encoded
        self._missing: set[str] = set()

    def schema(self, table: str) -> Schema | None:
        """The key schema of a table; None if it does not exist. Raises UnknownFactError."""
        found = self._schemas.cached(table)
        if found is not None:
            return found
        if table in self._missing:
            return None
        raise UnknownFactError(table=table)

    def names_of(self, list_id: int) -> Names:
        """The names of an attribute list. Raises UnknownFactError."""
        found = self._lists.names(self.scope, list_id)
        if found is None:
            raise UnknownFactError(list_id=list_id)
        return found

    def list_id(self, names: Names) -> int:
        """The number of an attribute list. Raises UnknownFactError."""
        found = self._lists.number(self.scope, names)
        if found is None:
            raise UnknownFactError(names=names)
        return found

    async def known(self, compute: Callable[[], T]) -> T:
        """The result of a function that is called again whenever a fact was loaded.

        Raises what it raises; DynamoError for an attribute list that does not exist.
        """
        self._missing.clear()
        for _ in range(_FACTS_MAX):
            try:
                return compute()
            except UnknownFactError as unknown:
                await self._load(unknown)
        return compute()

    async def _load(self, unknown: UnknownFactError) -> None:
        if unknown.table is not None:
            if await self._schemas.load(unknown.table) is None:
                self._missing.add(unknown.table)
        elif unknown.names:
            await self._lists.define(self.scope, unknown.names)
        else:
            await self._lists.load(self.scope, unknown.list_id)


def _schema_of(table: OpenTable) -> Schema:
    return Schema(table.partition_name, table.partition_type, table.sort_name, table.sort_type)
