"""Converts JSON to the types of a request as DynamoDB does, or raises its error.

For bodies that the fast decoder has refused, because it is slow. Members are read in the order of
the body, and the first error is raised. Null is an absent member; a null within a list or a map
becomes an empty element of the list's type, which later checks refuse.
"""

import sys
from decimal import Decimal
from typing import Any, Final, TypeAlias, assert_never

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages import wire as messages
from hashrange.model.binary import decoded
from hashrange.model.data_types import DATA_TYPES, MEMBER_OF_SET
from hashrange.model.structures.members import INTEGER_MAX, LONG_MAX
from hashrange.wire.member_types import (
    VALUE,
    ListOf,
    MapOf,
    MemberType,
    Scalar,
    Structure,
    java_type,
)

_EMPTY_KINDS: Final = {code: kind.content for code, kind in DATA_TYPES.items() if code != "B"}
_PLAIN_KINDS: Final = {
    code: content for code, content in _EMPTY_KINDS.items() if content in {str, bool}
}
_TEXT_SETS: Final = frozenset(code for code, member in MEMBER_OF_SET.items() if member != "B")
_TRUE: Final = frozenset({"TRUE", "1", "YES"})
_FALSE: Final = frozenset({"FALSE", "0", "NO"})
_LONG_DIGITS: Final = len(str(LONG_MAX))


class Fraction(str):
    """A JSON number with a point or an exponent, as text, since its size is not bounded."""

    __slots__ = ()


_Plain: TypeAlias = str | int | bool
"""A JSON scalar that is not null; `Fraction` is one too."""


def unreadable() -> DynamoError:
    """The error for bodies that are not JSON objects, or too deep: it has no text."""
    return DynamoError(Fault.SERIALIZATION)


def read(data: Any, member_type: MemberType, *, is_member: bool = True) -> Any:
    """Convert untyped JSON to a type.

    Args:
        data: decoded without types, with `Fraction` for numbers with a fraction; not null.
        member_type: the type.
        is_member: `data` is a member of a structure; errors of elements have other texts.

    Raises:
        DynamoError: the first fault in the order of the body.
        RecursionError: the body is too deep.
    """
    match member_type:
        case Scalar():
            return _scalar(data, member_type)
        case ListOf(element=element, null_refusal=refusal):
            _check_collection(data, list, member_type, is_member=is_member)
            return [
                each if _is_plain(each, element) else _element(each, element, refusal)
                for each in data
            ]
        case MapOf(value=value):
            _check_collection(data, dict, member_type, is_member=is_member)
            return {
                key: each if _is_plain(each, value) else _element(each, value, None)
                for key, each in data.items()
            }
        case Structure(members=members):
            _check_collection(data, dict, member_type, is_member=is_member)
            return {
                name: read(each, members[name])
                for name, each in data.items()
                if each is not None and name in members
            }
        case _:
            assert_never(member_type)


def _is_plain(data: Any, member_type: MemberType) -> bool:
    """Whether an element needs no conversion; a short cut for most of the values of large bodies.

    Raises:
        DynamoError: malformed base64 in a binary value.
    """
    if member_type is Scalar.STRING:
        return type(data) is str
    if member_type is not VALUE or type(data) is not dict:
        return False
    if len(data) != 1:
        return not data
    ((kind, content),) = data.items()
    if content and type(content) is list:
        return kind in _TEXT_SETS and all(type(text) is str for text in content)
    if kind == "B" and type(content) is str:
        decoded(content)
        return True
    return type(content) is (_PLAIN_KINDS if content else _EMPTY_KINDS).get(kind)


def _element(data: Any, member_type: MemberType, null_refusal: str | None) -> Any:
    if data is not None:
        return read(data, member_type, is_member=False)
    if null_refusal is not None:
        raise invalid(null_refusal)
    match member_type:
        case ListOf():
            return []
        case MapOf() | Structure():
            return {}
        case _:
            return ""


