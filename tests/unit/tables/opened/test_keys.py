"""Keys as sent against schemas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError
from hashrange.messages.items import values as messages
from hashrange.model.table import KeyAttribute
from hashrange.tables.keys.keyspace import item_key, items_range
from hashrange.tables.opened.access_paths import (
    check_partition_key,
    check_sort_key,
    key_of,
    key_of_item,
)
from hashrange.tables.opened.open_table import OpenTable
from tests.rows import rows
from tests.unit.model.strategies import base64
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


# Catalogue 50.
@rows(
    ("sort", "key"),
    [
        (None, {}),
        (None, {"sk": {"S": "a"}}),
        (None, {"pk": {"S": "a"}, "sk": {"S": "a"}}),
        ("S", {"pk": {"S": "a"}}),
        ("S", {"sk": {"S": "a"}}),
        ("S", {"pk": {"S": "a"}, "x": {"S": "a"}}),
        ("S", {"pk": {"S": "a"}, "sk": {"S": "a"}, "x": {"S": "a"}}),
        ("N", {"pk": {"S": "a"}, "sk": {"S": "1"}}),
        # Before what is wrong with the values.
        ("S", {"pk": {"S": ""}}),
        ("S", {"pk": {"S": "x" * 2049}, "sk": {"N": "1"}}),
    ],
)
def test_key_is_not_the_tables(sort, key):
    assert refusal(key_of, table(sort=sort), key) == messages.key_schema_mismatch()


@rows("kind", KINDS)
@rows("sent", OF_EACH_TYPE)
def test_types(kind, sent):
    value = OF_EACH_TYPE[sent]
    if sent == kind:
        key_of(table(kind), {"pk": value})
        return
    assert refusal(key_of, table(kind), {"pk": value}) == messages.key_schema_mismatch()
    told = refusal(key_of_item, table(kind), {"pk": value})
    assert told == messages.key_type_mismatch("pk", kind, sent)
    told = refusal(key_of_item, table(kind, kind), {"pk": OF_EACH_TYPE[kind], "sk": value})
    assert told == messages.key_type_mismatch("sk", kind, sent)


# Catalogue 51; the partition key first.
@pytest.mark.parametrize(
    ("item", "missing"), [({}, "pk"), ({"sk": {"S": "a"}}, "pk"), ({"pk": {"S": ""}}, "sk")]
)
def test_key_attribute_is_missing(item, missing):
    assert refusal(key_of_item, table(sort="S"), item) == messages.key_missing(missing)


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


INVALID = "One or more parameter values were invalid: "
EMPTY = (
    "One or more parameter values are not valid. "
    "The AttributeValue for a key attribute cannot contain an empty {} value. Key: k"
)
PARTITION_TOO_LARGE = INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"
SORT_TOO_LARGE = (
    INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
)


@pytest.mark.parametrize(
    ("check", "limit", "message"),
    [(check_partition_key, 2048, PARTITION_TOO_LARGE), (check_sort_key, 1024, SORT_TOO_LARGE)],
)
def test_key_sizes(check, limit, message):
    for fits in (
        {"S": "x"},
        {"S": "é" * (limit // 2)},
        {"B": base64(bytes(limit))},
        {"N": "0." + "0" * 129 + "1" * 38},
    ):
        check("k", fits)
    for refused, text in (
        ({"S": ""}, EMPTY.format("string")),
        ({"B": ""}, EMPTY.format("binary")),
        ({"S": "x" * (limit + 1)}, message),
        ({"S": "é" * (limit // 2) + "x"}, message),
        ({"B": base64(bytes(limit + 1))}, message),
    ):
        with pytest.raises(DynamoError) as caught:
            check("k", refused)
        assert (caught.value.message, caught.value.bare) == (text, True)
