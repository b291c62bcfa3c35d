"""Kinesis Data Streams as a service: its protocols, its errors, its operations."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from hashrange.errors import ApiError
from hashrange.messages import kinesis as messages
from hashrange.wire.json_protocol import JsonProtocol
from hashrange.wire.service import (
    Service,
    ServiceProtocol,
    access_denied,
    internal_failure,
    operations_of,
    short_named,
    unknown_operation,
)

_TARGET: Final = b"Kinesis_20131202"
_SUBSCRIBE: Final = "SubscribeToShard"


class KinesisError(ApiError):
    """A refusal of the API."""


def invalid_argument(text: str) -> KinesisError:
    """An InvalidArgumentException."""
    return KinesisError("InvalidArgumentException", text)


def invalid(text: str) -> KinesisError:
    """A ValidationException."""
    return KinesisError("ValidationException", text)


def not_found(text: str) -> KinesisError:
    """A ResourceNotFoundException."""
    return KinesisError("ResourceNotFoundException", text)


def in_use(text: str) -> KinesisError:
    """A ResourceInUseException."""
    return KinesisError("ResourceInUseException", text)


def limit_exceeded(text: str) -> KinesisError:
    """A LimitExceededException."""
    return KinesisError("LimitExceededException", text)


def _text_of_unknown(name: str) -> str:
    return messages.no_subscriptions() if name == _SUBSCRIBE else messages.unknown_operation(name)


@cache
def _further() -> Sequence[ServiceProtocol]:
    from hashrange.wire.cbor_protocol import CborProtocol  # noqa: PLC0415 - with the first request

    return (CborProtocol(target=_TARGET),)


KINESIS: Final = Service(
    name="kinesis",
    version="2013-12-02",
    protocols=(JsonProtocol(target=_TARGET),),
    further=_further,
    operations=operations_of(
        "hashrange.api.aws_services.kinesis",
        *("consumers", "getting", "putting", "settings", "shards", "streams", "tags"),
    ),
    unknown=unknown_operation(_text_of_unknown),
    denied=access_denied,
    of_fault=short_named,
    internal=internal_failure("InternalFailureException", messages.internal()),
    data_operations=frozenset(
        ("GetRecords", "GetShardIterator", "PutRecord", "PutRecords", _SUBSCRIBE)
    ),
)
