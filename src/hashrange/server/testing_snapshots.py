"""`/testing/snapshots`: saves the data of a server under test, and puts it back to them.

GET answers the names. POST saves, loads or deletes one, and answers when that is done on all
processes of the server. Only with `--testing`: whoever reaches the server may do it.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.messages.requests import testing_snapshots as messages
from hashrange.server.routes import Audience, Route
from hashrange.storage.engine import StorageError
from hashrange.storage.saved_states import SavedState, StateAction, StateError
from hashrange.wire.answers import JSON, encode
from hashrange.wire.codec import DECODE_ERRORS
from hashrange.wire.exchange import Handler, Request, Response

Perform: TypeAlias = Callable[[StateAction, str], Awaitable[list[SavedState]]]
"""`StateKeeper.perform`, perhaps in another process. Raises StateError, StorageError."""

_METHODS: Final = (b"GET", b"POST")
_ACTIONS: Final = {each.value: each for each in StateAction if each is not StateAction.LIST}


def snapshot_pages(perform: Perform) -> Sequence[Route[Handler]]:
    """The page of snapshots."""

    async def page(request: Request) -> Response:
        try:
            if request.method == b"GET":
                action, name = StateAction.LIST, ""
            else:
                action, name = _action_of(request.body)
            states = await perform(action, name)
        except StateError as error:
            return _failure(400, str(error))
        except StorageError as error:
            return _failure(503, messages.storage_failed(str(error)))
        return Response(200, encode({"snapshots": states}), JSON)

    return (Route(_METHODS, b"/testing/snapshots", page, Audience.TESTS),)


def _action_of(body: bytes) -> tuple[StateAction, str]:
    """The action, and the name of the state. Raises StateError."""
    try:
        members = msgspec.json.decode(body, type=dict[str, str])
    except DECODE_ERRORS as error:
        raise StateError(messages.body_unreadable(str(error))) from error
    if len(members) != 1 or not members.keys() <= _ACTIONS.keys():
        raise StateError(messages.body_unreadable("The body names one action"))
    ((action, name),) = members.items()
    return _ACTIONS[action], name


def _failure(status: int, text: str) -> Response:
    return Response(status, encode({"message": text}), JSON)
