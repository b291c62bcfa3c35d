"""Checks the types of a body as the service's newer parser does, which says where the fault is.

The parser of SearchVectors is not that of other operations: members that are required must be there
and must not be null, no scalar is converted, and texts have the line and the column where the
parser stood, counted in bytes: behind a scalar, before a list or an object.

Source: texts of the service, measured by users, August to October 2026. They are those of Rust's
serde_json, whose rules decide where none was measured. Which type an element of a list or of a map
has is not known: elements are read as by other operations.
"""

import json
import re
from math import isinf
from typing import Final, TypeVar

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages import vectors as messages
from hashrange.model.structures.members import INTEGER_MAX
from hashrange.wire.codec import Decoder, is_json
from hashrange.wire.member_types import ListOf, MapOf, MemberType, Scalar, structure_of
from hashrange.wire.reading import unreadable

R = TypeVar("R")

_UNSIGNED_MAX: Final = 2**64 - 1
_SIGNED_MIN: Final = -(2**63)


class _Number(str):
    """A JSON number as text, since its size is not bounded."""

    __slots__ = ()


_value_at: Final = json.JSONDecoder(parse_int=_Number, parse_float=_Number).raw_decode
_past_space: Final = re.compile(r"[ \t\n\r]*").match
_exponent: Final = re.compile(r"e(?:\+|(-)0?)")
_is_whole: Final = re.compile(r"-?\d{1,20}").fullmatch


class StrictDecoder(Decoder[R]):
    """A decoder for an operation of the newer parser.

    Args:
        request: as of `Decoder`.
        needed: the members that a body must have, in the order in which they are missed.
    """

    __slots__ = ("_needed",)

    def __init__(self, request: type[R], needed: tuple[str, ...]) -> None:
        super().__init__(request)
        self._needed = needed
        usual, attributes = self.decode_usual, structure_of(request).attributes
        fields = [attributes[name] for name in needed]

        def decode_usual(body: bytes) -> R:
            typed = usual(body)
            if any(getattr(typed, each) is None for each in fields):
                raise msgspec.ValidationError("a member is missing or null")
            return typed

        self.decode_usual = decode_usual

    def reread(self, body: bytes) -> R:
        """Decode a body in Python, with the parser's errors. Raises DynamoError."""
        if not is_json(body) or not body.lstrip().startswith(b"{"):
            raise unreadable()
        self._check(body.decode())
        try:
            return super().reread(body)
        except DynamoError as error:
            raise _typed(error.message) from error

    def _check(self, text: str) -> None:
        """Raise for the first member of a wrong type, or for the first that is missing."""
        members, found = structure_of(self._request).members, set[str]()
        at = _skip(text, _skip(text, 0) + 1)
        while text[at] != "}":
            name, at = _value_at(text, at)
            at = _skip(text, _skip(text, at) + 1)
            value, end = _value_at(text, at)
            kind = members.get(name)
            if kind is not None and (value is not None or name in self._needed):
                refusal = _refusal(value, kind)
                if refusal is not None:
                    stands = at if isinstance(value, list | dict) else end
                    raise _typed(refusal + _position(text, stands))
            found.add(name)
            at = _skip(text, end)
            if text[at] == ",":
                at = _skip(text, at + 1)
        for name in self._needed:
            if name not in found:
                raise invalid(messages.field_missing(name) + _position(text, at + 1))


def _skip(text: str, at: int) -> int:
    space = _past_space(text, at)
    assert space is not None, "of any length"
    return space.end()


def _position(text: str, at: int) -> str:
    """The place before a character, as the parser prints it."""
    line = text.rfind("\n", 0, at) + 1
    return messages.position(text.count("\n", 0, at) + 1, len(text[line:at].encode()))


def _typed(text: str | None) -> DynamoError:
    return DynamoError(Fault.SEARCH_SERIALIZATION, text)


def _refusal(value: object, kind: MemberType) -> str | None:
    """The fault of a value; None if it has the type of its member."""
    if isinstance(value, _Number) and isinf(float(value)):
        return messages.number_out_of_range()
    match kind:
        case Scalar.INTEGER | Scalar.LONG:
            if not isinstance(value, _Number) or (number := _whole(value)) is None:
                return messages.other_json(_shown(value), "i32")
            if -INTEGER_MAX - 1 <= number <= INTEGER_MAX:
                return None
            return messages.number_outside(_shown(value), "i32")
        case ListOf():
            is_right, expected = isinstance(value, list), "a sequence"
        case MapOf():
            is_right, expected = isinstance(value, dict), "a map"
        case _:
            is_right = isinstance(value, str) and not isinstance(value, _Number)
            expected = "a string"
    return None if is_right else messages.other_json(_shown(value), expected)


def _whole(number: _Number) -> int | None:
    """The number, if it has no fraction, no exponent and at most 64 bits."""
    if _is_whole(number) and _SIGNED_MIN <= (found := int(number)) <= _UNSIGNED_MAX:
        return found
    return None


def _shown(value: object) -> str:
    """A value as the parser prints it."""
    match value:
        case _Number():
            shown = _shown_number(value)
        case bool():
            shown = f"boolean `{str(value).lower()}`"
        case str():
            shown = f"string {json.dumps(value, ensure_ascii=False)}"
        case list():
            shown = "sequence"
        case _:
            shown = "null" if value is None else "map"
    return shown


def _shown_number(number: _Number) -> str:
    whole = _whole(number)
    if whole is not None:
        return f"integer `{whole}`"
    printed = _exponent.sub(r"e\1", repr(float(number)))
    return f"floating point `{printed}`"
