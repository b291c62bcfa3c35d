from base64 import b64decode
from decimal import Decimal

from hypothesis import given

from hashrange.model.canonical import canonical_item, canonical_value
from hashrange.model.sizes import attribute_bytes, item_bytes, value_bytes
from hashrange.model.wording import Wording
from tests.rows import rows
from tests.unit.model.strategies import items, values


@rows(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "hello"}, 5),
        ({"S": "é€😀"}, 2 + 3 + 4),
        ({"N": "3.14159"}, 5),
        ({"N": "-42"}, 3),
        ({"B": ""}, 0),
        ({"B": "AA=="}, 1),
        ({"B": "AAA="}, 2),
        ({"B": "AAAA"}, 3),
        ({"BOOL": True}, 1),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"SS": ["a", "", "é"]}, 3),
        ({"NS": ["1", "100", "123"]}, 2 + 2 + 3),
        ({"BS": ["", "AA==", "AAAA"]}, 4),
        ({"L": []}, 3),
        ({"L": [{"S": "ab"}, {"NULL": True}]}, 3 + (1 + 2) + (1 + 1)),
        ({"M": {}}, 3),
        ({"M": {"ké": {"S": "ab"}}}, 3 + (1 + 3 + 2)),
        ({"L": [{"L": []}, {"M": {"a": {"L": []}}}]}, 3 + (1 + 3) + (1 + 3 + (1 + 1 + 3))),
    ],
)
def test_value_bytes(value, size):
    assert value_bytes(value) == size


def test_an_attribute_counts_its_name():
    assert attribute_bytes("pk", {"S": "abc"}) == 5
    assert attribute_bytes("é", {"N": "1"}) == 4


def test_an_item_is_the_sum_of_its_attributes_and_nothing_else():
    assert item_bytes({}) == 0
    assert item_bytes({"pk": {"S": "a"}, "é": {"L": []}}) == 3 + 5


def slow_number_bytes(text):
    number = Decimal(text)
    whole, _, fraction = format(number.copy_abs(), "f").partition(".")
    if not fraction:
        whole = whole.rstrip("0")
    whole = whole.lstrip("0")
    if not whole:
        fraction = fraction.lstrip("0")
    return 1 + -(-len(whole) // 2) + -(-len(fraction) // 2) + (1 if number < 0 else 0)


SLOW = {
    "S": lambda text: len(text.encode("utf-8")),
    "N": slow_number_bytes,
    "B": lambda text: len(b64decode(text)),
    "BOOL": lambda _: 1,
    "NULL": lambda _: 1,
    "SS": lambda members: sum(slow_bytes({"S": member}) for member in members),
    "NS": lambda members: sum(slow_bytes({"N": member}) for member in members),
    "BS": lambda members: sum(slow_bytes({"B": member}) for member in members),
    "L": lambda elements: 3 + sum(1 + slow_bytes(element) for element in elements),
    "M": lambda members: (
        3 + sum(1 + len(name.encode("utf-8")) + slow_bytes(members[name]) for name in members)
    ),
}


def slow_bytes(value):
    """The rules once more, word by word."""
    return sum(SLOW[kind](content) for kind, content in value.items())


@given(values)
def test_sizes_are_those_of_the_rules(value):
    canonical = canonical_value(value, Wording.CURRENT)
    assert value_bytes(canonical) == slow_bytes(canonical)


@given(items)
def test_the_walk_measures_what_sizes_measure(item):
    sized = canonical_item(item, Wording.CURRENT)
    assert sized.bytes == item_bytes(sized.item)
    assert sized.bytes == sum(
        len(name.encode()) + slow_bytes(value) for name, value in sized.item.items()
    )
