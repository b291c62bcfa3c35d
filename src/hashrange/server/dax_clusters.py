"""The API of DAX clusters, AmazonDAXV3, on the port of the database: JSON 1.1 over HTTP.

The caller is allowed by its policies before the operation runs: `dax:` and the name of the
operation, always on `*`, as AWS has it. Whoever creates a cluster also needs `iam:PassRole` on its
role, and clusters must be able to assume that.
"""

import logging
import re
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from hashrange.dax_clusters.errors import DaxError, invalid
from hashrange.dax_clusters.situation import DaxSituation
from hashrange.dax_clusters.store import DaxRows
from hashrange.dax_clusters.verbs import VERBS
from hashrange.errors import DynamoError
from hashrange.messages import dax_clusters as messages
from hashrange.operations.pipeline.operation import Caller
from hashrange.policies.decisions import Decisions, GovernedResource, Subject
from hashrange.server.exchange import Request, Response
from hashrange.server.json_apis import denied, operation_of, response
from hashrange.tables.store import Store

TARGET: Final = b"AmazonDAXV3"
_SERVICE: Final = "dax"
_PORT: Final = re.compile(r":\d*\Z")
"""The port in a Host header."""

_log: Final = logging.getLogger(__name__)


class DaxChoices(msgspec.Struct, frozen=True, kw_only=True):
    """What a server can do about clusters.

    Attributes:
        separate: each account and region has clusters of its own.
        has_tls: it has a certificate.
        role: the subject of a role that clusters can assume, by ARN; None if they cannot.
        can_run: it or another process runs clusters.
        changed: tells the runner that rows have changed, if it is in this process.
    """

    separate: bool
    has_tls: bool
    role: Callable[[str], Subject | None]
    can_run: bool
    changed: Callable[[], None]


class DaxClustersApi:
    """Answers requests to AmazonDAXV3.

    Args:
        store: its engine has the rows.
        choices: of this server.
    """

    def __init__(self, store: Store, choices: DaxChoices) -> None:
        self._store = store
        self._choices = choices
        self._rows = DaxRows(store.engine)
        self._decisions = Decisions()

    async def respond(self, request: Request, caller: Caller) -> Response:
        """Answer a request; refusals are answers too."""
        try:
            return response(200, await self._answer(request, caller))
        except DaxError as error:
            return _failure(400, error.name, error.text)
        except DynamoError as error:
            return self.refuse(error)
        except Exception:  # noqa: BLE001 - every failure gets an answer
            _log.exception("a request about DAX clusters failed")
            return _failure(500, "InternalFailure", messages.internal())

    def refuse(self, error: DynamoError) -> Response:
        """The answer to a request that was refused."""
        return _failure(error.fault.status, error.fault.code, error.message or "")

    async def _answer(self, request: Request, caller: Caller) -> object:
        name = operation_of(request)
        verb = VERBS.get(name)
        if verb is None:
            raise DaxError("UnknownOperationException", messages.unknown_operation(name[:100]))
        typed = verb.decoder.decode(request.body or b"{}")
        self._authorise(f"{_SERVICE}:{name}", "*", caller)
        choices, clock = self._choices, self._store.clock
        situation = DaxSituation(
            rows=self._rows,
            scope=f"{caller.account}:{caller.region}" if choices.separate else "",
            account=caller.account,
            region=caller.region,
            host=_PORT.sub("", caller.host),
            now_ms=clock.now_ms(),
            can_run=choices.can_run,
            has_tls=choices.has_tls,
            check_role=partial(self._check_role, caller),
            changed=choices.changed,
            new_id=clock.new_uuid,
        )
        return await verb.run(typed, situation)

    def _authorise(self, action: str, resource: str, caller: Caller) -> None:
        """Raise AccessDeniedException unless the policies of the caller allow an action."""
        governed = GovernedResource(resource, caller.account)
        now_ms = self._store.clock.now_ms()
        text = denied(self._decisions, caller, action, governed, now_ms=now_ms)
        if text is not None:
            raise DaxError("AccessDeniedException", text)

    def _check_role(self, caller: Caller, arn: str) -> None:
        if caller.subject is None:
            return
        self._authorise("iam:PassRole", arn, caller)
        if self._choices.role(arn) is None:
            raise invalid(messages.role_unusable(arn))


def _failure(status: int, name: str, text: str) -> Response:
    return response(status, {"__type": name, "message": text})
