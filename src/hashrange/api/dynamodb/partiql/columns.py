"""The columns of a SELECT: each has the last name of its path in the answer."""

from collections.abc import Sequence
from typing import Any

from hashrange.expressions.partiql.prepared import Column
from hashrange.expressions.projections import Projection, projection
from hashrange.expressions.readers import Read, read_path
from hashrange.model.values import Item


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
