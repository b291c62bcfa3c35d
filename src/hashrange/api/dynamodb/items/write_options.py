"""The options of PutItem, UpdateItem and DeleteItem: what to return."""

from typing import Protocol

import msgspec

from hashrange.errors import invalid
from hashrange.messages.items.operations import return_values_old_only


class SingleItemWrite(Protocol):
    """The members that PutItem, UpdateItem and DeleteItem share."""

    @property
    def return_values(self) -> str | None:
        """As sent; None is NONE."""

    @property
    def return_consumed_capacity(self) -> str | None:
        """As sent; None is NONE."""

    @property
    def return_item_collection_metrics(self) -> str | None:
        """As sent; None is NONE."""

    @property
    def return_values_on_condition_check_failure(self) -> str | None:
        """As sent; None is NONE."""


class Options(msgspec.Struct, frozen=True):
    """The options of a request.

    Attributes:
        table_names: the name of the table, as sent.
        returns: ReturnValues; NONE if it is absent.
        returns_old_on_failure: return the item if the condition fails.
        capacity: ReturnConsumedCapacity.
        metrics: return the metrics of the item's collection.
        is_brief: neither capacity nor metrics.
    """

    table_names: tuple[str]
    returns: str
    returns_old_on_failure: bool
    capacity: str | None
    metrics: bool
    is_brief: bool


def options_of(table_name: str, request: SingleItemWrite) -> Options:
    """The options of a request whose members are valid."""
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
    """Refuse ReturnValues that needs the item after the write. Raises ValidationException."""
    if options.returns not in {"NONE", "ALL_OLD"}:
        raise invalid(return_values_old_only())
