"""The answer of ExecuteStatement."""

from typing import Any

import msgspec

from hashrange.capacity.consumed import ConsumedCapacity
from hashrange.model.values import Item


class StatementAnswer(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    """The items of a SELECT, or the attributes that RETURNING selects."""

    items: list[Any] | msgspec.Raw
    next_token: str | None = None
    consumed_capacity: ConsumedCapacity | None = None
    last_evaluated_key: Item | None = None
