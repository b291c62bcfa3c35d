"""What a write of one item is asked besides its item."""

from typing import Protocol

import msgspec

from hashrange.errors import invalid
from hashrange.messages.items.operations import return_values_old_only


class Asked(Protocol):
    """What the requests have in common that write one item."""

    @property
    def return_values(self) -> str | None:
        """Of the request."""

    @property
    def return_consumed_capacity(self) -> str | None:
        """Of the request."""

    @property
    def return_item_collection_metrics(self) -> str | None:
        """Of the request."""

    @property
    def return_values_on_condition_check_failure(self) -> str | None:
        """Of the request."""


class Options(msgspec.Struct, frozen=True):
    """What the options of a request ask for.

    Attributes:
        table_names: that of the table, as it was sent.
        returns: which attributes.
        returns_old_on_failure: the item that did not meet the condition.
        capacity: the detail; None for none.
        metrics: of the item's collection.
        is_brief: neither of the last two.
    """

    table_names: tuple[str]
    returns: str
    returns_old_on_failure: bool
    capacity: str | None
    metrics: bool
    is_brief: bool


def options_of(table_name: str, request: Asked) -> Options:
    """What a request asks for whose options are right; see `Options`."""
    returns = request.return_values or "NONE"
    capacity = request.return_consumed_capacity
    metrics = request.return_item_collection_metrics == "SIZE"
    return Options(
        (table_name,),
        returns,
        returns_old_on_failure=request.return_values_on_condition_check_failure == "ALL_OLD",
        capacity=capacity,
        metrics=metrics,
        is_brief=capacity is None and not metrics,
    )


def check_returns_only_old(options: Options) -> None:
    """Refuse attributes as they are after the write. Raises ValidationException."""
    if options.returns not in {"NONE", "ALL_OLD"}:
        raise invalid(return_values_old_only())
