"""What statements expect of an item besides their conditions: that it is there, or is not."""

from hashrange.capacity.units import write_units
from hashrange.errors import Fault
from hashrange.messages.items.operations import condition_failed
from hashrange.messages.partiql.statements import item_exists
from hashrange.model.values import Item
from hashrange.operations.items.conditions import Guard
from hashrange.operations.pipeline.operation import ChargedError
from hashrange.tables.images import Image


class NewItem(Guard, frozen=True):
    """Of an INSERT: there is no such item."""

    def admit(self, before: Image | None) -> Item | None:
        """Raises DuplicateItemException, which costs what a write of the item costs."""
        if before is None:
            return None
        raise ChargedError(
            Fault.DUPLICATE_ITEM, item_exists(), write_units=write_units(before.size)
        )


class PresentItem(Guard, frozen=True):
    """Of an UPDATE: there is an item, and it meets the condition."""

    def admit(self, before: Image | None) -> Item | None:
        """See `Guard.admit`."""
        if before is None:
            text = condition_failed()
            raise ChargedError(Fault.CONDITION_FAILED, text, write_units=write_units(0))
        return super().admit(before)


class AnyItem(Guard, frozen=True):
    """Of a DELETE: an item that is there meets the condition."""

    def admit(self, before: Image | None) -> Item | None:
        """See `Guard.admit`."""
        return None if before is None else super().admit(before)
