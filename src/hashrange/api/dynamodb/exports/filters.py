"""The FilterSpecification of an export: which items are exported, and which of their attributes.

Source: Developer Guide, "Filtering a table export"; API reference, FilterSpecification.
"""

from typing import Any

import msgspec

from hashrange.api.dynamodb.items.conditions import check_scalar_keys, check_scalar_projection
from hashrange.api.dynamodb.items.key_ranges import key_range
from hashrange.errors import invalid
from hashrange.expressions.program import Bound, Sources, bind, check_presence
from hashrange.messages.items.queries import filter_on_key
from hashrange.messages.tables import backups as messages
from hashrange.model.structures.dynamodb import FilterSpecification
from hashrange.model.table import Table
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.opened.access_paths import AccessPath
from hashrange.tables.opened.open_table import OpenTable


class ExportFilter(msgspec.Struct, frozen=True):
    """A specification that fits its table: an `ItemFilter` of `backups.exports.pages`."""

    bounds: tuple[bytes, bytes] | None
    bound: Bound

    def holds(self, item: Item) -> bool:
        """Whether the filter expression allows an item."""
        return self.bound.filter is None or self.bound.filter.holds(item)

    def projected(self, item: Item) -> Item:
        """The attributes that are exported."""
        return item if self.bound.projection is None else self.bound.projection.apply(item)


def checked(specification: FilterSpecification) -> Bound:
    """The expressions of a specification. Raises ValidationException."""
    sources = Sources(
        projection=specification.projection_expression,
        filter=specification.filter_expression,
        key_condition=specification.key_condition_expression,
    )
    names = specification.expression_attribute_names
    values = specification.expression_attribute_values
    check_presence(sources, names, values)
    if sources == Sources():
        raise invalid(messages.filter_empty())
    return bind(sources, names, values, wording=Wording.CURRENT)


def fitted(bound: Bound, table: Table) -> ExportFilter:
    """The filter for a table. Raises ValidationException."""
    opened = OpenTable(table, {})
    access_path = AccessPath(opened)
    bounds = None
    if bound.key_condition is not None:
        keys = key_range(access_path, bound.key_condition, None, reverse=False)
        bounds = (keys.start, keys.end)
    check_scalar_projection(bound.projection, opened)
    if bound.filter is not None:
        used = {path[0] for path in bound.filter.paths}
        for attribute in table.key_attributes:
            if bounds is not None and attribute.name in used:
                raise invalid(filter_on_key(attribute.name))
        check_scalar_keys(bound.filter, opened)
    return ExportFilter(bounds, bound)


def stored_filter(specification: dict[str, Any], table: Table) -> ExportFilter:
    """The filter of an export, from its description."""
    sent = msgspec.convert(specification, FilterSpecification)
    return fitted(checked(sent), table)
