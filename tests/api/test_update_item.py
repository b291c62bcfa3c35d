"""UpdateItem: what it creates, answers and refuses. Expressions and sizes have their own files."""

import pytest

from tests.api.items import INVALID, answer, names, stored, values
from tests.api.refusals import VALIDATION, absent, breaks, refusal, violated


@pytest.fixture
def item(dynamodb, simple, key):
    """An item of the table `simple`."""
    attributes = {
        **key,
        "a": {"N": "1"},
        "b": {"S": "two"},
        "m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}, "z": {"M": {"w": {"S": "deep"}}}}},
        "l": {"L": [{"S": "zero"}, {"S": "one"}, {"S": "two"}]},
        "s": {"SS": ["p", "q"]},
    }
    dynamodb.put_item(TableName=simple, Item=attributes)
    return attributes


@pytest.fixture
def update(dynamodb, simple, key):
    """Updates the item of `key` and gives the answer."""

    def updated(expression, wanted=None, /, **more):
        request = {"TableName": simple, "Key": key, "UpdateExpression": expression, **more}
        return answer(dynamodb.update_item, **request, ReturnValues=wanted)

    return updated


# What is not there is created, with its key. Source: A.3.
@pytest.mark.parametrize(
    ("expression", "used", "written"),
    [
        ("SET a = :v", {"v": {"S": "x"}}, {"a": {"S": "x"}}),
        ("ADD a :v", {"v": {"N": "5"}}, {"a": {"N": "5"}}),
        ("ADD a :v", {"v": {"SS": ["x"]}}, {"a": {"SS": ["x"]}}),
        ("SET a = :v REMOVE b", {"v": {"S": "x"}}, {"a": {"S": "x"}}),
        ("SET a = :v DELETE b :w", {"v": {"S": "x"}, "w": {"SS": ["y"]}}, {"a": {"S": "x"}}),
    ],
)
def test_missing_item_is_created(dynamodb, simple, key, update, expression, used, written):
    assert update(expression, ExpressionAttributeValues=values(**used)) == {}
    assert stored(dynamodb, simple, key) == {**key, **written}


# Without an expression the item is its key. Source: A.3.
def test_update_of_nothing_creates_the_key(dynamodb, simple, key):
    request = {"TableName": simple, "Key": key}
    assert answer(dynamodb.update_item, **request) == {}
    assert stored(dynamodb, simple, key) == key


# And leaves an item as it is.
def test_update_of_nothing_changes_nothing(dynamodb, simple, key, item):
    told = answer(dynamodb.update_item, TableName=simple, Key=key, ReturnValues="ALL_NEW")
    assert told == {"Attributes": item}
    assert stored(dynamodb, simple, key) == item


