"""Units of access patterns, by the sizes that a model says."""

import pytest

from hashrange.tools.checking.requests import request_of_pattern
from hashrange.tools.checking.sizing import units_of
from hashrange.tools.models.document import model_of_document
from tests.unit.tools.models.shop import members


def put(**attributes):
    item = {name: {"S": value} for name, value in attributes.items()}
    return {"Put": {"TableName": "Shop", "Item": item}}


# Of a transaction only the items that have the key of an index have entries there.
@pytest.mark.parametrize(
    ("actions", "entries"),
    [
        ([put(pk="a"), put(pk="b")], 0),
        ([put(pk="a", gsi1pk="x", gsi1sk="1"), put(pk="b", gsi1pk="x")], 1),
        ([put(pk="a", gsi1pk="x", gsi1sk="1", total="1"), {"Delete": {}}], 2),
    ],
)
def test_entries_of_a_transaction_are_those_of_its_puts(actions, entries):
    shop = members()
    pattern = {"operation": "TransactWriteItems", "items": 2, "item_bytes": 600}
    shop["patterns"][4] |= {**pattern, "request": {"TransactItems": actions}}
    model = model_of_document(shop)
    found = units_of(model, model.patterns[4])
    assert (found.write, found.index_write) == (4, entries)


# ADD takes a number, and a template in a text would be one of text.
def test_a_value_of_one_placeholder_has_the_type_of_its_attribute():
    shop = members()
    values = {":total": "{total}", ":text": "{number}-{total}"}
    shop["patterns"][5] |= {"update": "SET remark = :text ADD total :total", "values": values}
    model = model_of_document(shop)
    request = request_of_pattern(model, model.patterns[5], "Shop")
    assert request["ExpressionAttributeValues"] == {
        ":total": {"N": "10.5"},
        ":text": {"S": "1-10.5"},
    }
