"""A model: the tables of a design, their entities, access patterns and samples."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta

from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.model.operations import ITEM_OPERATIONS
from hashrange.tools.definition import TableDefinition

RATE_MAX: Final = 100_000_000
COUNT_MAX: Final = 10**15
OPERATIONS: Final = tuple(row.name for row in ITEM_OPERATIONS)
"""The operations that an access pattern can have."""

Count: TypeAlias = Annotated[int, Meta(ge=0, le=COUNT_MAX)]
Rate: TypeAlias = Annotated[float, Meta(ge=0, le=RATE_MAX)]


class ModelError(ValueError):
    """A file has no model; the text has the place in the file and the reason."""


class Part(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A part of a model. Unknown names are refused."""


class Entity(Part, frozen=True, kw_only=True):
    """Items of one kind.

    Attributes:
        name: the name of the entity, unique in the model.
        table: the table with its items; may be left out if the model has one table.
        description: what the items are.
        templates: values of attributes that are made of other attributes, by name, as `pk =
            "CUSTOMER#{customerId}"`: those of the keys of the table and of its indexes, and
            constants such as a type. `{n:08}` pads a value with zeros to 8 characters.
        attributes: the types of the other attributes, by name: S, N, B, BOOL, NULL, SS, NS, BS, L
            or M.
        optional: names of attributes that items may lack; an item without an attribute of the
            template of an index's key has no entry in that index.
        item_bytes: the size of an item; by default that of the samples.
        items: the number of items.
        items_per_key: the number of items of this entity with one partition key.
        samples: items as plain values, or in DynamoDB's JSON. Attributes with templates may be
            left out.
    """

    name: str
    table: str | None = None
    description: str = ""
    templates: dict[str, str] = {}
    attributes: dict[str, str] = {}
    optional: tuple[str, ...] = ()
    item_bytes: Annotated[int, Meta(ge=1, le=COUNT_MAX)] | None = None
    items: Count | None = None
    items_per_key: Count | None = None
    samples: tuple[dict[str, Any], ...] = ()


class AccessPattern(Part, frozen=True, kw_only=True):
    """A kind of request that an application sends.

    Attributes:
        name: the name of the pattern, unique in the model.
        description: what the application needs.
        operation: an operation of DynamoDB, such as Query.
        entity: the entity that is read or written.
        table: the table; by default that of the entity, or the only one.
        index: the secondary index that a Query or a Scan reads.
        key: conditions on key attributes by name: a value or a template for equality, or
            `{ begins_with = "ORDER#" }`, `{ between = ["a", "b"] }`, `{ ">=" = 1 }`. Of a single
            item the default is the key of a sample.
        filter: a filter expression.
        condition: a condition expression of a write.
        update: an update expression.
        names: names of attributes by placeholder (`#name`) in the expressions. Reserved words
            are replaced without them.
        values: values by placeholder (`:value`) in the expressions.
        returns: the attributes that the application needs; by default all.
        consistent: whether the read is strongly consistent.
        descending: whether a Query returns the last sort key first.
        limit: the greatest number of items that a Query or a Scan reads.
        rate: requests a second.
        item_bytes: the size of one item; by default that of the entity.
        items: the number of items of one request: read by a Query or a Scan, or in a batch.
        hottest_key_share: the share of the requests with the most frequent partition key, 0 to 1.
        request: the request as DynamoDB takes it, instead of the members above.
        note: why there is no request, for a pattern that is not served by DynamoDB.
    """

    name: str
    description: str = ""
    operation: str = "Query"
    entity: str | None = None
    table: str | None = None
    index: str | None = None
    key: dict[str, Any] = {}
    filter: str | None = None
    condition: str | None = None
    update: str | None = None
    names: dict[str, str] = {}
    values: dict[str, Any] = {}
    returns: tuple[str, ...] = ()
    consistent: bool = False
    descending: bool = False
    limit: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    rate: Rate = 0.0
    item_bytes: Annotated[int, Meta(ge=1, le=ITEM_BYTES_MAX)] | None = None
    items: Annotated[int, Meta(ge=1, le=COUNT_MAX)] | None = None
    hottest_key_share: Annotated[float, Meta(ge=0, le=1)] | None = None
    request: dict[str, Any] | None = None
    note: str | None = None


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """A design.

    Attributes:
        name: the name of the model.
        description: what the application is.
        tables: the tables, with their settings.
        entities: the kinds of items.
        patterns: the requests that the application sends.
        dialect: the form of the file that the model was read from, one of `reading.DIALECTS`.
        workbench: the document of NoSQL Workbench, whose other members are kept; None if there
            is none.
    """

    name: str
    description: str = ""
    tables: Sequence[TableDefinition]
    entities: Sequence[Entity] = ()
    patterns: Sequence[AccessPattern] = ()
    dialect: str = "hashrange"
    workbench: Mapping[str, Any] | None = None

    def table_named(self, name: str | None) -> TableDefinition | None:
        """The table of this name, or the only one if the name is None; else None."""
        if name is None:
            return self.tables[0] if len(self.tables) == 1 else None
        return next((table for table in self.tables if table.name == name), None)

    def entity_named(self, name: str | None) -> Entity | None:
        """The entity of this name; else None."""
        return next((entity for entity in self.entities if entity.name == name), None)

    def table_of_entity(self, entity: Entity) -> TableDefinition | None:
        """The table with the items of the entity; None if the model has no such table."""
        return self.table_named(entity.table)

    def table_of_pattern(self, pattern: AccessPattern) -> TableDefinition | None:
        """The table of the requests of a pattern; None if the model has no such table."""
        entity = self.entity_named(pattern.entity)
        if pattern.table is None and entity is not None:
            return self.table_of_entity(entity)
        return self.table_named(pattern.table)

    def entities_of(self, table: TableDefinition) -> Iterator[Entity]:
        """The entities with items in the table."""
        for entity in self.entities:
            if self.table_of_entity(entity) is table:
                yield entity
