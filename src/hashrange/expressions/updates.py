"""Compiles updates into pure functions from the old item to the new item."""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.computations import Compute, computation
from hashrange.expressions.edits import Edit, Results
from hashrange.expressions.operands import Constants, roots_of_nested, walked
from hashrange.expressions.projections import Projection, projection
from hashrange.expressions.syntax import (
    Action,
    Add,
    Arithmetic,
    Call,
    Constant,
    Delete,
    Path,
    Remove,
    Set,
)
from hashrange.expressions.update_checks import operands_of
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.messages.items.operations import item_too_large_after_update
from hashrange.messages.items.values import nesting_too_deep
from hashrange.model.sizes import value_bytes
from hashrange.model.values import Item, is_too_deep

_FEW_ACTIONS: Final = 8
"""With so few actions an update cannot write too many bytes before its size is checked."""

_Apply: TypeAlias = Callable[[Item, Constants], Item]
_Compute: TypeAlias = Callable[[Item, Constants], Results]


class UpdateShape(msgspec.Struct, frozen=True):
    """An update without its constants."""

    targets: tuple[str, ...]
    read: tuple[str, ...]
    """The top-level attributes that values are computed from, each once."""
    nested: tuple[str, ...]
    only_removes: bool
    applied: _Apply
    written: Projection
    literals: tuple[tuple[str, int | str], ...]
    """Top-level attributes whose new type is known without the item: the type, or the position of
    a constant of that type."""
    cost: Callable[[Constants], int] | None
    """The bytes of the clauses (see `clause_costs`); None if there is no expression."""


class Update(msgspec.Struct, frozen=True):
    """An update with its constants."""

    shape: UpdateShape
    constants: Constants

    @property
    def targets(self) -> tuple[str, ...]:
        """The top-level attributes that it writes or removes, each once, in order of the text."""
        return self.shape.targets

    @property
    def nested(self) -> tuple[str, ...]:
        """The top-level attributes of the paths with more than one element that it reads."""
        return self.shape.nested

    @property
    def written(self) -> Projection:
        """The document paths that it writes or removes."""
        return self.shape.written

    @property
    def only_removes(self) -> bool:
        """It has only REMOVE and DELETE: it neither creates a missing item nor checks paths."""
        return self.shape.only_removes

    def apply(self, before: Item) -> Item:
        """The item as updated; `before` is not changed, and shared where nothing changes.

        Args:
            before: the canonical item; for a missing item its key, or `{}`.

        Raises:
            DynamoError: without envelope; the container of a path is missing, an operand is
                missing or of the wrong type, a number is out of range, or too many levels.
        """
        return self.shape.applied(before, self.constants)

    def check_levels(self, after: Item) -> None:
        """Refuse an item in which a top-level attribute that was written is nested too deeply.

        For operations that accept values with more levels than an item. Raises DynamoError.
        """
        if any(is_too_deep(after[name]) for name in self.targets if name in after):
            raise invalid(nesting_too_deep(), bare=True)

    def literal_kinds(self) -> dict[str, str]:
        """The new types of top-level attributes, as far as they are known without the item."""
        return {
            name: source if isinstance(source, str) else next(iter(self.constants[source]))
            for name, source in self.shape.literals
        }

    def fragments(self, item: Item) -> Item:
        """The written paths of `item`: UPDATED_OLD of the old item, UPDATED_NEW of the new one."""
        return self.shape.written.apply(item)


def update_shape(
    actions: tuple[Action, ...], cost: Callable[[Constants], int] | None = None
) -> UpdateShape:
    """Compile an update that `check_update` has accepted.

    Args:
        actions: the actions, none of them with an undefined placeholder.
        cost: see `UpdateShape.cost`.
    """
    paths = [action.target for action in actions if isinstance(action.target, Path)]
    assert len(paths) == len(actions), "undefined placeholders are refused before"
    written = projection(paths)
    computations = list(map(computation, actions))
    if written.below is not None:
        applied = _nested(_results(computations), paths)
    elif len(actions) > _FEW_ACTIONS:
        applied = _flat_many(_results(computations), written.names)
    else:
        applied = _flat(computations, written.names)
    operands = [operand for action in actions for operand in walked(operands_of(action))]
    read = dict.fromkeys(operand.elements for operand in operands if isinstance(operand, Path))
    return UpdateShape(
        targets=written.names,
        read=tuple(dict.fromkeys(str(path[0]) for path in read)),
        nested=roots_of_nested(read),
        only_removes=all(isinstance(action, Remove | Delete) for action in actions),
        applied=applied,
        written=written,
        literals=tuple(_literals(actions)),
        cost=cost,
    )


def _literals(actions: tuple[Action, ...]) -> Iterator[tuple[str, int | str]]:
    """The rows of `UpdateShape.literals`."""
    for action in actions:
        match action:
            case Set(Path((str(name),)), Arithmetic()):
                yield name, "N"
            case Set(Path((str(name),)), Call("list_append")):
                yield name, "L"
            case (
                Set(Path((str(name),)), Constant(position))
                | Add(Path((str(name),)), Constant(position))
                | Delete(Path((str(name),)), Constant(position))
            ):
                yield name, position
            case _:
                pass


def _flat(computations: list[Compute], names: tuple[str, ...]) -> _Apply:
    """An update of few top-level attributes."""
    changes = list(zip(names, computations, strict=True))

    def applied(before: Item, constants: Constants) -> Item:
        after = before.copy()
        for name, compute in changes:
            value = compute(before, constants)
            if value is None:
                after.pop(name, None)
            else:
                after[name] = value
        return after

    return applied


def _flat_many(results: _Compute, names: tuple[str, ...]) -> _Apply:
    """An update of many top-level attributes."""

    def applied(before: Item, constants: Constants) -> Item:
        after = before.copy()
        for name, value in zip(names, results(before, constants), strict=True):
            if value is None:
                after.pop(name, None)
            else:
                after[name] = value
        return after

    return applied


def _nested(results: _Compute, paths: list[Path]) -> _Apply:
    """An update with at least one path of more than one element."""
    item = Edit()
    for position, path in enumerate(paths):
        item.add(path.elements, position)

    def applied(before: Item, constants: Constants) -> Item:
        after: Item = item.map_after(before, results(before, constants))
        return after

    return applied


def _results(computations: list[Compute]) -> _Compute:
    """The new value of each action.

    An update of 4 KB can write an attribute of 400 KB hundreds of times. All results become part
    of the item, so the update is refused as soon as they exceed the largest item.
    """
    if len(computations) <= _FEW_ACTIONS:
        return lambda before, constants: [compute(before, constants) for compute in computations]

    def bounded(before: Item, constants: Constants) -> Results:
        results: Results = []
        room = ITEM_BYTES_MAX
        for compute in computations:
            result = compute(before, constants)
            results.append(result)
            if result is not None:
                room -= value_bytes(result)
                if room < 0:
                    raise invalid(item_too_large_after_update())
        return results

    return bounded
