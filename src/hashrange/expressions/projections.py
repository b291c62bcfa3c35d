"""Projections: the parts of an item at document paths, in new containers.

UPDATED_OLD and UPDATED_NEW are projections on the paths that an update writes.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.reserved import check_name
from hashrange.expressions.syntax import Element, Path
from hashrange.messages.expressions import attribute_named_twice
from hashrange.model.values import Item

_Tree: TypeAlias = dict[Any, "_Tree | None"]
"""The projected members of a container, by name or by index; None is the whole member."""


class Projection(msgspec.Struct, frozen=True):
    """The parts of an item that a ProjectionExpression selects."""

    names: tuple[str, ...]
    """The top-level attributes, each once, in the order of the text."""
    below: tuple[tuple[str, _Tree | None], ...] | None
    """The parts of each top-level attribute; None if all of them are selected as a whole."""

    def apply(self, item: Item) -> Item:
        """The selected parts of `item`, which are shared with it and not copied.

        Missing parts are left out; selected elements of a list follow each other without gaps.
        """
        if self.below is None:
            return {name: item[name] for name in self.names if name in item}
        projected: Item = {}
        for name, tree in self.below:
            if name in item:
                part = _part(item[name], tree)
                if part is not None:
                    projected[name] = part
        return projected


def projection(paths: Iterable[Path]) -> Projection:
    """The projection on paths that neither overlap nor conflict."""
    roots: _Tree = {}
    nested = False
    for path in paths:
        *above, last = path.elements
        nested = nested or bool(above)
        tree = roots
        for element in above:
            tree = _below(tree, element)
        tree[last] = None
    return Projection(tuple(roots), tuple(roots.items()) if nested else None)


def _below(tree: _Tree, element: Element) -> _Tree:
    below = tree.setdefault(element, {})
    assert below is not None, "paths do not overlap"
    return below


def _part(value: Any, tree: _Tree | None) -> Any:
    """The selected part of a value; None if nothing of it is selected."""
    if tree is None:
        return value
    if isinstance(next(iter(tree)), int):
        return _list_part(value.get("L", ()), tree)
    return _map_part(value.get("M", {}), tree)


def _list_part(elements: Any, tree: _Tree) -> Any:
    parts = []
    for index in sorted(tree):
        if index < len(elements):
            part = _part(elements[index], tree[index])
            if part is not None:
                parts.append(part)
    return {"L": parts} if parts else None


def _map_part(members: Any, tree: _Tree) -> Any:
    parts = {}
    for name, below in tree.items():
        if name in members:
            part = _part(members[name], below)
            if part is not None:
                parts[name] = part
    return {"M": parts} if parts else None


def attributes_projection(names: Sequence[str]) -> Projection:
    """The projection on top-level attributes, at least one.

    Raises:
        DynamoError: the first name that no attribute can have, else the first repeated name.
    """
    for name in names:
        check_name(name)
    if len(set(names)) != len(names):
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise invalid(attribute_named_twice(name))
            seen.add(name)
    return projection([Path((name,)) for name in names])
