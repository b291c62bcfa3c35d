"""Guards of statements: whether the item must exist, besides the condition."""

from hashrange.api.dynamodb.items.conditions import Guard
from hashrange.api.pipeline.operation import ChargedError
from hashrange.capacity.units import write_units
from hashrange.errors import Fault
from hashrange.messages.items.operations import condition_failed
from hashrange.messages.partiql import item_exists
from hashrange.model.values import Item
from hashrange.tables.items.images import Image


class NewItem(Guard, frozen=True):
    """INSERT: the item must not exist."""

    def admit(self, before: Image | None) -> Item | None:
        """Raises DuplicateItemException, whose cost is that of a write of the item."""
        if before is None:
            return None
        raise ChargedError(
            Fault.DUPLICATE_ITEM, item_exists(), write_units=write_units(before.size)
        )


class PresentItem(Guard, frozen=True):
    """UPDATE: the item must exist and meet the condition."""

    def admit(self, before: Image | None) -> Item | None:
        """Raises ConditionalCheckFailedException: the item is missing or the condition fails."""
        if before is None:
            text = condition_failed()
            raise ChargedError(Fault.CONDITION_FAILED, text, write_units=write_units(0))
        return super().admit(before)


class AnyItem(Guard, frozen=True):
    """DELETE: the item must meet the condition if it exists."""

    def admit(self, before: Image | None) -> Item | None:
        """The item, None if it is missing. Raises ConditionalCheckFailedException."""
        return None if before is None else super().admit(before)
