"""The API of Application Auto Scaling on the port of the database: JSON 1.1 over HTTP.

The caller is allowed by its policies before the operation runs: `application-autoscaling:` and the
name of the operation, on a scalable target that the operation names by its ARN, and else on all.
"""

import logging
from typing import Final

from hashrange.errors import DynamoError
from hashrange.messages import scaling as messages
from hashrange.operations.pipeline.operation import Caller
from hashrange.policies.decisions import Decisions, GovernedResource
from hashrange.scaling.errors import ScalingError
from hashrange.scaling.places import ScalingContext
from hashrange.scaling.store import ScalingRows
from hashrange.scaling.verbs import VERBS
from hashrange.server.exchange import Request, Response
from hashrange.server.json_apis import denied, operation_of, response
from hashrange.tables.catalog import Catalog
from hashrange.tables.store import Store

TARGET: Final = b"AnyScaleFrontendService"
_SERVICE: Final = "application-autoscaling"

_log: Final = logging.getLogger(__name__)


class AutoScalingApi:
    """Answers requests to Application Auto Scaling.

    Args:
        store: its engine has the rows.
        catalog: the tables.
        separate: each account and region has tables of its own.
    """

    def __init__(self, store: Store, catalog: Catalog, *, separate: bool) -> None:
        self._store = store
        self._catalog = catalog
        self._separate = separate
        self._rows = ScalingRows(store.engine)
        self._decisions = Decisions()

    async def respond(self, request: Request, caller: Caller) -> Response:
        """Answer a request; refusals are answers too."""
        try:
            return response(200, await self._answer(request, caller))
        except ScalingError as error:
            return _failure(400, error.name, error.text, **error.members)
        except DynamoError as error:
            return self.refuse(error)
        except Exception:  # noqa: BLE001 - every failure gets an answer
            _log.exception("a request to auto scaling failed")
            return _failure(500, "InternalServiceException", messages.internal())

    def refuse(self, error: DynamoError) -> Response:
        """The answer to a request that was refused."""
        return _failure(error.fault.status, error.fault.code, error.message or "")

    async def _answer(self, request: Request, caller: Caller) -> object:
        name = operation_of(request)
        verb = VERBS.get(name)
        if verb is None:
            raise ScalingError("UnknownOperationException", messages.unknown_operation(name))
        typed = verb.decoder.decode(request.body or b"{}")
        self._authorise(name, getattr(typed, "resource_arn", None), caller)
        catalog, scope = self._catalog, ""
        if self._separate:
            catalog = catalog.within(caller.account, caller.region)
            scope = f"{caller.account}:{caller.region}"
        clock = self._store.clock
        context = ScalingContext(
            rows=self._rows,
            catalog=catalog,
            scope=scope,
            account=caller.account,
            region=caller.region,
            now_ms=clock.now_ms(),
            new_id=clock.new_uuid,
        )
        return await verb.run(typed, context)

    def _authorise(self, operation: str, arn: str | None, caller: Caller) -> None:
        """Raise AccessDeniedException unless the policies of the caller allow the operation."""
        prefix = f"arn:aws:{_SERVICE}:{caller.region}:{caller.account}:scalable-target/*"
        resource = GovernedResource(arn or prefix, caller.account)
        now_ms = self._store.clock.now_ms()
        text = denied(self._decisions, caller, f"{_SERVICE}:{operation}", resource, now_ms=now_ms)
        if text is not None:
            raise ScalingError("AccessDeniedException", text)


def _failure(status: int, name: str, text: str, **members: str) -> Response:
    return response(status, {"__type": name, "Message": text, **members})
