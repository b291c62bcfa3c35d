"""`POST /verify`: has the server verify its data, for `hashrange verify` without a directory.

`{}` begins, and is answered with an id; `{"id": …}` is answered with the findings, once there are.
Whoever may see the state of the server may not do that: it reads all data, and shows keys of items.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from hashrange.access.policies.decisions import GovernedResource
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Authorizer, Requirement
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages import server as messages
from hashrange.server.callers import Authenticate
from hashrange.server.failed_signatures import FailedSignatures
from hashrange.tables.verifying.requests import VERIFY_FILES, VerifyAnswer, VerifyRequest
from hashrange.wire.answers import JSON, encode, encode_error
from hashrange.wire.codec import DECODE_ERRORS
from hashrange.wire.exchange import Handler, Request, Response

_ACTION: Final = "hashrange:VerifyData"


class _Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body; without an id a verification begins."""

    id: str | None = None


def verify_page(
    directory: Path | None,
    *,
    authenticate: Authenticate,
    failures: FailedSignatures | None,
    authorizer: Authorizer,
    new_id: Callable[[], str],
) -> Handler:
    """The handler of the page.

    Args:
        directory: the data directory; None if the data are in none.
        authenticate: the caller of a request.
        failures: delays answers to failed signatures; None if signatures are not verified.
        authorizer: decides who may ask.
        new_id: draws the id of a verification.
    """

    async def page(request: Request) -> Response:
        try:
            _require(authorizer, authenticate(request, None).caller)
            found = _asked(_place(directory), request.body, new_id)
        except DynamoError as error:
            if failures is not None:
                await failures.slow(request, error.fault)
            return Response(error.fault.status, encode_error(error), JSON)
        return Response(200, encode(found), JSON)

    return page


def _require(authorizer: Authorizer, caller: Caller) -> None:
    needed = Requirement(_ACTION, GovernedResource("*", caller.account))
    refusal = authorizer.refusal(needed, caller)
    if refusal is not None:
        raise DynamoError(Fault.ACCESS_DENIED, refusal)


def _place(directory: Path | None) -> Path:
    if directory is None:
        raise invalid(messages.no_directory_to_verify(), bare=True)
    return directory


def _asked(directory: Path, body: bytes, new_id: Callable[[], str]) -> VerifyAnswer:
    """Begin a verification, or read how far one is. Raises DynamoError."""
    try:
        asked = msgspec.json.decode(body, type=_Asked)
    except DECODE_ERRORS as error:
        raise invalid(messages.verification_unreadable(str(error)), bare=True) from error
    under_way = VERIFY_FILES.asked(directory)
    if asked.id is None:
        if under_way is not None:
            raise invalid(messages.verified_for_another(), bare=True)
        request = VerifyRequest(new_id())
        VERIFY_FILES.ask(directory, request)
        return VerifyAnswer(id=request.id)
    found = VERIFY_FILES.answered(directory, asked.id)
    if found is not None:
        return found
    if under_way is None or under_way.id != asked.id:
        raise invalid(messages.no_verification(asked.id), bare=True)
    return VerifyAnswer(id=asked.id)
