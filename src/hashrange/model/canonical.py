"""Checks values as sent, makes them canonical and measures them, in one walk.

Canonical values have normalised numbers and sorted sets (strings by UTF-8 bytes, numbers by value,
binary by bytes), so that equality is `==`. Values that are already canonical are not copied, and
arguments are never changed.

Base64 is checked here and not by the decoder, because its length is needed here. DynamoDB reports
bad base64 while decoding, so it goes before every other fault of the same value or item.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias, cast

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.limits.requests import ATTRIBUTE_NAME_BYTES_MAX, ECHO_CHARS_MAX, NESTING_LEVELS_MAX
from hashrange.messages.items import values as messages
from hashrange.model.binary import check_binaries, decoded
from hashrange.model.numbers import (
    SMALL_NUMBERS,
    bytes_if_canonical,
    canonical_number,
    canonical_numbers,
    number_bytes,
    sort_key,
)
from hashrange.model.sizes import CONTAINER_BYTES, FLAG_BYTES, MEMBER_BYTES, text_bytes
from hashrange.model.values import AttributeValue, Item, is_too_deep
from hashrange.model.wording import Wording

_SHORT_NAME_CHARS: Final = 255
"""A name of so few characters is within the limit of bytes, whatever the characters are."""

_MANY_NUMBERS: Final = 16
"""A list of so many numbers, such as a vector, is checked in a third of the time as a whole."""

_BACKSLASH: Final = 0x5C
_AROUND_STRING: Final = len('"":{"S":""},')
"""The bytes of an attribute's JSON besides its name and the text of its string or number."""

_encode: Final = msgspec.json.Encoder().encode

_Measured: TypeAlias = tuple[Any, int]
"""A canonical value, or the content of one, and its size in bytes as DynamoDB counts them."""


class Sized(msgspec.Struct, frozen=True):
    """A canonical item and its size in bytes as DynamoDB counts them."""

    item: Item
    bytes: int


class Encoded(msgspec.Struct, frozen=True):
    """A canonical item, its size in bytes as DynamoDB counts them, and its JSON."""

    item: Item
    size: int
    json: bytes


def canonical_value(value: AttributeValue, wording: Wording) -> AttributeValue:
    """The canonical form of one value as sent, such as that of a key or an expression.

    Raises:
        DynamoError: the first fault, in the words of `wording`.
    """
    if "S" in value and len(value) == 1:
        return value
    try:
        return cast("AttributeValue", _value(value, 1, wording)[0])
    except DynamoError:
        check_binaries(value)
        raise


def canonical_item(item: Mapping[str, AttributeValue], wording: Wording) -> Sized:
    """The canonical form of an item as sent, with its size.

    Raises:
        DynamoError: the first fault in the order as sent, in the words of `wording`.
    """
    return _sized(item, 1, wording)


def canonical_constants(values: Mapping[str, AttributeValue], wording: Wording) -> Sized:
    """The canonical form of the values of expressions as sent, by placeholder, with their size.

    The older layer allows one more level than in an item. Source: values of 32 and of 40 levels,
    measured against the service by users; the exact limit between them is not known.

    Raises:
        DynamoError: as `canonical_item`.
    """
    return _sized(values, 0 if wording is Wording.OLDER else 1, wording)


def _sized(item: Mapping[str, AttributeValue], level: int, wording: Wording) -> Sized:
    try:
        canonical, total = _members(item, level, wording)
    except DynamoError as error:
        check_binaries({"M": item})
        # The older layer counts levels before it checks names within values.
        if (
            wording is Wording.OLDER
            and error.message == messages.attribute_name_empty()
            and "" not in item
            and any(is_too_deep(value, level) for value in item.values())
        ):
            raise invalid(messages.nesting_too_deep()) from error
        raise
    return Sized(canonical, total)


