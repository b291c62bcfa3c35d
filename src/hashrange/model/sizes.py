"""The size of an item as DynamoDB counts it, which is not the length of its JSON.

An attribute counts its name and its value: text its UTF-8 bytes, binary its bytes, a number half a
byte a digit (see `number_bytes`), a boolean or null one byte, a list or map 3 bytes and one more
for each member besides the member itself, a set the sum of its members.

Source: Developer Guide, "DynamoDB item sizes and formats"; figures measured by users.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from hashrange.model.binary import binary_bytes
from hashrange.model.data_types import of_sets
from hashrange.model.numbers import number_bytes
from hashrange.model.values import AttributeValue

CONTAINER_BYTES: Final = 3
"""The bytes of a list or a map without its members."""
MEMBER_BYTES: Final = 1
"""The bytes of each member of a list or a map besides its name and value."""
FLAG_BYTES: Final = 1
"""The bytes of a boolean or null."""


def text_bytes(text: str) -> int:
    """The number of bytes of `text` in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def value_bytes(value: AttributeValue) -> int:
    """Bytes of a canonical value."""
    ((kind, content),) = value.items()
    return _BYTES[kind](content)


def attribute_bytes(name: str, value: AttributeValue) -> int:
    """Bytes of a name and its canonical value."""
    return text_bytes(name) + value_bytes(value)


def item_bytes(item: Mapping[str, AttributeValue]) -> int:
    """Bytes of a canonical item, which its size limit and its capacity units are based on."""
    total = 0
    for name, value in item.items():
        total += text_bytes(name) + value_bytes(value)
    return total


def _flag_bytes(_: object) -> int:
    return FLAG_BYTES


def _set_bytes(_: str, measure: Callable[[str], int]) -> Callable[[list[str]], int]:
    return lambda members: sum(map(measure, members))


def _list_bytes(elements: list[AttributeValue]) -> int:
    return CONTAINER_BYTES + MEMBER_BYTES * len(elements) + sum(map(value_bytes, elements))


def _map_bytes(members: dict[str, AttributeValue]) -> int:
    return CONTAINER_BYTES + MEMBER_BYTES * len(members) + item_bytes(members)


_SCALAR_BYTES: Final = {"S": text_bytes, "N": number_bytes, "B": binary_bytes}
_BYTES: Final[dict[str, Callable[[Any], int]]] = {
    **_SCALAR_BYTES,
    **of_sets(_SCALAR_BYTES, _set_bytes),
    "BOOL": _flag_bytes,
    "NULL": _flag_bytes,
    "L": _list_bytes,
    "M": _map_bytes,
}
