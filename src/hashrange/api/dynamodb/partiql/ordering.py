"""The columns of a SELECT, and ORDER BY: in which order its ranges are read. Pure."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

import msgspec

from hashrange.api.dynamodb.partiql.ranges import PartitionRange
from hashrange.errors import invalid
from hashrange.expressions.partiql.key_conditions import Branches
from hashrange.expressions.partiql.prepared import Column, Prepared
from hashrange.expressions.projections import Projection, projection
from hashrange.expressions.readers import Read, read_path
from hashrange.messages import partiql as messages
from hashrange.model.values import Item
from hashrange.tables.opened.access_paths import AccessPath


class Direction(msgspec.Struct, frozen=True):
    """The order of an answer.

    Attributes:
        partitions_down: partitions come in descending order of their keys.
        reverse: so do the items of each.
    """

    partitions_down: bool = False
    reverse: bool = False

    def applied(self, ranges: list[PartitionRange]) -> list[PartitionRange]:
        """Ascending ranges, brought into this order."""
        if not self.partitions_down and not self.reverse:
            return ranges
        groups = [list(group) for _, group in groupby(ranges, attrgetter("partition"))]
        if self.partitions_down:
            groups.reverse()
        if self.reverse:
            groups = [group[::-1] for group in groups]
        return [each for group in groups for each in group]


def direction_of(statement: Prepared, branches: Branches, access_path: AccessPath) -> Direction:
    """The order of a SELECT.

    Raises ValidationException: it is not by the key, or the key is not restricted enough.
    """
    terms = {term.attribute: term.descending for term in statement.order}
    if not terms:
        return Direction()
    if statement.condition is None:
        raise invalid(messages.order_without_where())
    partition = access_path.partition[0].name
    sort = access_path.sort[0].name if access_path.sort else None
    for name in terms:
        if name not in {partition, sort}:
            raise invalid(messages.order_not_by_key(name))
    if not branches.pins:
        raise invalid(messages.order_without_partition())
    values = {part.positions for branch in branches.branches for part in branch.of(partition)}
    if len(values) > 1 and partition not in terms:
        raise invalid(messages.order_of_partitions())
    # Without a term of its own the sort key goes down, whatever the partition key does. Source:
    # measured by users, September 2026.
    reverse = sort is not None and terms.get(sort, True)
    return Direction(terms.get(partition, False), reverse)


class Columns(Projection, frozen=True):
    """A projection without the enclosing documents."""

    reads: tuple[tuple[str, Read], ...]

    def apply(self, item: Item) -> Item:
        """The columns that exist in the item."""
        found: Item = {}
        for name, read in self.reads:
            value = read(item, ())
            if value is not None:
                found[name] = value
        return found


def columns_of(columns: Sequence[Column] | None) -> Projection | None:
    """The projection of a SELECT; None for `*`."""
    if columns is None:
        return None
    paths = [column.path for column in columns]
    if all(len(path.elements) == 1 for path in paths):
        return projection(paths)
    names = tuple(dict.fromkeys(str(path.elements[0]) for path in paths))
    nested = {str(path.elements[0]) for path in paths if len(path.elements) > 1}
    below: Any = tuple((name, {} if name in nested else None) for name in names)
    reads = tuple((column.name, read_path(column.path.elements)) for column in columns)
    return Columns(names, below, reads)
