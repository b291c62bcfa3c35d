"""Keys as sent against schemas."""

from hypothesis import given
from hypothesis import strategies as st

from hashrange.messages.items import values as messages
from hashrange.model.table import KeyAttribute
from hashrange.tables.keys.keyspace import item_key, items_range
from hashrange.tables.opened.access_paths import key_of, key_of_item
from hashrange.tables.opened.open_table import OpenTable
from tests.rows import rows
from tests.unit.refusals import refusal
from tests.unit.tables.definitions import definition
from tests.unit.tables.key_values import key_values, within

KINDS = ["S", "N", "B"]
OF_EACH_TYPE = {
    "S": {"S": "a"},
    "N": {"N": "1"},
    "B": {"B": "YQ=="},
    "BOOL": {"BOOL": True},
    "NULL": {"NULL": True},
    "SS": {"SS": ["a"]},
    "NS": {"NS": ["1"]},
    "BS": {"BS": ["YQ=="]},
    "L": {"L": []},
    "M": {"M": {}},
}


def table(partition="S", sort=None, number=3):
    """A table with keys `pk` and, if it has a type, `sk`."""
    attributes = [KeyAttribute("pk", partition)] + ([KeyAttribute("sk", sort)] if sort else [])
    return OpenTable(
        definition(
            number=number,
            attributes=tuple(attributes),
            partition=attributes[0],
            sort=attributes[1] if sort else None,
        ),
        {},
    )


@rows("partition", KINDS)
@rows("sort", [None, *KINDS])
def test_key_and_item_have_one_engine_key(partition, sort):
    opened = table(partition, sort)
    key = {"pk": OF_EACH_TYPE[partition]} | ({"sk": OF_EACH_TYPE[sort]} if sort else {})
    made = key_of(opened, key)
    assert made == item_key(3, key["pk"], key.get("sk"))
    assert made == key_of_item(opened, {"a": {"S": "x"}, **key})
    assert within(made, items_range(3))


# However long they are, and whatever they are made of.
@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20))
def test_keys_of_strings_are_those_of_any_type(partition, sort):
    key = {"pk": {"S": partition}, "sk": {"S": sort}}
    assert key_of(table("S", "S"), key) == item_key(3, key["pk"], key["sk"])
    assert key_of(table("S"), {"pk": key["pk"]}) == item_key(3, key["pk"], None)


# Different keys never meet, in one table or in two.
@given(st.lists(st.tuples(st.integers(1, 2), key_values, key_values), max_size=6))
def test_engine_keys_are_as_different_as_keys(keys):
    made = set()
    for number, partition, sort in keys:
        ((partition_type, _),), ((sort_type, _),) = partition.items(), sort.items()
        opened = table(partition_type, sort_type, number)
        item = {"pk": partition, "sk": sort}
        if all(content for value in item.values() for content in value.values()):
            made.add((number, str(item), key_of_item(opened, item)))
    assert len({key for _, _, key in made}) == len({row[:2] for row in made})


# Catalogue 54 to 56: the bounds, for keys and items alike.
@rows(
    ("pk", "sk", "text"),
    [
        ({"S": ""}, {"S": "a"}, messages.key_empty_string("pk")),
        ({"S": "a"}, {"S": ""}, messages.key_empty_string("sk")),
        ({"B": ""}, {"S": "a"}, messages.key_empty_binary("pk")),
        ({"S": "a"}, {"B": ""}, messages.key_empty_binary("sk")),
        ({"S": "é" * 1024}, {"S": "é" * 512}, None),
        ({"S": "é" * 1024 + "a"}, {"S": "a"}, messages.partition_key_too_large()),
        ({"S": "a"}, {"S": "é" * 512 + "a"}, messages.sort_key_too_large()),
        ({"S": ""}, {"S": ""}, messages.key_empty_string("pk")),
    ],
)
def test_lengths(pk, sk, text):
    opened = table(next(iter(pk)), next(iter(sk)))
    key = {"pk": pk, "sk": sk}
    if text is None:
        assert key_of(opened, key) == key_of_item(opened, key)
    else:
        assert refusal(key_of, opened, key) == text
        assert refusal(key_of_item, opened, key) == text
