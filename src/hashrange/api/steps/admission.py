"""The step `admit`: whether there is capacity for a plan, and the charge for what it did cost."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from hashrange.api.steps.operation import AnyOperation, Cost
from hashrange.capacity.limiter import Limiter
from hashrange.capacity.units import Charge


class Admitted(msgspec.Struct, frozen=True, gc=False):
    """A plan that was admitted, and what was taken for it.

    Attributes:
        plan: to be run; of a batch, without the items that are throttled.
        charges: the units that were taken.
        limiter: what they were taken from; None if nothing was.
        consumed: the units of the only charge, if they already count as consumed: see
            `TableLimiter.take`.
        shard: the ARN of the stream and the shard that the plan reads, if it does.
    """

    plan: Any
    charges: Sequence[Charge] = ()
    limiter: Limiter | None = None
    consumed: float = 0.0
    shard: tuple[str, int] = ("", 0)


class Admission(Protocol):
    """Decides whether there is capacity for a request."""

    def admit(self, operation: AnyOperation, plan: Any, tables: Sequence[Any]) -> Admitted | None:
        """Take the least cost of a plan if that is possible at once; else `admit_slowly` decides.

        Args:
            operation: that of the plan.
            plan: made for these tables.
            tables: as they were passed to `Operation.fit`.
        """

    async def admit_slowly(
        self, operation: AnyOperation, plan: Any, names: Sequence[str], tables: Sequence[Any]
    ) -> Admitted:
        """Take the least cost of a plan; `names` are those of the tables, as sent.

        Raises DynamoError if there is no capacity, and StorageError.
        """

    def charge(self, admitted: Admitted, cost: Cost | None) -> None:
        """Charge the actual cost; None returns what was taken, since nothing happened."""
