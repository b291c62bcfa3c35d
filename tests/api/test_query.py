"""Query: which items are answered, in which order, and what of them."""

import pytest

from tests.api.items import answer, values
from tests.api.walks import fill, sort_keys, walked, within

LETTERS = ["a", "b", "c", "d", "e"]
NESTED = {"M": {"l": {"L": []}}}


@pytest.fixture
def items(dynamodb, composite, pk):
    """Five items of one partition in the order of their sort keys, put in another."""
    made = [
        {"pk": {"S": pk}, "sk": {"S": letter}, "n": {"N": str(number)}, "m": NESTED}
        for number, letter in enumerate(LETTERS)
    ]
    fill(dynamodb, composite, [made[index] for index in (3, 0, 4, 2, 1)])
    return made


# The order of the sort key is the one thing that a table is designed for. Source: F.2.
def test_items_are_in_the_order_of_the_sort_key(dynamodb, composite, pk, items):
    told = answer(dynamodb.query, TableName=composite, **within(pk))
    assert told == {"Items": items, "Count": 5, "ScannedCount": 5}


# Source: F.2. True is the default.
@pytest.mark.parametrize(("forward", "step"), [(True, 1), (None, 1), (False, -1)])
def test_scan_index_forward_chooses_the_direction(dynamodb, composite, pk, items, forward, step):
    told = dynamodb.query(TableName=composite, **within(pk), ScanIndexForward=forward)
    assert told["Items"] == items[::step]


# Nothing of a partition whose key begins with this one, or is a beginning of it.
def test_partition_ends_where_its_key_ends(dynamodb, composite, pk, items):
    others = [pk + "a", pk[:-1], pk + "\x00", pk.upper()]
    fill(dynamodb, composite, [{"pk": {"S": other}, "sk": {"S": "a"}} for other in others])
    assert dynamodb.query(TableName=composite, **within(pk))["Items"] == items


# Neither an error nor an answer without Items: SDKs loop over it. Source: F.1.
def test_partition_without_items(dynamodb, composite, pk):
    told = answer(dynamodb.query, TableName=composite, **within(pk))
    assert told == {"Items": [], "Count": 0, "ScannedCount": 0}


# A table without sort key has one item a partition at most.
def test_table_without_sort_key(dynamodb, simple, pk):
    item = {"pk": {"S": pk}, "a": {"N": "1"}}
    dynamodb.put_item(TableName=simple, Item=item)
    told = answer(dynamodb.query, TableName=simple, **within(pk))
    assert told == {"Items": [item], "Count": 1, "ScannedCount": 1}


# Where one item at most can match there is no second page: the service refuses to go on (catalogue
# 132), and a paginator with a page of one must not be led there.
def test_one_item_has_no_second_page(dynamodb, simple, composite, pk, items):
    dynamodb.put_item(TableName=simple, Item={"pk": {"S": pk}})
    told = dynamodb.query(TableName=simple, **within(pk, Limit=1))
    assert (told["Count"], told.get("LastEvaluatedKey")) == (1, None)
    told = dynamodb.query(
        TableName=composite,
        KeyConditionExpression="pk = :pk AND sk = :sk",
        ExpressionAttributeValues={":pk": {"S": pk}, ":sk": {"S": "b"}},
        Limit=1,
    )
    assert (told["Count"], told.get("LastEvaluatedKey")) == (1, None)


# Strings sort by their UTF-8 bytes: upper case first, and what is beyond U+FFFF after all of what
# is not; by code units of UTF-16 it would stand before U+FFFD. Source: D.5.
def test_strings_sort_by_bytes(dynamodb, composite, pk):
    ordered = ["A", "B", "a", "a\x00", "aa", "b", "z", "é", "\ufffd", "\U0001f600"]
    made = [{"pk": {"S": pk}, "sk": {"S": key}} for key in ordered]
    fill(dynamodb, composite, [made[index] for index in (5, 0, 9, 3, 8, 1, 7, 2, 6, 4)])
    assert sort_keys(dynamodb.query(TableName=composite, **within(pk))["Items"]) == ordered


# Numbers sort as numbers, to the last of 38 digits. Source: D.5.
def test_numbers_sort_by_value(dynamodb, numbered, pk):
    ordered = [
        "-1" + "0" * 125,
        "-10",
        "-9.5",
        "-1",
        "-0." + "0" * 129 + "1",
        "0",
        "0." + "0" * 129 + "1",
        "0.1",
        "1",
        "1.0000000000000000000000000000000000001",
        "2",
        "10",
        "99999999999999999999999999999999999998",
        "99999999999999999999999999999999999999",
        "9" + "0" * 125,
    ]
    fill(dynamodb, numbered, [{"pk": {"S": pk}, "sk": {"N": key}} for key in ordered[::-1]])
    assert sort_keys(dynamodb.query(TableName=numbered, **within(pk))["Items"]) == ordered
    backwards = dynamodb.query(TableName=numbered, **within(pk), ScanIndexForward=False)
    assert sort_keys(backwards["Items"]) == ordered[::-1]


# Binary sorts by unsigned bytes, shorter values before what they are a beginning of. Source: D.5.
def test_binary_sorts_by_unsigned_bytes(dynamodb, new_table, pk):
    table = new_table(sk="B")
    ordered = [b"\x00", b"\x00\x00", b"\x01", b"\x7f", b"\x7f\xff", b"\x80", b"\xff", b"\xff\x00"]
    fill(dynamodb, table, [{"pk": {"S": pk}, "sk": {"B": key}} for key in ordered[::-1]])
    assert sort_keys(dynamodb.query(TableName=table, **within(pk))["Items"]) == ordered


