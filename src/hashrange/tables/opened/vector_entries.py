"""The vectors of items, as vector indexes have them. Pure.

An entry has 32-bit numbers in place of the list of the item: an attribute of type B, whose bytes
are the numbers, little-endian. So its size is what the service counts: the name, and 4 bytes a
dimension. The bytes of an entry become the list of its item's form again when it is answered.
"""

from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from struct import Struct, pack, unpack
from struct import error as StructError  # noqa: N812 - the module's own name says nothing
from typing import Final

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.limits.requests import VECTOR_NUMBER_BYTES
from hashrange.messages import vectors as messages
from hashrange.model.sizes import CONTAINER_BYTES, item_bytes, text_bytes, value_bytes
from hashrange.model.table import Index, Table, Vector
from hashrange.model.values import AttributeValue, Item
from hashrange.tables.items.images import Image, image_from, size_of

_one: Final = Struct("<f")
_decode: Final = msgspec.json.Decoder(list[float]).decode
"""Reads many numbers in half the time of `float`, to the same values."""
_attributes: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_value: Final = msgspec.json.Decoder(AttributeValue).decode
_LIST_START, _BETWEEN, _LIST_END = b'{"L":[{"N":"', b'"},{"N":"', b'"}]}'
"""Around the numbers of a list, in the JSON of items."""
_NO_LIST: Final[AttributeValue] = {"L": []}
_EXACT_DIGITS: Final = 6
"""Decimal digits that each 32-bit number keeps apart; none needs more than nine."""


class PackedVector(msgspec.Struct, frozen=True):
    """The vector of an item.

    Attributes:
        data: its 32-bit numbers.
        saved: by how many bytes the list of the item is larger; negative if it is smaller.
    """

    data: bytes
    saved: int


def vectors_of(
    vectors: Sequence[Vector], item: Mapping[str, AttributeValue], size: int
) -> dict[str, PackedVector]:
    """The valid vectors of an item, by attribute.

    Args:
        vectors: of distinct attributes.
        item: canonical.
        size: its bytes.
    """
    found = {
        vector.attribute: data
        for vector in vectors
        if (data := packed_vector(vector, item)) is not None
    }
    if len(found) == 1:
        # Other attributes are nearly always smaller than the vector, which is not measured again.
        ((name, data),) = found.items()
        others = item_bytes({each: item[each] for each in item if each != name})
        return {name: PackedVector(data, size - others - text_bytes(name) - len(data))}
    return {
        name: PackedVector(data, value_bytes(item[name]) - len(data))
        for name, data in found.items()
    }


def vector_apart(vector: Vector, image: Image) -> tuple[Item, dict[str, PackedVector]]:
    """The attributes of an item, and its vector as of `vectors_of`.

    In a third of the time of both: a valid vector is read from JSON at once, and its list is empty.
    """
    attributes, name = _attributes(image.json), vector.attribute
    data = _numbers_of_json(bytes(attributes.get(name, b"")), vector.dimensions)
    if data is None:
        item = image.item()
        return item, vectors_of((vector,), item, image.size)
    item = {each: _NO_LIST if each == name else _value(value) for each, value in attributes.items()}
    saved = image.size - item_bytes(item) + CONTAINER_BYTES - len(data)
    return item, {name: PackedVector(data, saved)}


def _numbers_of_json(json: bytes, dimensions: int) -> bytes | None:
    """The 32-bit numbers of a list; None if it has to be read in full."""
    if not (json.startswith(_LIST_START) and json.endswith(_LIST_END)):
        return None
    texts = json[len(_LIST_START) : -len(_LIST_END)].replace(_BETWEEN, b",")
    try:
        return pack(f"<{dimensions}f", *_decode(b"[%b]" % texts))
    except (msgspec.DecodeError, OverflowError, StructError):
        return None


def distinct_vectors(indexes: Iterable[Index]) -> tuple[Vector, ...]:
    """The vectors of the indexes that writes maintain; one of each attribute."""
    kept = (each.vector for each in indexes if each.state != "DELETING")
    return tuple({each.attribute: each for each in kept if each is not None}.values())


def packed_vector(vector: Vector, item: Mapping[str, AttributeValue]) -> bytes | None:
    """The 32-bit numbers of the item's vector; None if it has no valid one."""
    value = item.get(vector.attribute)
    elements = None if value is None else value.get("L")
    if elements is None or len(elements) != vector.dimensions:
        return None
    return packed_numbers(elements)


