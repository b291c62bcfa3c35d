"""AttributeUpdates, which UpdateItem had before UpdateExpression, as an update."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from hashrange.errors import invalid
from hashrange.expressions.syntax import Action, Add, Constant, Delete, Path, Remove, Set
from hashrange.expressions.updates import Update, update_shape
from hashrange.limits import ATTRIBUTE_NAME_BYTES_MAX, LEGACY_PLANS_MAX
from hashrange.messages import legacy as messages
from hashrange.messages import values as value_messages
from hashrange.model.canonical import canonical_value
from hashrange.model.legacy import AttributeValueUpdate
from hashrange.model.sizes import text_bytes
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording

_SET_KINDS: Final = frozenset({"SS", "NS", "BS"})
_ADD_KINDS: Final = _SET_KINDS | {"N", "L"}


def attribute_update(updates: Mapping[str, AttributeValueUpdate]) -> Update | None:
    """The update of an item's attributes.

    Args:
        updates: as sent; all actions are known ones.

    Returns:
        None if there are no updates.

    Raises:
        DynamoError: the first fault in the order as sent.
    """
    actions: list[Action] = []
    constants: list[AttributeValue] = []
    for name, update in updates.items():
        _check_name(name)
        if update.value is None:
            if update.action != "DELETE":
                raise invalid(messages.action_without_value())
            actions.append(Remove(Path((name,))))
            continue
        value = canonical_value(update.value, Wording.CURRENT)
        actions.append(_action(name, update.action, value, len(constants)))
        constants.append(value)
    return Update(_plan(tuple(actions)), tuple(constants)) if actions else None


_plan: Final = lru_cache(maxsize=LEGACY_PLANS_MAX)(update_shape)
"""What all requests with these updates share; it knows no values."""


def _check_name(name: str) -> None:
    """Refuse what no attribute can be called: unlike an item's, the name is a path here."""
    if not name:
        raise invalid(value_messages.attribute_name_empty())
    if text_bytes(name) > ATTRIBUTE_NAME_BYTES_MAX:
        raise invalid(value_messages.attribute_name_too_large())


def _action(name: str, action: str | None, value: AttributeValue, position: int) -> Action:
    """What becomes of an attribute with a value that will be the constant at `position`."""
    kind = next(iter(value))
    target, operand = Path((name,)), Constant(position)
    match action:
        case None | "PUT":
            return Set(target, operand)
        case "DELETE":
            if kind not in _SET_KINDS:
                raise invalid(messages.delete_type(kind))
            return Delete(target, operand, legacy=True)
        case _:
            assert action == "ADD", "the model knows three actions"
            if kind not in _ADD_KINDS:
                raise invalid(messages.add_type(kind))
            return Add(target, operand, legacy=True)
