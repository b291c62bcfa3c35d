"""The condition keys of requests on items, by hand."""

import pytest

from hashrange.api.steps.accesses import Access, Resource
from hashrange.model.table import KeyAttribute
from hashrange.tables.opened.open_table import OpenTable
from tests.unit.api.authorization.asked import (
    ARN,
    INDEX,
    KEY,
    QUERY,
    T,
    keys,
    permitted,
    plain,
    values,
)
from tests.unit.tables.definitions import definition

BINARY = OpenTable(definition(partition=KeyAttribute("pk", "B")), {})
NUMERIC = OpenTable(definition(partition=KeyAttribute("pk", "N")), {})
NAMES = {"#n": "notes"}


def test_get_item():
    assert keys("GetItem", {"Key": KEY}) == {
        "leadingkeys": ("ann",),
        "attributes": ("pk", "sk"),
        "select": "ALL_ATTRIBUTES",
        "returnconsumedcapacity": "NONE",
    }
    request = {
        "Key": KEY,
        "ProjectionExpression": "address.city, #n[0], pk",
        "ExpressionAttributeNames": NAMES,
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert keys("GetItem", request) == {
        "leadingkeys": ("ann",),
        "attributes": ("pk", "sk", "address", "notes"),
        "select": "SPECIFIC_ATTRIBUTES",
        "returnconsumedcapacity": "TOTAL",
    }
    legacy = keys("GetItem", {"Key": KEY, "AttributesToGet": ["a"]})
    assert legacy["attributes"] == ("pk", "sk", "a")
    assert legacy["select"] == "SPECIFIC_ATTRIBUTES"


# Numbers are compared as texts, in the form that they are answered in; binary as it is sent.
@pytest.mark.parametrize(
    ("table", "value", "text"), [(NUMERIC, {"N": "1.50e1"}, "15"), (BINARY, {"B": "AQI="}, "AQI=")]
)
def test_leading_keys_of_other_types(table, value, text):
    assert keys("GetItem", {"Key": {"pk": value}}, table)["leadingkeys"] == (text,)


def test_put_item():
    item = {**KEY, "title": {"M": {"short": {"S": "x"}}}}
    request = {
        "Item": item,
        "ConditionExpression": "attribute_not_exists(held.by_whom) AND title <> :t",
        "ExpressionAttributeValues": values(t={"S": "x"}),
    }
    assert keys("PutItem", request) == {
        "leadingkeys": ("ann",),
        "attributes": ("pk", "sk", "title", "held"),
        "returnvalues": "NONE",
        "returnconsumedcapacity": "NONE",
    }
    legacy = {"Item": KEY, "Expected": {"held": {"Exists": False}}, "ReturnValues": "ALL_OLD"}
    found = keys("PutItem", legacy)
    assert (found["attributes"], found["returnvalues"]) == (("pk", "sk", "held"), "ALL_OLD")


def test_update_item():
    request = {
        "Key": KEY,
        "UpdateExpression": "SET g = h.i + :v, a.b = if_not_exists(c, :v) REMOVE d ADD e :v",
        "ConditionExpression": "size(f) > :v",
        "ExpressionAttributeValues": values(v={"N": "1"}),
        "ReturnValues": "UPDATED_NEW",
    }
    found = keys("UpdateItem", request)
    assert set(found["attributes"]) == {"pk", "sk", *"abcdefgh"} - {"b"}
    assert found["returnvalues"] == "UPDATED_NEW"
    legacy = {"Key": KEY, "AttributeUpdates": {"a": {"Value": {"S": "x"}}}}
    assert keys("UpdateItem", legacy)["attributes"] == ("pk", "sk", "a")
    assert keys("UpdateItem", {"Key": KEY})["attributes"] == ("pk", "sk")


def test_delete_item():
    request = {"Key": KEY, "ConditionExpression": "attribute_exists(a)"}
    assert keys("DeleteItem", request) == {
        "leadingkeys": ("ann",),
        "attributes": ("pk", "sk", "a"),
        "returnvalues": "NONE",
        "returnconsumedcapacity": "NONE",
    }


# What a failed condition shows is what ReturnValues=ALL_OLD shows, beside what is shown anyway.
@pytest.mark.parametrize(
    ("returns", "asked"),
    [("NONE", ["ALL_OLD"]), ("ALL_OLD", ["ALL_OLD"]), ("ALL_NEW", ["ALL_NEW", "ALL_OLD"])],
)
def test_items_shown_on_failed_conditions(returns, asked):
    request = {
        "TableName": T,
        "Key": KEY,
        "ConditionExpression": "attribute_exists(a)",
        "ReturnValues": returns,
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    found = permitted("UpdateItem", request)
    assert [plain(permission)["returnvalues"] for permission in found] == asked
    assert len({permission.context["dynamodb:attributes"] for permission in found}) == 1


def test_query():
    assert keys("Query", QUERY) == {
        "leadingkeys": ("ann",),
        "attributes": ("pk", "sk"),
        "select": "ALL_ATTRIBUTES",
        "returnconsumedcapacity": "NONE",
    }
    request = {
        "KeyConditionExpression": "pk = :p AND sk BETWEEN :a AND :b",
        "FilterExpression": "contains(tags, :p)",
        "ProjectionExpression": "title",
        "ExpressionAttributeValues": values(p={"S": "ann"}, a={"N": "1"}, b={"N": "2"}),
    }
    found = keys("Query", request)
    assert set(found["attributes"]) == {"pk", "sk", "tags", "title"}
    assert found["select"] == "SPECIFIC_ATTRIBUTES"
    assert keys("Query", {**QUERY, "Select": "COUNT"})["select"] == "COUNT"
    # A key to go on after names no attribute that is read.
    started = {**QUERY, "ExclusiveStartKey": KEY}
    assert keys("Query", started) == keys("Query", QUERY)


def test_query_in_the_older_style():
    condition = {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "ann"}]}
    request = {
        "KeyConditions": {"pk": condition},
        "QueryFilter": {"a": condition},
        "AttributesToGet": ["b"],
    }
    found = keys("Query", request)
    assert (found["leadingkeys"], set(found["attributes"])) == (("ann",), {"pk", "sk", "a", "b"})


# Of an index the keys are its own, and a policy is asked about the index. LastEvaluatedKey shows
# the key of the table, too.
def test_query_of_an_index():
    request = {
        "TableName": ARN,
        "IndexName": INDEX.name,
        "KeyConditionExpression": "town = :t AND #y = :y AND price > :y",
        "ExpressionAttributeNames": {"#y": "year"},
        "ExpressionAttributeValues": values(t={"S": "Ulm"}, y={"N": "2026"}),
    }
    (permission,) = permitted("Query", request)
    assert permission.access == Access("Query", Resource("index", ARN, INDEX.name))
    assert plain(permission) == {
        "leadingkeys": ("Ulm",),
        "secondpartitionkeyvalues": "2026",
        "attributes": ("town", "year", "price", "pk", "sk"),
        "select": "ALL_PROJECTED_ATTRIBUTES",
        "returnconsumedcapacity": "NONE",
    }


def test_scan_has_no_keys():
    assert keys("Scan", {}) == {
        "attributes": ("pk", "sk"),
        "select": "ALL_ATTRIBUTES",
        "returnconsumedcapacity": "NONE",
    }
    request = {
        "FilterExpression": "pk = :p",
        "ExpressionAttributeValues": values(p={"S": "ann"}),
        "ProjectionExpression": "title",
    }
    found = keys("Scan", request)
    assert "leadingkeys" not in found
    assert found["attributes"] == ("pk", "sk", "title")