def packed_numbers(elements: Iterable[AttributeValue]) -> bytes | None:
    """Numbers as 32-bit numbers; None if one is none, or beyond their range."""
    try:
        return packed_texts([each["N"] for each in elements])
    except KeyError:
        return None


def packed_texts(texts: Sequence[str]) -> bytes | None:
    """`packed_numbers` of texts."""
    try:
        try:
            numbers = _decode(f"[{','.join(texts)}]")
        except msgspec.DecodeError:  # valid numbers that JSON has not, as +1 or .5
            numbers = [float(text) for text in texts]
        return pack(f"<{len(texts)}f", *numbers)
    except (OverflowError, ValueError, StructError):
        return None


def as_binary(data: bytes) -> AttributeValue:
    """The attribute that an entry has for a vector."""
    return {"B": b2a_base64(data, newline=False).decode()}


def from_binary(value: AttributeValue) -> bytes:
    """The 32-bit numbers of the attribute of an entry."""
    return a2b_base64(value["B"])


def as_list(data: bytes) -> AttributeValue:
    """The list that a search answers: for each number the shortest decimal that names it."""
    numbers = unpack(f"<{len(data) // VECTOR_NUMBER_BYTES}f", data)
    return {"L": [{"N": _shortest(number)} for number in numbers]}


def _shortest(number: float) -> str:
    text, digits = "", _EXACT_DIGITS
    while not text or _one.unpack(_one.pack(float(text)))[0] != number:
        text = f"{number:.{digits}g}"
        digits += 1
    plain = f"{Decimal(text):f}" if "e" in text else text
    return plain if "." in plain else f"{plain}.0"


def check_vectors_of(table: Table, item: Mapping[str, AttributeValue]) -> None:
    """Refuse an item whose vectors do not fit the indexes. Raises ValidationException."""
    for index in table.vectors:
        if index.state != "DELETING":
            check_vector(index, item)


def check_vector(index: Index, item: Mapping[str, AttributeValue]) -> None:
    """Refuse an item whose vector does not fit an index. Raises ValidationException."""
    vector = index.vector
    assert vector is not None, "a vector index"
    value = item.get(vector.attribute)
    if value is not None and packed_vector(vector, item) is None:
        raise _fault(index, vector, value)


def _fault(index: Index, vector: Vector, value: AttributeValue) -> DynamoError:
    elements: list[AttributeValue] | None = value.get("L")
    if elements is None:
        return invalid(messages.not_a_list(vector.attribute, index.name), bare=True)
    if len(elements) != vector.dimensions:
        text = messages.wrong_size(vector.attribute, vector.dimensions, len(elements), index.name)
        return invalid(text, bare=True)
    for position, element in enumerate(elements):
        number = element.get("N")
        if number is None:
            kind = next(iter(element))
            text = messages.element_not_number(vector.attribute, position, kind, index.name)
            return invalid(text, bare=True)
        if packed_numbers([element]) is None:
            # As Java prints it.
            shown = str(Decimal(number).normalize())
            text = messages.element_outside(vector.attribute, position, shown, index.name)
            return invalid(text, bare=True)
    raise AssertionError("each number fits, and their count")


def charged_sizes(table: Table, stored: Iterable[bytes | None]) -> list[int]:
    """The bytes for which requests are charged for stored items; 0 for one that is missing."""
    if not table.vectors:
        return [0 if item is None else size_of(item) for item in stored]
    vectors = distinct_vectors(table.vectors)
    return [0 if item is None else _charged_bytes(vectors, image_from(item)) for item in stored]


def charged_bytes(table: Table, image: Image) -> int:
    """The bytes for which requests are charged for an item.

    A vector of an index is charged at 4 bytes a dimension, any other list by its numbers.
    Source: measured by users, October 2026.
    """
    if not table.vectors:
        return image.size
    return _charged_bytes(distinct_vectors(table.vectors), image)


def _charged_bytes(vectors: Sequence[Vector], image: Image) -> int:
    return image.size - saved_by(vectors_of(vectors, image.item(), image.size))


def saved_by(vectors: Mapping[str, PackedVector]) -> int:
    """The bytes that vectors of one item save."""
    return sum(each.saved for each in vectors.values())