def _check_collection(
    data: object, expected: type, member_type: MemberType, *, is_member: bool
) -> None:
    if isinstance(data, expected):
        return
    if isinstance(data, dict):
        raise _refusal(messages.unexpected_object())
    if isinstance(data, list):
        raise _refusal(messages.unrecognized_collection(java_type(member_type)))
    if is_member:
        raise _refusal(messages.unexpected_field_type())
    if isinstance(member_type, Structure):
        raise _refusal(messages.unexpected_value_type())
    raise _refusal(messages.parameterized_type_cast())


def _scalar(data: Any, member_type: Scalar) -> str | bool | int | float:
    if isinstance(data, dict):
        raise _refusal(messages.unexpected_object())
    if isinstance(data, list):
        raise _refusal(messages.unrecognized_collection(java_type(member_type)))
    match member_type:
        case Scalar.STRING:
            return _string(data)
        case Scalar.BLOB:
            return _blob(data)
        case Scalar.BOOLEAN:
            return _boolean(data)
        case Scalar.INTEGER:
            return _whole(data, member_type, INTEGER_MAX)
        case Scalar.LONG:
            return _whole(data, member_type, LONG_MAX)
        case Scalar.DOUBLE | Scalar.DATE:
            return _double(data, member_type)
        case _:
            assert_never(member_type)


def _string(data: _Plain) -> str:
    if not _is_text(data):
        raise _conversion(data, Scalar.STRING)
    return str(data)


def _blob(data: _Plain) -> str:
    if not _is_text(data):
        raise _refusal(messages.blob_is_no_text())
    decoded(str(data))
    return str(data)


def _boolean(data: _Plain) -> bool:
    if isinstance(data, bool):
        return data
    if not _is_text(data):
        raise _conversion(data, Scalar.BOOLEAN)
    word = str(data).upper()
    if word not in _TRUE and word not in _FALSE:
        raise _refusal(messages.unexpected_token())
    return word in _TRUE


def _whole(data: _Plain, member_type: Scalar, most: int) -> int:
    """The number without its fraction, clamped to the range of its Java type."""
    match data:
        case Fraction():
            whole = _truncated(data)
        case str() if member_type is Scalar.LONG and _is_digits(data):
            # dynamodb-admin sends capacity units as text, which DynamoDB Local accepts.
            whole = int(data)
        case bool() | str():
            raise _conversion(data, member_type)
        case _:
            whole = data
    return max(-most - 1, min(whole, most))


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _LONG_DIGITS


def _truncated(number: Fraction) -> int:
    """The number rounded towards zero, clamped to the range of a long."""
    size = float(number)  # first, since Decimal refuses exponents of more than 18 digits
    if abs(size) < 1:
        return 0
    if abs(size) > LONG_MAX:
        return LONG_MAX if size > 0 else -LONG_MAX - 1
    return int(Decimal(number))


def _double(data: _Plain, member_type: Scalar) -> float:
    if isinstance(data, bool) or _is_text(data):
        raise _conversion(data, member_type)
    number = float(str(data))
    return max(-sys.float_info.max, min(number, sys.float_info.max))


def _is_text(data: _Plain) -> bool:
    return isinstance(data, str) and not isinstance(data, Fraction)


def _conversion(data: _Plain, member_type: Scalar) -> DynamoError:
    return _refusal(messages.cannot_be_converted(_token(data), member_type.simple_name))


def _token(data: _Plain) -> str:
    """The name of the scalar's JSON token in the service's parser."""
    match data:
        case bool():
            return "TRUE_VALUE" if data else "FALSE_VALUE"
        case Fraction():
            return "DECIMAL_VALUE"
        case int():
            return "NUMBER_VALUE"
        case str():
            return "STRING_VALUE"
        case _:
            assert_never(data)


def _refusal(text: str) -> DynamoError:
    return DynamoError(Fault.SERIALIZATION, text)
