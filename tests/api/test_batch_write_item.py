"""BatchWriteItem. Source of all, where nothing else is said: A.3."""

import pytest

from tests.api.items import INVALID, NO_TABLE, SCHEMA, answer, padding, stored
from tests.api.refusals import VALIDATION, refusal
from tests.api.walks import within

DONE = {"UnprocessedItems": {}}


def put(item):
    return {"PutRequest": {"Item": item}}


def delete(key):
    return {"DeleteRequest": {"Key": key}}


@pytest.fixture
def keys(pk):
    """Four keys of the table `simple`."""
    return [{"pk": {"S": f"{pk}-{number}"}} for number in range(4)]


# Puts and deletes of several tables; what was there before makes no difference.
def test_puts_and_deletes(dynamodb, simple, composite, pk, keys):
    for key in keys[:2]:
        dynamodb.put_item(TableName=simple, Item={**key, "old": {"BOOL": True}})
    row = {"pk": {"S": pk}, "sk": {"S": "a"}, "n": {"NS": ["1", "2"]}}
    told = answer(
        dynamodb.batch_write_item,
        RequestItems={
            simple: [
                put({**keys[0], "new": {"N": "1"}}),
                delete(keys[1]),
                put(keys[2]),
                delete(keys[3]),
            ],
            composite: [put(row)],
        },
    )
    assert told == DONE
    assert [stored(dynamodb, simple, key) for key in keys] == [
        {**keys[0], "new": {"N": "1"}},
        None,
        keys[2],
        None,
    ]
    assert dynamodb.query(TableName=composite, **within(pk))["Items"] == [row]


# What is stored is canonical, as after a put. Source: D.2.
def test_items_are_stored_canonical(dynamodb, simple, keys):
    item = {**keys[0], "n": {"N": "01.50"}, "s": {"SS": ["b", "a"]}, "m": {"M": {"n": {"N": "+1"}}}}
    dynamodb.batch_write_item(RequestItems={simple: [put(item)]})
    told = stored(dynamodb, simple, keys[0])
    told["s"]["SS"].sort()
    assert told == {
        **keys[0],
        "n": {"N": "1.5"},
        "s": {"SS": ["a", "b"]},
        "m": {"M": {"n": {"N": "1"}}},
    }


# The most that a request takes, in one table and in two.
def test_twenty_five_writes(dynamodb, simple, composite, pk):
    made = [{"pk": {"S": f"{pk}{number:02}"}, "sk": {"S": "a"}} for number in range(25)]
    assert answer(dynamodb.batch_write_item, RequestItems={simple: list(map(put, made))}) == DONE
    requests = {simple: [delete({"pk": key["pk"]}) for key in made[:10]]}
    requests[composite] = [put(key) for key in made[:15]]
    assert answer(dynamodb.batch_write_item, RequestItems=requests) == DONE
    left = [stored(dynamodb, simple, {"pk": key["pk"]}) for key in made]
    assert left == [None] * 10 + made[10:]


# The counters of a table move with its items, whichever way they are written.
def test_table_counts_its_items(dynamodb, new_table):
    table = new_table()
    made = [put({"pk": {"S": letter}}) for letter in "abcd"]
    dynamodb.batch_write_item(RequestItems={table: made})
    dynamodb.batch_write_item(
        RequestItems={
            table: [
                delete({"pk": {"S": "a"}}),
                delete({"pk": {"S": "z"}}),
                put({"pk": {"S": "b"}, "n": {"N": "1"}}),
            ]
        }
    )
    told = dynamodb.describe_table(TableName=table)["Table"]
    assert (told["ItemCount"], told["TableSizeBytes"]) == (3, 3 + 3 + 3 + 3)


# Catalogue 26: one item cannot be written twice, whatever is done with it.
@pytest.mark.parametrize(
    "writes",
    [
        lambda key: [put(key), put({**key, "n": {"N": "1"}})],
        lambda key: [put(key), delete(key)],
        lambda key: [delete(key), delete(key)],
    ],
)
def test_one_item_twice(dynamodb, simple, keys, writes):
    told = refusal(dynamodb.batch_write_item, RequestItems={simple: writes(keys[0])})
    assert told == (VALIDATION, "Provided list of item keys contains duplicates")


# The service goes from item to item, so the first fault is told. Source: three public
# implementations agree.
@pytest.mark.parametrize(
    ("order", "text"),
    [("aab", "Provided list of item keys contains duplicates"), ("aba", SCHEMA), ("baa", SCHEMA)],
)
def test_duplicates_and_wrong_keys(dynamodb, simple, keys, order, text):
    found = {"a": put(keys[0]), "b": delete({"pk": {"N": "1"}})}
    told = refusal(
        dynamodb.batch_write_item, RequestItems={simple: [found[each] for each in order]}
    )
    assert told == (VALIDATION, text)


