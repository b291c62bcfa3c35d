"""The API of Application Auto Scaling on the port of the database.

Requests need to be allowed on a scalable target that the operation names by its ARN, and else on
all.
"""

from collections.abc import Mapping
from typing import Any, Final

from hashrange.messages import scaling as messages
from hashrange.operations.pipeline.operation import Caller
from hashrange.scaling.places import ScalingContext
from hashrange.scaling.store import ScalingRows
from hashrange.server.json_apis import JsonApi, Service
from hashrange.tables.catalog import Catalog
from hashrange.tables.store import Store

TARGET: Final = b"AnyScaleFrontendService"


def _verbs() -> Mapping[str, Any]:
    from hashrange.scaling.verbs import VERBS  # noqa: PLC0415 - few servers need it

    return VERBS


_SERVICE: Final = Service(
    prefix="application-autoscaling",
    verbs=_verbs,
    text_member="Message",
    internal=("InternalServiceException", messages.internal()),
    unknown=messages.unknown_operation,
)


class AutoScalingApi(JsonApi):
    """Answers requests to Application Auto Scaling.

    Args:
        store: its engine has the rows.
        catalog: the tables.
        separate: each account and region has tables of its own.
    """

    def __init__(self, store: Store, catalog: Catalog, *, separate: bool) -> None:
        super().__init__(_SERVICE, store.clock)
        self._new_id = store.clock.new_uuid
        self._catalog = catalog
        self._separate = separate
        self._rows = ScalingRows(store.engine)

    def context(self, caller: Caller) -> ScalingContext:
        """The tables and rows that a caller can see."""
        catalog, scope = self._catalog, ""
        if self._separate:
            catalog = catalog.within(caller.account, caller.region)
            scope = f"{caller.account}:{caller.region}"
        return ScalingContext(
            rows=self._rows,
            catalog=catalog,
            scope=scope,
            account=caller.account,
            region=caller.region,
            now_ms=self._clock.now_ms(),
            new_id=self._new_id,
        )

    def resource(self, typed: Any, caller: Caller) -> str:
        """The target that is named, or all."""
        prefix = f"arn:aws:{_SERVICE.prefix}:{caller.region}:{caller.account}:scalable-target/*"
        return getattr(typed, "resource_arn", None) or prefix
