"""Strong tables in transactions, which they do not have."""

from collections.abc import Iterable

from hashrange.errors import invalid
from hashrange.messages.tables import replicas as messages
from hashrange.tables.opened.open_table import OpenTable


def refuse_strong(tables: Iterable[OpenTable | None]) -> None:
    """Refuse a transaction on a strong table. Raises ValidationException."""
    if any(each is not None and each.table.strong is not None for each in tables):
        raise invalid(messages.in_transaction())
