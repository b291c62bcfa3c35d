"""Updates compiled: pure functions from an item as it was to the item as it will be."""

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
from hashrange.limits import ITEM_BYTES_MAX
from hashrange.messages.items.operations import item_too_large_after_update
from hashrange.messages.items.values import nesting_too_deep
from hashrange.model.nesting import is_too_deep
from hashrange.model.sizes import value_bytes
from hashrange.model.values import Item

_FEW_ACTIONS: Final = 8
"""Up to here what an update writes need not be measured while it is computed."""

_Apply: TypeAlias = Callable[[Item, Constants], Item]
_Compute: TypeAlias = Callable[[Item, Constants], Results]


class UpdateShape(msgspec.Struct, frozen=True):
    """An update without its constants."""

    targets: tuple[str, ...]
    nested: tuple[str, ...]
    only_removes: bool
    applied: _Apply
    written: Projection
    literals: tuple[tuple[str, int | str], ...]
    """Top-level attributes that a value of a known type is written to: the position of a constant
    that has the type, or the type."""
    cost: Callable[[Constants], int] | None
    """What the clauses of an expression weigh; None for what was not written as one."""


class Update(msgspec.Struct, frozen=True):
    """An update with its constants."""

    shape: UpdateShape
    constants: Constants

    @property
    def targets(self) -> tuple[str, ...]:
        """The top-level attributes that it writes or removes, each once, in their order."""
        return self.shape.targets

    @property
    def nested(self) -> tuple[str, ...]:
        """The attributes below which it reads."""
        return self.shape.nested

    @property
    def written(self) -> Projection:
        """The document paths that it writes or removes."""
        return self.shape.written

    @property
    def only_removes(self) -> bool:
        """It has only REMOVE and DELETE: a missing item is not created, nor are paths checked."""
        return self.shape.only_removes

    def apply(self, before: Item) -> Item:
        """The item as updated; `before` is not changed, and shared where nothing changes.

        Args:
            before: the canonical item; of a missing one its key, or nothing.

        Raises:
            DynamoError: never enveloped; a path that leads nowhere, a value to be read that is not
                there or of the wrong type, a number out of range, or too many levels.
        """
        return self.shape.applied(before, self.constants)

    def check_levels(self, after: Item) -> None:
        """Refuse an item in which a top-level attribute that was written is nested too deep.

        For requests whose values may be deeper than an item's. Raises DynamoError.
        """
        if any(is_too_deep(after[name]) for name in self.targets if name in after):
            raise invalid(nesting_too_deep(), bare=True)

    def literal_kinds(self) -> dict[str, str]:
        """The types that are known without an item, by the top-level attribute they go into."""
        return {
            name: source if isinstance(source, str) else next(iter(self.constants[source]))
            for name, source in self.shape.literals
        }

    def clause_bytes(self) -> int:
        """What its clauses weigh (see `clause_costs`); reads the values of the request only.

        0 if they are not weighed.
        """
        cost = self.shape.cost
        return 0 if cost is None else cost(self.constants)

    def fragments(self, item: Item) -> Item:
        """What of an item it concerns: of the old one UPDATED_OLD, of the new one UPDATED_NEW."""
        return self.shape.written.apply(item)


def update_shape(
    actions: tuple[Action, ...], cost: Callable[[Constants], int] | None = None
) -> UpdateShape:
    """Compile an update that the checks have let pass.

    Args:
        actions: what it does.
        cost: of its clauses, if they are weighed.
    """
    paths = [action.target for action in actions if isinstance(action.target, Path)]
    assert len(paths) == len(actions), "undefined placeholders are refused before"
    written = projection(paths)
    computations = list(map(computation, actions))
    if any(len(path.elements) > 1 for path in paths):
        applied = _nested(_results(computations), paths)
    elif len(actions) > _FEW_ACTIONS:
        applied = _flat_many(_results(computations), written.names)
    else:
        applied = _flat(computations, written.names)
    operands = [operand for action in actions for operand in walked(operands_of(action))]
    read = dict.fromkeys(operand.elements for operand in operands if isinstance(operand, Path))
    return UpdateShape(
        targets=written.names,
        nested=roots_of_nested(read),
        only_removes=all(isinstance(action, Remove | Delete) for action in actions),
        applied=applied,
        written=written,
        literals=tuple(_literals(actions)),
        cost=cost,
    )


def _literals(actions: tuple[Action, ...]) -> Iterator[tuple[str, int | str]]:
    """See `UpdateShape.literals`."""
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
    """An update that changes something within an attribute."""
    item = Edit()
    for position, path in enumerate(paths):
        item.add(path.elements, position)

    def applied(before: Item, constants: Constants) -> Item:
        after: Item = item.map_after(before, results(before, constants))
        return after

    return applied


def _results(computations: list[Compute]) -> _Compute:
    """The new value of each action.

    An update of 4 KB can write an attribute of 400 KB hundreds of times. All that it writes becomes
    part of the item, so it is refused as soon as that is too much.
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