# There is nothing to remove from, so nothing comes into being. Source: E.3, verified.
@pytest.mark.parametrize(
    "expression", ["REMOVE a", "REMOVE a.b, l[0]", "DELETE a :v", "REMOVE b DELETE a.b :v"]
)
@pytest.mark.parametrize("wanted", ["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_only_removals_create_nothing(dynamodb, simple, key, update, expression, wanted):
    used = {"ExpressionAttributeValues": values(v={"SS": ["x"]})} if ":v" in expression else {}
    assert update(expression, wanted, **used) == {}
    assert stored(dynamodb, simple, key) is None


# The key is there to be read although the item is not. Source: an emulator's tests, which were run
# on the service.
def test_update_of_a_missing_item_reads_its_key(dynamodb, simple, key, update):
    told = update("SET a = if_not_exists(b, pk), c = pk", "UPDATED_NEW")
    assert told == {"Attributes": {"a": key["pk"], "c": key["pk"]}}
    assert stored(dynamodb, simple, key) == {**key, "a": key["pk"], "c": key["pk"]}


# Source: A.3.
def test_all_old(update, item):
    assert update(
        "SET a = :v REMOVE b", "ALL_OLD", ExpressionAttributeValues=values(v={"N": "2"})
    ) == {"Attributes": item}


# Source: A.3.
def test_all_new(update, item):
    told = update("SET a = :v REMOVE b", "ALL_NEW", ExpressionAttributeValues=values(v={"N": "2"}))
    left = {name: value for name, value in item.items() if name != "b"}
    assert told == {"Attributes": {**left, "a": {"N": "2"}}}


# What was not there has no old value; the member is absent and not empty. Source: A.3.
@pytest.mark.parametrize("wanted", ["ALL_OLD", "UPDATED_OLD", "NONE", None])
def test_no_old_values_of_a_new_item(update, wanted):
    assert update("SET a = :v", wanted, ExpressionAttributeValues=values(v={"N": "2"})) == {}


# The new item as a whole, its key too. Source: A.3.
def test_all_new_of_a_new_item(update, key):
    told = update("SET a = :v", "ALL_NEW", ExpressionAttributeValues=values(v={"N": "2.0"}))
    assert told == {"Attributes": {**key, "a": {"N": "2"}}}


# Only what the expression touches, and of nested paths only the fragment; all sub-paths of one
# attribute are merged, and elements of lists close up. Source: A.3, verified.
@pytest.mark.parametrize(
    ("expression", "old", "new"),
    [
        ("SET a = :v", {"a": {"N": "1"}}, {"a": {"N": "9"}}),
        ("ADD a :v", {"a": {"N": "1"}}, {"a": {"N": "10"}}),
        ("SET z = :v", {}, {"z": {"N": "9"}}),
        ("SET z = :v REMOVE b", {"b": {"S": "two"}}, {"z": {"N": "9"}}),
        ("SET m.x = :v", {"m": {"M": {"x": {"N": "1"}}}}, {"m": {"M": {"x": {"N": "9"}}}}),
        ("SET m.#new = :v", {}, {"m": {"M": {"new": {"N": "9"}}}}),
        (
            "SET m.x = :v, m.z.w = :v",
            {"m": {"M": {"x": {"N": "1"}, "z": {"M": {"w": {"S": "deep"}}}}}},
            {"m": {"M": {"x": {"N": "9"}, "z": {"M": {"w": {"N": "9"}}}}}},
        ),
        ("SET l[1] = :v", {"l": {"L": [{"S": "one"}]}}, {"l": {"L": [{"N": "9"}]}}),
        (
            "SET l[2] = :v, l[0] = :v",
            {"l": {"L": [{"S": "zero"}, {"S": "two"}]}},
            {"l": {"L": [{"N": "9"}, {"N": "9"}]}},
        ),
        ("SET l[7] = :v", {}, {}),
        (
            "SET m.x = :v REMOVE m.y",
            {"m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}},
            {"m": {"M": {"x": {"N": "9"}}}},
        ),
    ],
)
def test_updated_old_and_new(dynamodb, simple, key, item, update, expression, old, new):
    used = {"ExpressionAttributeValues": values(v={"N": "9"})}
    if "#" in expression:
        used["ExpressionAttributeNames"] = names("new")
    assert update(expression, "UPDATED_NEW", **used) == ({"Attributes": new} if new else {})
    dynamodb.put_item(TableName=simple, Item=item)
    assert update(expression, "UPDATED_OLD", **used) == ({"Attributes": old} if old else {})


# Nothing is left of what was removed, so there is no Attributes. Source: A.3.
def test_updated_new_after_removals(update, item):
    assert update("REMOVE a, m.x", "UPDATED_NEW") == {}


# The old values of what was removed. Source: A.3.
def test_updated_old_of_removals(update, item):
    told = update("REMOVE a, m.x, l[1], nothing", "UPDATED_OLD")
    assert told == {
        "Attributes": {"a": {"N": "1"}, "m": {"M": {"x": {"N": "1"}}}, "l": {"L": [{"S": "one"}]}}
    }


# Removed elements have moved the others: the fragment is what stands there now. Source: as above.
def test_updated_new_looks_at_the_new_list(update, item):
    told = update("REMOVE l[0]", "UPDATED_NEW")
    assert told == {"Attributes": {"l": {"L": [{"S": "one"}]}}}


# Several kinds of sub-paths at once. Source: an emulator's tests, which were run on the service.
def test_updated_new_of_maps_and_lists(dynamodb, simple, key, update):
    maps = {"M": {"a": {"N": "1"}, "b": {"N": "2"}, "c": {"N": "3"}}}
    item = {**key, "b": maps, "c": {"L": [{"N": "1"}, {"N": "3"}]}}
    dynamodb.put_item(TableName=simple, Item=item)
    told = update(
        "SET b.c = ((c[1]) + (b.a)), b.a = pk, c[1] = pk, c[4] = b.a - b.b, c[2] = b.c "
        "ADD c[8] :b, c[6] :a",
        "UPDATED_NEW",
        ExpressionAttributeValues=values(a={"N": "2"}, b={"SS": ["a"]}),
    )
    after = {"M": {"a": key["pk"], "b": {"N": "2"}, "c": {"N": "4"}}}
    listed = [{"N": "1"}, key["pk"], {"N": "3"}, {"N": "-1"}, {"N": "2"}, {"SS": ["a"]}]
    assert told == {
        "Attributes": {
            "b": {"M": {"a": key["pk"], "c": {"N": "4"}}},
            "c": {"L": [key["pk"], {"N": "3"}, {"N": "2"}]},
        }
    }
    assert stored(dynamodb, simple, key) == {**key, "b": after, "c": {"L": listed}}


# Without an expression nothing is touched. Source: A.3.
@pytest.mark.parametrize("wanted", ["UPDATED_OLD", "UPDATED_NEW"])
def test_nothing_is_updated_without_an_expression(dynamodb, simple, key, item, wanted):
    request = {"TableName": simple, "Key": key, "ReturnValues": wanted}
    assert answer(dynamodb.update_item, **request) == {}


# Catalogue 62, not enveloped; of both keys the partition key is told, wherever it stands.
@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("SET pk = :v", "pk"),
        ("SET a = :v, pk = :v", "pk"),
        ("SET sk = :v", "sk"),
        ("SET sk = :v, pk = :v", "pk"),
        ("ADD sk :v", "sk"),
        ("SET pk.a = :v", "pk"),
        ("SET sk[0] = :v", "sk"),
        ("SET a = :v REMOVE sk", "sk"),
        ("SET pk = pk.a + pk[1], a = :v", "pk"),
    ],
)
def test_key_attributes_cannot_be_updated(dynamodb, composite, pk, expression, name):
    request = {
        "Key": {"pk": {"S": pk}, "sk": {"S": "a"}},
        "UpdateExpression": expression,
        "ExpressionAttributeValues": values(v={"N": "1"}),
    }
    told = refusal(dynamodb.update_item, TableName=composite, **request)
    text = f"Cannot update attribute {name}. This attribute is part of the key"
    assert told == (VALIDATION, INVALID + text)


# Without a key the older layer speaks: everything at once, in this order. Source: A.4, verified.
def test_key_is_required(dynamodb, simple):
    assert refusal(dynamodb.update_item, TableName=simple) == violated(absent("key"))
    told = refusal(
        dynamodb.update_item,
        ReturnConsumedCapacity="a",
        ReturnItemCollectionMetrics="b",
        ReturnValues="c",
    )
    orders = "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
    assert told == violated(
        breaks("a", "returnConsumedCapacity", "satisfy enum value set: [INDEXES, TOTAL, NONE]"),
        absent("tableName"),
        breaks("b", "returnItemCollectionMetrics", "satisfy enum value set: [SIZE, NONE]"),
        breaks("c", "returnValues", f"satisfy enum value set: {orders}"),
        absent("key"),
    )


# Likewise; the older layer echoes the empty name. Source: catalogue 2.
def test_key_is_required_beside_an_empty_table_name(dynamodb):
    told = refusal(dynamodb.update_item, TableName="")
    least = "have length greater than or equal to 1"
    assert told == violated(breaks("", "tableName", least), absent("key"))


# A table without local indexes has no item collections to tell the size of. Source: A.3.
def test_no_metrics_without_local_indexes(dynamodb, simple, key):
    request = {"TableName": simple, "Key": key, "ReturnItemCollectionMetrics": "SIZE"}
    assert answer(dynamodb.update_item, **request) == {}
