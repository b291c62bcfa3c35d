"""Requests of the API as JSON for the upstream, and its answers as those of the operations."""

from collections.abc import Iterable
from typing import Any, Final, TypeVar

import msgspec

from hashrange.dax.upstream.client import Client, Sent
from hashrange.dax.upstream.refusals import UpstreamError
from hashrange.dax.upstream.tables import UpstreamTables
from hashrange.errors import DynamoError, Fault
from hashrange.messages import dax as messages
from hashrange.model.operations import is_read_only
from hashrange.wire.codec import DECODE_ERRORS

A = TypeVar("A")

_OK: Final = 200
_encode: Final = msgspec.json.Encoder().encode


class Sender:
    """Performs operations at the upstream.

    Args:
        client: sends.
        tables: the upstream's; a refusal may say that they have changed.
    """

    def __init__(self, client: Client, tables: UpstreamTables) -> None:
        self._client = client
        self._tables = tables

    async def perform(
        self, operation: str, request: Any, answer: type[A], tables: Iterable[str]
    ) -> A:
        """The answer to a request.

        Args:
            operation: its name in the API.
            request: of the type of that operation.
            answer: the type of its answer.
            tables: the names in the request.

        Raises:
            DynamoError: the upstream refuses, or does not answer.
        """
        is_repeatable = is_read_only(operation) or bool(
            getattr(request, "client_request_token", None)
        )
        sent = Sent(
            operation=operation,
            body=_encode(members(request)),
            is_repeatable=is_repeatable,
            actions=len(getattr(request, "transact_items", None) or ()),
        )
        try:
            body = await self._client.call(sent)
            return msgspec.json.decode(body, type=answer)
        except DECODE_ERRORS as error:
            text = messages.not_dynamodb(self._client.url, _OK)
            raise UpstreamError(Fault.INTERNAL, text, is_unchanged=False) from error
        except DynamoError as error:
            for name in tables:
                self._tables.note(name, error.fault)
            raise


def members(value: Any) -> Any:
    """The members of a request that were sent, under their names in the API."""
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.fields(value)
        sent = ((each.encode_name, getattr(value, each.name)) for each in fields)
        return {name: members(member) for name, member in sent if member is not None}
    if isinstance(value, list):
        return [members(member) for member in value]
    if isinstance(value, dict) and any(
        isinstance(member, msgspec.Struct | list) for member in value.values()
    ):
        return {name: members(member) for name, member in value.items()}
    return value
