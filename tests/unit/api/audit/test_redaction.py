"""No value of an attribute is in a record, whatever the request; those of keys are."""

import json

from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.audit.events import encoded
from tests.unit.api.audit.requests import Recording, error

KEY = {"Artist": {"S": "No One You Know"}, "SongTitle": {"S": "Call Me Today"}}
VALUES = st.recursive(
    st.sampled_from([{"S": "zzsecretzz"}, {"N": "77001177"}, {"B": "enpzZWNyZXR6eg=="}]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda each: {"L": each}),
        st.dictionaries(st.sampled_from(["zzsecretzz", "x"]), inner, max_size=3).map(
            lambda each: {"M": each}
        ),
    ),
    max_leaves=6,
)
ITEMS = st.dictionaries(st.sampled_from(["Album", "x", "SongTitle.x", "é"]), VALUES)
SECRETS = ("zzsecretzz", "77001177", "enpzZWNyZXR6eg")
RECORDING = Recording()


@given(ITEMS, st.sampled_from(["PutItem", "Query", "UpdateItem", "Scan", "GetItem"]), VALUES)
def test_no_value_but_of_keys_is_in_a_record(item, operation, value):
    members = {
        "TableName": "Music",
        "Item": {**KEY, **item},
        "Key": {**KEY, **item},
        "ExclusiveStartKey": {**item, **KEY},
        "Expected": {"Album": {"Value": value, "AttributeValueList": [value]}},
        "AttributeUpdates": {"Album": {"Value": value, "Action": "PUT"}},
        "QueryFilter": {"Album": {"AttributeValueList": [value]}},
        "ScanFilter": {"Album": {"AttributeValueList": [value]}},
        "KeyConditions": {"Artist": {"AttributeValueList": [value]}},
        "KeyConditionExpression": "Album = :v AND #x = :v",
        "ExpressionAttributeNames": {"#x": "x"},
        "ExpressionAttributeValues": {":v": value},
    }
    answer = error("ValidationException", f"not a thing: {json.dumps(value)}")
    transaction = {
        "TransactItems": [{"Put": {"TableName": "Music", "Item": {**KEY, **item}}}],
        "RequestItems": {"Music": [{"PutRequest": {"Item": {**KEY, **item}}}]},
        "Statement": "SELECT * FROM Music WHERE x = 'zzsecretzz'",
        "Parameters": [value],
    }
    for name, body in (
        (operation, members),
        ("TransactWriteItems", transaction),
        ("BatchWriteItem", transaction),
        ("ExecuteStatement", transaction),
    ):
        for status, sent in ((200, json.dumps(item).encode()), (400, answer)):
            event = RECORDING.record(name, body, status=status, answer=sent)
            line = encoded(event).decode()
            assert not [secret for secret in SECRETS if secret in line], line