def encoded_item(item: Item, wording: Wording) -> Encoded:
    """The canonical form of an item as sent, to be stored.

    Most items are measured by the length of their JSON: without escapes, names and strings have as
    many bytes there as DynamoDB counts.

    Raises:
        DynamoError: as `canonical_item`.
    """
    try:
        json = _encode(item)
    except RecursionError:  # nested too deeply; `canonical_item` refuses it
        json = b""
    size = _measured(item, json)
    if size is not None:
        return Encoded(item, size, json)
    sized = canonical_item(item, wording)
    return Encoded(sized.item, sized.bytes, json if sized.item is item else _encode(sized.item))


def _measured(item: Mapping[str, AttributeValue], json: bytes) -> int | None:
    """The size of an item of strings and canonical numbers whose JSON has no escapes.

    None for all other items.
    """
    if _BACKSLASH in json or "" in item or not item:
        return None
    size = len(json) - 1 - _AROUND_STRING * len(item)
    for value in item.values():
        if len(value) != 1:
            return None
        if "S" in value:
            continue
        number = value.get("N")
        if number is None:
            return None
        digits = SMALL_NUMBERS.get(number) or bytes_if_canonical(number)
        if digits is None:
            return None
        size += digits - len(number)
    return size if size <= ATTRIBUTE_NAME_BYTES_MAX else None  # no name can be too large


def plain_chars(values: Iterable[AttributeValue]) -> int | None:
    """The characters of strings and canonical numbers; None if there is any other value.

    Args:
        values: each with exactly one member.
    """
    chars = 0
    for value in values:
        text = value.get("N")
        if text is None:
            text = value.get("S")
            if text is None:
                return None
        elif text not in SMALL_NUMBERS and bytes_if_canonical(text) is None:
            return None
        chars += len(text)
    return chars


def canonical_key(key: Mapping[str, AttributeValue], wording: Wording) -> Item:
    """The canonical form of a key as sent; keys of strings are canonical already.

    Raises:
        DynamoError: as `canonical_item`.
    """
    for name, value in key.items():
        if "S" not in value or len(value) != 1 or not 0 < len(name) <= _SHORT_NAME_CHARS:
            return canonical_item(key, wording).item
    return cast("Item", key)


def _value(value: Mapping[str, Any], level: int, wording: Wording) -> _Measured:
    if len(value) != 1:
        raise _not_one_member(value, level, wording)
    ((kind, content),) = value.items()
    if kind == "S":
        return value, len(content) if content.isascii() else len(content.encode())
    if kind == "N":
        digits = bytes_if_canonical(content)
        if digits is not None:
            return value, digits
        number = canonical_number(content, wording)
        return {"N": number}, number_bytes(number)
    canonical, size = _WALKS[kind](content, level, wording)
    return (value if canonical is content else {kind: canonical}), size


def _not_one_member(value: Mapping[str, Any], level: int, wording: Wording) -> DynamoError:
    """The error for a value without a type or with several; faults of their contents go first."""
    if not value:
        return invalid(messages.value_empty())
    for kind, content in value.items():
        _value({kind: content}, level, wording)
    return invalid(messages.value_of_many_types(), bare=True)


def _binary(content: str, _level: int, _wording: Wording) -> _Measured:
    return content, len(decoded(content))


def _boolean(content: object, _level: int, _wording: Wording) -> _Measured:
    return content, FLAG_BYTES


def _null(content: object, _level: int, _wording: Wording) -> _Measured:
    if not content:
        raise invalid(messages.null_not_true())
    return content, FLAG_BYTES


def _list(content: list[AttributeValue], level: int, wording: Wording) -> _Measured:
    if content and level >= NESTING_LEVELS_MAX:
        raise invalid(messages.nesting_too_deep())
    total = CONTAINER_BYTES + MEMBER_BYTES * len(content)
    if len(content) >= _MANY_NUMBERS:
        texts = [each["N"] for each in content if "N" in each and len(each) == 1]
        if len(texts) == len(content):
            numbers, size = canonical_numbers(texts, wording)
            elements = content if numbers == texts else [{"N": each} for each in numbers]
            return elements, total + size
    elements = content
    for position, element in enumerate(content):
        canonical, size = _value(element, level + 1, wording)
        total += size
        if canonical is not element:
            if elements is content:
                elements = content.copy()
            elements[position] = canonical
    return elements, total


