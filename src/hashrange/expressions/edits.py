"""Applies changes below top-level attributes.

Containers along the changed paths are copied; the rest of the item is shared. All paths of an
update refer to the item as it was, so the changes of one list are applied together: indexes are
those of the old list, removed elements leave no gap, and elements written past the end are
appended in the order of their indexes.
"""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hashrange.errors import DynamoError, invalid
from hashrange.expressions.syntax import Element
from hashrange.messages import expressions as messages

Results: TypeAlias = list[Any]
"""The new value of each action's target, in the order of the actions; None removes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """The changes of one container's members, by name or index."""

    changed: dict[Any, int] = field(default_factory=dict)
    """Members that an action writes or removes: the position of the action's result."""
    entered: "dict[Any, Edit]" = field(default_factory=dict)
    """Members that are containers with changes inside them."""

    def add(self, elements: tuple[Element, ...], action: int) -> None:
        """Add the target of the action at a position; `elements` is its path from here."""
        element, *below = elements
        if below:
            self.entered.setdefault(element, Edit()).add(tuple(below), action)
        else:
            self.changed[element] = action

    def applied(self, value: Any, results: Results) -> Any:
        """The container as changed.

        Raises:
            DynamoError: the container, or one within it, is missing or of the wrong type.
        """
        first = next(iter(self.changed or self.entered))
        kind = "L" if isinstance(first, int) else "M"
        if value is None or kind not in value:
            raise _path_invalid()
        after = self.list_after if kind == "L" else self.map_after
        return {kind: after(value[kind], results)}

    def map_after(self, members: dict[str, Any], results: Results) -> dict[str, Any]:
        """The members of a map, or an item, as changed."""
        after = members.copy()
        for name, action in self.changed.items():
            result = results[action]
            if result is None:
                after.pop(name, None)
            else:
                after[name] = result
        for name, edit in self.entered.items():
            after[name] = edit.applied(members.get(name), results)
        return after

    def list_after(self, elements: list[Any], results: Results) -> list[Any]:
        """The elements of a list as changed."""
        after = elements.copy()
        removed = []
        appended = []
        for index, action in sorted(self.changed.items()):
            result = results[action]
            if index >= len(elements):
                appended.append(result)
            elif result is None:
                removed.append(index)
            else:
                after[index] = result
        for index, edit in self.entered.items():
            if index >= len(elements):
                raise _path_invalid()
            after[index] = edit.applied(elements[index], results)
        kept = _without(after, removed) if removed else after
        kept += [result for result in appended if result is not None]
        return kept


def _without(elements: list[Any], removed: list[int]) -> list[Any]:
    """The elements except those at the indexes `removed`, which ascend."""
    kept: list[Any] = []
    start = 0
    for index in removed:
        kept += elements[start:index]
        start = index + 1
    return kept + elements[start:]


def _path_invalid() -> DynamoError:
    return invalid(messages.path_invalid(), bare=True)
