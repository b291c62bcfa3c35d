"""Key values to draw, and how Python compares them."""

from base64 import b64decode
from decimal import Decimal

from hypothesis import strategies as st

from hashrange.model.canonical import canonical_value
from hashrange.model.wording import Wording
from tests.unit.model.strategies import base64, data, numbers, texts

number_values = numbers().map(lambda text: canonical_value({"N": text}, Wording.CURRENT))
string_values = texts.map(lambda text: {"S": text})
binary_values = data.map(lambda raw: {"B": base64(raw)})
key_values = st.one_of(string_values, number_values, binary_values)
suffixes = st.lists(st.sampled_from([0, 1, 9, 0xFE, 0xFF]), max_size=3).map(bytes)


def comparable(value):
    """A key value as Python compares it."""
    match value:
        case {"S": text}:
            return text.encode()
        case {"N": text}:
            return Decimal(text)
        case {"B": text}:
            return b64decode(text)


def within(key, bounds):
    start, end = bounds
    return start <= key < end