def _map(content: dict[str, AttributeValue], level: int, wording: Wording) -> _Measured:
    if content and level >= NESTING_LEVELS_MAX:
        raise invalid(messages.nesting_too_deep())
    members, total = _members(content, level + 1, wording)
    return members, total + CONTAINER_BYTES + MEMBER_BYTES * len(content)


def _members(content: Mapping[str, AttributeValue], level: int, wording: Wording) -> _Measured:
    """Names and values of an item or a map; `level` is that of the values."""
    if "" in content:
        raise invalid(messages.attribute_name_empty())
    total = 0
    changed: dict[str, AttributeValue] | None = None
    for name, value in content.items():
        total += len(name) if name.isascii() else len(name.encode())
        if len(value) == 1:  # most values are strings or small numbers; `_value` takes the rest
            text = value.get("S")
            if text is not None:
                total += len(text) if text.isascii() else len(text.encode())
                continue
            size = SMALL_NUMBERS.get(value.get("N"))
            if size is not None:
                total += size
                continue
        canonical, size = _value(value, level, wording)
        total += size
        if canonical is not value:
            if changed is None:
                changed = {}
            changed[name] = canonical
    if total > ATTRIBUTE_NAME_BYTES_MAX:  # otherwise no name can be too large
        _check_names(content)
    return (content if changed is None else {**content, **changed}), total


def _check_names(content: Mapping[str, AttributeValue]) -> None:
    for name in content:
        if text_bytes(name) > ATTRIBUTE_NAME_BYTES_MAX:
            raise invalid(messages.attribute_name_too_large())


def _string_set(content: list[str], _level: int, wording: Wording) -> _Measured:
    ordered = sorted(content)  # by code points, which is the order of UTF-8 bytes
    if len(set(content)) != len(content):
        if wording is Wording.OLDER:
            raise invalid(messages.string_set_repeats_older(_echoed(content)))
        raise invalid(messages.string_set_repeats(_echoed(_until_repeat(content, str))))
    if not content:
        raise invalid(messages.string_set_empty())
    return (content if ordered == content else ordered), sum(map(text_bytes, content))


def _number_set(content: list[str], _level: int, wording: Wording) -> _Measured:
    numbers = [canonical_number(text, wording) for text in content]
    if len(set(numbers)) != len(numbers):
        if wording is Wording.OLDER:
            raise invalid(messages.number_set_repeats_older())
        raise invalid(messages.number_set_repeats())
    if not content:
        raise invalid(messages.number_set_empty())
    numbers.sort(key=sort_key)
    return (content if numbers == content else numbers), sum(map(number_bytes, numbers))


def _binary_set(content: list[str], _level: int, wording: Wording) -> _Measured:
    members = {decoded(text): text for text in content}
    if len(members) != len(content):
        if wording is Wording.OLDER:
            raise invalid(messages.binary_set_repeats_older(_echoed(content)))
        raise invalid(messages.binary_set_repeats(_echoed(_until_repeat(content, decoded))))
    if not content:
        raise invalid(messages.binary_set_empty())
    ordered = [members[data] for data in sorted(members)]
    return (content if ordered == content else ordered), sum(map(len, members))


def _until_repeat(content: list[str], key: Callable[[str], Any]) -> list[str]:
    """The members as the current wording lists them: sorted to the first repeat, then as sent."""
    seen: set[str] = set()
    position = 0
    while content[position] not in seen:
        seen.add(content[position])
        position += 1
    return sorted(seen, key=key) + content[position:]


def _echoed(members: list[str]) -> list[str]:
    """The first members, up to the number of characters that an error text repeats."""
    echoed: list[str] = []
    left = ECHO_CHARS_MAX
    for member in members:
        if left <= 0:
            break
        echoed.append(member[:left])
        left -= len(member) + 2  # the separator
    return echoed


_WALKS: Final[dict[str, Callable[[Any, int, Wording], _Measured]]] = {
    "B": _binary,
    "BOOL": _boolean,
    "NULL": _null,
    "SS": _string_set,
    "NS": _number_set,
    "BS": _binary_set,
    "L": _list,
    "M": _map,
}