# Partition keys of the other types, equal by value and not by how they are written. Source: D.2.
@pytest.mark.parametrize(
    ("kind", "put", "asked"), [("N", {"N": "1.50"}, {"N": "15e-1"}), ("B", {"B": b"\xff"}, None)]
)
def test_partition_keys_of_other_types(dynamodb, new_table, kind, put, asked):
    table = new_table(pk=kind, sk="S")
    dynamodb.put_item(TableName=table, Item={"pk": put, "sk": {"S": "a"}})
    told = dynamodb.query(
        TableName=table,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues=values(pk=asked or put),
    )
    assert told["Count"] == 1


# Count is after the filter, ScannedCount before. Source: F.1.
def test_filter_leaves_out_items(dynamodb, composite, pk, items):
    told = answer(
        dynamodb.query,
        TableName=composite,
        **within(pk, FilterExpression="n > :n", ExpressionAttributeValues=values(n={"N": "2"})),
    )
    assert told == {"Items": items[3:], "Count": 2, "ScannedCount": 5}


# The filter looks at the whole item, whatever of it is answered. Source: F.1.
def test_filter_needs_no_projection(dynamodb, composite, pk, items):
    told = dynamodb.query(
        TableName=composite,
        **within(pk, FilterExpression="n = :n", ExpressionAttributeValues=values(n={"N": "1"})),
        ProjectionExpression="sk",
    )
    assert told["Items"] == [{"sk": {"S": "b"}}]


# Only what is asked for: the key is not added. Source: E.4.
def test_projection_cuts_items(dynamodb, composite, pk, items):
    told = dynamodb.query(
        TableName=composite,
        **within(pk, Limit=1),
        ProjectionExpression="#n, m.l, nowhere",
        ExpressionAttributeNames={"#n": "n"},
    )
    assert told["Items"] == [{"n": {"N": "0"}, "m": NESTED}]


# An item of which nothing is asked for is still an item. Source: A.3, E.4.
def test_projection_that_matches_nothing_answers_empty_items(dynamodb, composite, pk, items):
    told = answer(
        dynamodb.query, TableName=composite, **within(pk), ProjectionExpression="nowhere, m.nowhere"
    )
    assert told == {"Items": [{}] * 5, "Count": 5, "ScannedCount": 5}


# Where a page ends is told by its key, whether the key is projected or not. Source: F.1.
def test_projection_does_not_cut_the_last_key(dynamodb, composite, pk, items):
    told = dynamodb.query(TableName=composite, **within(pk, Limit=2), ProjectionExpression="n")
    assert told["LastEvaluatedKey"] == {"pk": {"S": pk}, "sk": {"S": "b"}}


# Source: F.1: COUNT answers no Items, not even an empty list.
def test_select_count(dynamodb, composite, pk, items):
    told = answer(dynamodb.query, TableName=composite, **within(pk), Select="COUNT")
    assert told == {"Count": 5, "ScannedCount": 5}


# Counting goes page by page, and after the filter, as listing does. Source: F.1.
def test_select_count_of_a_page_with_a_filter(dynamodb, composite, pk, items):
    told = answer(
        dynamodb.query,
        TableName=composite,
        **within(pk, FilterExpression="n <> :n", ExpressionAttributeValues=values(n={"N": "0"})),
        Select="COUNT",
        Limit=3,
    )
    assert told == {
        "Count": 2,
        "ScannedCount": 3,
        "LastEvaluatedKey": {"pk": {"S": pk}, "sk": {"S": "c"}},
    }


# The default of a table, in words; and the one Select that goes with a projection. Source: F.1.
@pytest.mark.parametrize(
    ("more", "answered"),
    [
        ({"Select": "ALL_ATTRIBUTES"}, {"pk", "sk", "n", "m"}),
        ({"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "sk, n"}, {"sk", "n"}),
        ({"ProjectionExpression": "sk, n"}, {"sk", "n"}),
    ],
)
def test_select_says_what_is_answered(dynamodb, composite, pk, items, more, answered):
    told = dynamodb.query(TableName=composite, **within(pk), **more)
    assert [set(item) for item in told["Items"]] == [answered] * 5


# Every read is consistent here; both spellings are accepted. Source: F.1, differences.md.
@pytest.mark.parametrize("consistent", [True, False, None])
def test_consistent_read(dynamodb, composite, pk, items, consistent):
    told = dynamodb.query(TableName=composite, **within(pk), ConsistentRead=consistent)
    assert told["Items"] == items


# A write is seen by the next query, and so is a delete.
def test_query_sees_the_latest_write(dynamodb, composite, pk, items):
    dynamodb.delete_item(TableName=composite, Key={"pk": {"S": pk}, "sk": {"S": "c"}})
    dynamodb.put_item(TableName=composite, Item={"pk": {"S": pk}, "sk": {"S": "aa"}})
    told = dynamodb.query(TableName=composite, **within(pk))
    assert sort_keys(told["Items"]) == ["a", "aa", "b", "d", "e"]


# Placeholders may stand for any name, of keys too; reserved words need them. Source: E.1.
def test_names_of_keys_by_placeholder(dynamodb, composite, pk, items):
    told = dynamodb.query(
        TableName=composite,
        KeyConditionExpression="#p = :p AND #s > :s",
        FilterExpression="#n < :n",
        ExpressionAttributeNames={"#p": "pk", "#s": "sk", "#n": "n"},
        ExpressionAttributeValues=values(p={"S": pk}, s={"S": "b"}, n={"N": "4"}),
    )
    assert sort_keys(told["Items"]) == ["c", "d"]


# Every TableName may be an ARN. Source: 0.6.
def test_table_by_its_arn(dynamodb, composite, pk, items):
    arn = dynamodb.describe_table(TableName=composite)["Table"]["TableArn"]
    assert walked(dynamodb.query, TableName=arn, **within(pk, Limit=2)) == items
