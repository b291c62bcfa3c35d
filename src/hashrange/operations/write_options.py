"""What a write of one item is asked besides its item, remembered once it was found to be right.

Few sets of options are ever sent, each by many requests. A set that was refused is not remembered,
and is told in full each time.
"""

from collections.abc import Hashable
from operator import attrgetter
from typing import Final, Protocol

import msgspec

from hashrange.expressions.plans import Plans
from hashrange.limits import (
    WRITE_OPTIONS_CHARS_MAX,
    WRITE_OPTIONS_MAX,
    WRITE_OPTIONS_SET_CHARS_MAX,
)

options_sent: Final = attrgetter(
    "table_name",
    "return_values",
    "return_consumed_capacity",
    "return_item_collection_metrics",
    "return_values_on_condition_check_failure",
)
"""The options of a request: what they are remembered by."""


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
        table_name: as it was sent.
        returns: which attributes.
        returns_only_old: none, or those before the write.
        returns_old_on_failure: the item that did not meet the condition.
        capacity: the detail; None for none.
        metrics: of the item's collection.
        is_brief: neither of the last two.
    """

    table_name: str
    returns: str
    returns_only_old: bool
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
        table_name,
        returns,
        returns_only_old=returns in {"NONE", "ALL_OLD"},
        returns_old_on_failure=request.return_values_on_condition_check_failure == "ALL_OLD",
        capacity=capacity,
        metrics=metrics,
        is_brief=capacity is None and not metrics,
    )


def known_options() -> Plans[Hashable, Options]:
    """What an operation remembers: options that are right for it, by what was sent."""
    return Plans(
        plans_max=WRITE_OPTIONS_MAX,
        chars_max=WRITE_OPTIONS_CHARS_MAX,
        plan_chars_max=WRITE_OPTIONS_SET_CHARS_MAX,
    )