# Catalogue 26: numbers are compared by value here.
def test_one_number_written_in_two_ways(dynamodb, new_table):
    table = new_table(pk="N")
    writes = [put({"pk": {"N": number}}) for number in ("1", "1.0")]
    told = refusal(dynamodb.batch_write_item, RequestItems={table: writes})
    assert told == (VALIDATION, "Provided list of item keys contains duplicates")


# A table has two names, an item of it is one all the same.
def test_one_item_by_two_names_of_its_table(dynamodb, simple, keys):
    arn = dynamodb.describe_table(TableName=simple)["Table"]["TableArn"]
    requests = {simple: [put(keys[0])], arn: [delete(keys[0])]}
    told = refusal(dynamodb.batch_write_item, RequestItems=requests)
    assert told == (VALIDATION, "Provided list of item keys contains duplicates")


# The same key in two tables is of two items.
def test_one_key_in_two_tables(dynamodb, simple, new_table, keys):
    other = new_table()
    told = answer(
        dynamodb.batch_write_item, RequestItems={simple: [put(keys[0])], other: [put(keys[0])]}
    )
    assert told == DONE
    assert stored(dynamodb, other, keys[0]) == keys[0]


# A refused batch changes nothing: it is refused before the first write. Source: A.4.
@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (put({"pk": {"N": "1"}}), SCHEMA),
        (put({"a": {"S": "x"}}), SCHEMA),
        (delete({"pk": {"S": "x"}, "a": {"S": "x"}}), SCHEMA),
        (put({"pk": {"S": "x"}, "s": {"SS": []}}), INVALID + "An string set  may not be empty"),
        (
            put({"pk": {"S": "x"}, "a": padding(400 * 1024)}),
            "Item size has exceeded the maximum allowed size",
        ),
    ],
)
def test_refused_batch_changes_nothing(dynamodb, simple, keys, bad, text):
    requests = {simple: [put(keys[0]), bad]}
    assert refusal(dynamodb.batch_write_item, RequestItems=requests) == (VALIDATION, text)
    assert stored(dynamodb, simple, keys[0]) is None


# Catalogue 154: a table that there is not is known before anything is written.
def test_table_does_not_exist(dynamodb, simple, keys):
    requests = {simple: [put(keys[0])], "never-made": [put(keys[1])]}
    assert refusal(dynamodb.batch_write_item, RequestItems=requests) == NO_TABLE
    assert stored(dynamodb, simple, keys[0]) is None


# 409,600 bytes, names included, and not one more. Source: D.3, catalogue 44.
@pytest.mark.parametrize(("more", "fits"), [(0, True), (1, False)])
def test_largest_item(dynamodb, simple, pk, more, fits):
    key = {"pk": {"S": pk}}
    item = {**key, "a": padding(400 * 1024 - len(f"pk{pk}a") + more)}
    requests = {simple: [put(item)]}
    if fits:
        assert answer(dynamodb.batch_write_item, RequestItems=requests) == DONE
        assert stored(dynamodb, simple, key) == item
    else:
        told = refusal(dynamodb.batch_write_item, RequestItems=requests)
        assert told == (VALIDATION, "Item size has exceeded the maximum allowed size")


# A table may be named by its ARN, and the answer names it so too. Source: 0.6.
def test_tables_by_their_arns(dynamodb, simple, keys):
    arn = dynamodb.describe_table(TableName=simple)["Table"]["TableArn"]
    told = answer(
        dynamodb.batch_write_item,
        RequestItems={arn: [put(keys[0]), delete(keys[1])]},
        ReturnConsumedCapacity="TOTAL",
    )
    assert told == {**DONE, "ConsumedCapacity": [{"TableName": arn, "CapacityUnits": 2.0}]}
    assert stored(dynamodb, simple, keys[0]) == keys[0]


# Metrics are of tables with local indexes, so there are none. Source: G.6.
@pytest.mark.parametrize("wanted", ["SIZE", "NONE"])
def test_no_item_collection_metrics(dynamodb, composite, pk, wanted):
    item = {"pk": {"S": pk}, "sk": {"S": "a"}}
    requests = {composite: [put(item)]}
    told = answer(
        dynamodb.batch_write_item, RequestItems=requests, ReturnItemCollectionMetrics=wanted
    )
    assert told == DONE
