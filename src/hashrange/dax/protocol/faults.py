"""Faults of the API as errors of the protocol: codes, a text, and what clients show."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from hashrange.dax.protocol.answers import decoded
from hashrange.dax.protocol.items import Facts, encode_attributes
from hashrange.errors import DynamoError, Fault
from hashrange.messages.dax import authentication_required, method_unknown
from hashrange.wire.cbor.encoding import NULL, array, encode_integer, optional_text, text

Codes: TypeAlias = tuple[int, ...]

_SERVICE: Final = (4, 37, 38, 39)
_VALIDATION: Final = (*_SERVICE, 46)
_CODES: Final[Mapping[Fault, Codes]] = {
    Fault.THROUGHPUT_EXCEEDED: (*_SERVICE, 40),
    Fault.RESOURCE_NOT_FOUND: (*_SERVICE, 41),
    Fault.CONDITION_FAILED: (*_SERVICE, 43),
    Fault.RESOURCE_IN_USE: (*_SERVICE, 45),
    Fault.VALIDATION: _VALIDATION,
    Fault.SERIALIZATION: _VALIDATION,
    Fault.INTERNAL: (*_SERVICE, 47),
    Fault.COLLECTION_TOO_LARGE: (*_SERVICE, 48),
    Fault.LIMIT_EXCEEDED: (*_SERVICE, 49),
    Fault.THROTTLED: (*_SERVICE, 50),
    Fault.UNAVAILABLE: (*_SERVICE, 50),
    Fault.TRANSACTION_CONFLICT: (*_SERVICE, 57),
    Fault.TRANSACTION_CANCELLED: (*_SERVICE, 58),
    Fault.TRANSACTION_IN_PROGRESS: (*_SERVICE, 59),
    Fault.IDEMPOTENT_PARAMETER_MISMATCH: (*_SERVICE, 60),
    Fault.REQUEST_LIMIT_EXCEEDED: (*_SERVICE, 61),
    Fault.ACCESS_DENIED: (4, 37, 38, 42),
    Fault.MISSING_AUTHENTICATION_TOKEN: (4, 23, 31, 33),
    Fault.INCOMPLETE_SIGNATURE: (4, 23, 31, 32),
    Fault.INVALID_SIGNATURE: (4, 23, 31, 32),
    Fault.UNRECOGNIZED_CLIENT: (4, 23, 31, 32),
    Fault.EXPIRED_TOKEN: (4, 23, 31, 32),
}
_NOT_IMPLEMENTED: Final = (4, 37, 38, 44)
_BAD_REQUEST: Final = 400


def codes_of(fault: Fault) -> Codes:
    """The codes of a fault; of faults that calls on items do not have, those of invalid ones."""
    return _CODES.get(fault, _VALIDATION)


def encode_error(
    error: DynamoError, request_id: str, facts: Facts, tables: Sequence[str] = ()
) -> bytes:
    """The answer of a refused call.

    Args:
        error: why it is refused.
        request_id: shown by clients.
        facts: for items in the reasons of a cancelled transaction; may raise UnknownFactError.
        tables: those of the actions of a transaction.
    """
    name = error.fault.code
    info = [text(request_id), text(name), encode_integer(error.fault.status)]
    reasons = (error.members or {}).get("CancellationReasons")
    if isinstance(reasons, list):
        info.append(array(_reasons(reasons, facts, tables)))
    return _error(codes_of(error.fault), error.message or "", array(info))


def _reasons(reasons: Sequence[Any], facts: Facts, tables: Sequence[str]) -> list[bytes]:
    found = []
    for reason, table in zip(reasons, tables, strict=True):
        item, schema = decoded(reason.item), facts.schema(table)
        has_item = item is not None and schema is not None
        encoded = encode_attributes(item, schema, facts) if has_item and schema else NULL
        found += [text(reason.code), optional_text(reason.message), encoded]
    return found


def unauthorized() -> DynamoError:
    """A connection has no signature, or its signature is too old."""
    return DynamoError(Fault.MISSING_AUTHENTICATION_TOKEN, authentication_required())


def encode_unknown_method(number: int, request_id: str) -> bytes:
    """The answer to a method that is not in the table."""
    info = [text(request_id), text("NotImplementedException"), encode_integer(_BAD_REQUEST)]
    return _error(_NOT_IMPLEMENTED, method_unknown(number), array(info))


def _error(codes: Codes, message: str, info: bytes) -> bytes:
    return array(map(encode_integer, codes)) + text(message) + info
