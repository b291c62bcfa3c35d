"""The walk that explains a body that does not fit, or makes it fit where DynamoDB is lenient.

It looks at the members in the order of the body and tells the first fault in DynamoDB's words. Null
is an absent member; a null within a list or a map becomes the empty element of its kind, which the
later checks refuse. It is slow, and entered only for bodies that the typed decoder has refused.
"""

import sys
from decimal import Decimal
from typing import Any, Final, TypeAlias, assert_never

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.requests import wire as messages
from hashrange.model.binary import decoded
from hashrange.wire.shapes import (
    INTEGER_MAX,
    LONG_MAX,
    VALUE,
    ListOf,
    MapOf,
    Scalar,
    Shape,
    Structure,
    java_type,
)

_PLAIN_KINDS: Final = {"S": str, "N": str, "BOOL": bool, "NULL": bool}
_EMPTY_KINDS: Final[dict[str, type]] = {
    **_PLAIN_KINDS,
    **dict.fromkeys(["SS", "NS", "BS", "L"], list),
    "M": dict,
}
_TEXT_SETS: Final = frozenset({"SS", "NS"})
_TRUE: Final = frozenset({"TRUE", "1", "YES"})
_FALSE: Final = frozenset({"FALSE", "0", "NO"})
_LONG_DIGITS: Final = len(str(LONG_MAX))


class Fraction(str):
    """A JSON number with a point or an exponent, as its text, for its size is not bounded."""

    __slots__ = ()


_Plain: TypeAlias = str | int | bool
"""A JSON scalar that is not null; `Fraction` is one too."""


def unreadable() -> DynamoError:
    """What is said of bodies that are no JSON, or none that could be a request."""
    return DynamoError(Fault.SERIALIZATION)


def read(data: Any, shape: Shape, *, is_member: bool = True) -> Any:
    """Untyped JSON, made fit for a shape.

    Args:
        data: not null; as decoded without types, but with `Fraction` for numbers that are one.
        shape: what it is to become.
        is_member: a member of a structure; an element of a list or map is told in other words.

    Raises:
        DynamoError: the first fault in the order of the body.
        RecursionError: the body is too deep.
    """
    match shape:
        case Scalar():
            return _scalar(data, shape)
        case ListOf(element=element, null_refusal=refusal):
            _check_collection(data, list, shape, is_member=is_member)
            return [
                each if _is_plain(each, element) else _element(each, element, refusal)
                for each in data
            ]
        case MapOf(value=value):
            _check_collection(data, dict, shape, is_member=is_member)
            return {
                key: each if _is_plain(each, value) else _element(each, value, None)
                for key, each in data.items()
            }
        case Structure(members=members):
            _check_collection(data, dict, shape, is_member=is_member)
            return {
                name: read(each, members[name])
                for name, each in data.items()
                if each is not None and name in members
            }
        case _:
            assert_never(shape)


def _is_plain(data: Any, shape: Shape) -> bool:
    """Whether an element can stay as it is; a short cut for what large bodies are made of.

    Raises:
        DynamoError: it is a binary, but no base64.
    """
    if shape is Scalar.STRING:
        return type(data) is str
    if shape is not VALUE or type(data) is not dict:
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


def _element(data: Any, shape: Shape, null_refusal: str | None) -> Any:
    if data is not None:
        return read(data, shape, is_member=False)
    if null_refusal is not None:
        raise invalid(null_refusal)
    match shape:
        case ListOf():
            return []
        case MapOf() | Structure():
            return {}
        case _:
            return ""


def _check_collection(data: object, wanted: type, shape: Shape, *, is_member: bool) -> None:
    if isinstance(data, wanted):
        return
    if isinstance(data, dict):
        raise _refusal(messages.unexpected_object())
    if isinstance(data, list):
        raise _refusal(messages.unrecognized_collection(java_type(shape)))
    if is_member:
        raise _refusal(messages.unexpected_field_type())
    if isinstance(shape, Structure):
        raise _refusal(messages.unexpected_value_type())
    raise _refusal(messages.parameterized_type_cast())


def _scalar(data: Any, shape: Scalar) -> str | bool | int | float:
    if isinstance(data, dict):
        raise _refusal(messages.unexpected_object())
    if isinstance(data, list):
        raise _refusal(messages.unrecognized_collection(java_type(shape)))
    match shape:
        case Scalar.STRING:
            return _string(data)
        case Scalar.BLOB:
            return _blob(data)
        case Scalar.BOOLEAN:
            return _boolean(data)
        case Scalar.INTEGER:
            return _whole(data, shape, INTEGER_MAX)
        case Scalar.LONG:
            return _whole(data, shape, LONG_MAX)
        case Scalar.DOUBLE | Scalar.DATE:
            return _double(data, shape)
        case _:
            assert_never(shape)


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


def _whole(data: _Plain, shape: Scalar, most: int) -> int:
    """The number without its fraction, brought into the range of its Java type."""
    match data:
        case Fraction():
            whole = _truncated(data)
        case str() if shape is Scalar.LONG and _is_digits(data):
            # Capacity units as dynamodb-admin sends them, and DynamoDB Local takes them.
            whole = int(data)
        case bool() | str():
            raise _conversion(data, shape)
        case _:
            whole = data
    return max(-most - 1, min(whole, most))


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _LONG_DIGITS


def _truncated(number: Fraction) -> int:
    """Towards zero, and no further from it than any type of number goes."""
    size = float(number)  # first, for Decimal takes no exponent of more than 18 digits
    if abs(size) < 1:
        return 0
    if abs(size) > LONG_MAX:
        return LONG_MAX if size > 0 else -LONG_MAX - 1
    return int(Decimal(number))


def _double(data: _Plain, shape: Scalar) -> float:
    if isinstance(data, bool) or _is_text(data):
        raise _conversion(data, shape)
    number = float(str(data))
    return max(-sys.float_info.max, min(number, sys.float_info.max))


def _is_text(data: _Plain) -> bool:
    return isinstance(data, str) and not isinstance(data, Fraction)


def _conversion(data: _Plain, shape: Scalar) -> DynamoError:
    return _refusal(messages.cannot_be_converted(_token(data), shape.simple_name))


def _token(data: _Plain) -> str:
    """What the service's parser calls the scalar."""
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
