"""AttributeUpdates: what UpdateItem did before UpdateExpression."""

import pytest

from tests.api.items import FAILED, INVALID, answer, padding, stored
from tests.api.legacy import ENVELOPE, MIXED, compared
from tests.api.refusals import VALIDATION, refusal, violated

A, B, ONE = {"S": "a"}, {"S": "b"}, {"N": "1"}
MISMATCH = (VALIDATION, "Type mismatch for attribute to update")
NO_SET = f"{INVALID}DELETE action with value is not supported for the type "
NO_VALUE = f"{INVALID}Only DELETE action is allowed when no attribute value is specified"


@pytest.fixture
def update(dynamodb, simple, key):
    """Sends AttributeUpdates, given attribute by attribute, and what else is given in `more`."""

    def send(updates, **more):
        request = {"TableName": simple, "Key": key, "AttributeUpdates": updates, **more}
        return answer(dynamodb.update_item, **request)

    return send


def _put(value):
    return {"Action": "PUT", "Value": value}


def _add(value):
    return {"Action": "ADD", "Value": value}


def _delete(value=None):
    return {"Action": "DELETE", **({} if value is None else {"Value": value})}


# Before, update, after; None for no item. Source: E.6, and public tests against the service.
@pytest.mark.parametrize(
    ("before", "updates", "after"),
    [
        (None, {"a": _put(A)}, {"a": A}),
        # PUT is what is meant where nothing is said.
        ({"a": ONE, "b": B}, {"a": {"Value": A}}, {"a": A, "b": B}),
        ({"n": {"N": "10"}}, {"n": _add({"N": "-2.5"})}, {"n": {"N": "7.5"}}),
        (None, {"n": _add({"N": "3"})}, {"n": {"N": "3"}}),
        ({"s": {"SS": ["a"]}}, {"s": _add({"SS": ["b", "a"]})}, {"s": {"SS": ["a", "b"]}}),
        (None, {"s": _add({"NS": ["1"]})}, {"s": {"NS": ["1"]}}),
        # Lists: only here, an expression has list_append.
        ({"l": {"L": [A]}}, {"l": _add({"L": [A, B]})}, {"l": {"L": [A, A, B]}}),
        (None, {"l": _add({"L": [A]})}, {"l": {"L": [A]}}),
        ({"a": A, "b": B}, {"a": _delete()}, {"b": B}),
        ({"a": A}, {"none": _delete()}, {"a": A}),
        ({"s": {"SS": ["a", "b"]}}, {"s": _delete({"SS": ["b", "z"]})}, {"s": {"SS": ["a"]}}),
        ({"s": {"SS": ["a"]}, "b": B}, {"s": _delete({"SS": ["a"]})}, {"b": B}),
        ({"a": A}, {"none": _delete({"SS": ["a"]})}, {"a": A}),
        (
            {"a": A, "n": ONE, "b": B},
            {"a": _put(B), "n": _add(ONE), "b": _delete()},
            {"a": B, "n": {"N": "2"}},
        ),
        # A name is a name, and no path.
        ({"m": {"M": {"k": A}}}, {"m.k": _put(B)}, {"m": {"M": {"k": A}}, "m.k": B}),
    ],
    ids=str,
)
def test_actions(dynamodb, simple, key, update, before, updates, after):
    if before is not None:
        dynamodb.put_item(TableName=simple, Item={**key, **before})
    assert update(updates) == {}
    assert stored(dynamodb, simple, key) == {**key, **after}


# Nothing to delete is no item to make. Source: E.6.
@pytest.mark.parametrize(
    "updates", [{"a": _delete()}, {"a": _delete({"SS": ["a"]})}, {"a": _delete(), "b": _delete()}]
)
def test_deletes_create_nothing(dynamodb, simple, key, update, updates):
    update(updates)
    assert stored(dynamodb, simple, key) is None


# No updates, but an item. Source: E.3.
def test_no_updates_create_a_key(dynamodb, simple, key, update):
    update({})
    assert stored(dynamodb, simple, key) == key
    update({})
    assert stored(dynamodb, simple, key) == key


# As for an UpdateExpression: the touched attributes, as far as there are any.
@pytest.mark.parametrize(
    ("return_values", "attributes"),
    [
        ("NONE", None),
        ("ALL_OLD", {"a": A, "b": B, "n": ONE}),
        ("UPDATED_OLD", {"a": A, "b": B}),
        ("ALL_NEW", {"a": B, "n": ONE, "c": A}),
        ("UPDATED_NEW", {"a": B, "c": A}),
    ],
)
def test_return_values(dynamodb, simple, key, update, return_values, attributes):
    dynamodb.put_item(TableName=simple, Item={**key, "a": A, "b": B, "n": ONE})
    updates = {"a": _put(B), "b": _delete(), "c": _put(A)}
    told = update(updates, ReturnValues=return_values)
    whole = key if return_values.startswith("ALL") else {}
    assert told == ({} if attributes is None else {"Attributes": {**whole, **attributes}})


def test_with_expected(dynamodb, simple, key, update):
    update({"n": _add(ONE)}, Expected={"n": {"Exists": False}})
    update({"n": _add(ONE)}, Expected={"n": compared("LT", {"N": "2"})})
    request = {"TableName": simple, "Key": key, "AttributeUpdates": {"n": _add(ONE)}}
    told = refusal(dynamodb.update_item, Expected={"n": compared("LT", {"N": "2"})}, **request)
    assert told == FAILED
    assert stored(dynamodb, simple, key) == {**key, "n": {"N": "2"}}


@pytest.fixture
def refused(dynamodb, simple, key):
    """What AttributeUpdates are refused for."""

    def send(updates, **more):
        request = {"TableName": simple, "Key": key, "AttributeUpdates": updates, **more}
        return refusal(dynamodb.update_item, **request)

    return send


# The item decides: bare, and not in the words of an UpdateExpression. Catalogue 108.
@pytest.mark.parametrize(
    ("update_", "stored_"),
    [
        (_add(ONE), A),
        (_add({"SS": ["a"]}), {"NS": ["1"]}),
        (_add({"L": []}), {"SS": ["a"]}),
        (_delete({"SS": ["a"]}), {"L": [A]}),
    ],
)
def test_type_mismatch(dynamodb, simple, key, refused, update_, stored_):
    dynamodb.put_item(TableName=simple, Item={**key, "a": stored_})
    assert refused({"a": update_}) == MISMATCH
    assert stored(dynamodb, simple, key) == {**key, "a": stored_}


def test_sum_out_of_range(dynamodb, simple, key, refused):
    dynamodb.put_item(TableName=simple, Item={**key, "a": {"N": "9.9e125"}})
    text = (
        "Number overflow. Attempting to store a number with magnitude larger than supported range"
    )
    assert refused({"a": _add({"N": "9.9e125"})}) == (VALIDATION, text)


# Faults of values come first.
@pytest.mark.parametrize(
    ("number", "updates", "text"),
    [
        (220, {"a": {}}, NO_VALUE),
        (220, {"a": {"Action": "PUT"}}, NO_VALUE),
        (220, {"a": {"Action": "ADD"}}, NO_VALUE),
        (221, {"a": _delete(A)}, f"{NO_SET}S"),
        (221, {"a": _delete(ONE)}, f"{NO_SET}N"),
        (222, {"a": _add(A)}, f"{INVALID}ADD action is not supported for the type S"),
        (222, {"a": _add({"M": {}})}, f"{INVALID}ADD action is not supported for the type M"),
        (39, {"a": _add({"N": "x"})}, "The parameter cannot be converted to a numeric value: x"),
        (32, {"a": _delete({"SS": []})}, f"{INVALID}An string set  may not be empty"),
        (
            35,
            {"a": _put({"SS": ["b", "a", "b"]})},
            f'{INVALID}Input collection ["a", "b", "b"] contains duplicates.',
        ),
        (46, {"": _put(A)}, "Empty attribute name"),
        # The first entry, as sent.
        (220, {"a": {}, "b": _add(A)}, NO_VALUE),
        (222, {"b": _add(A), "a": {}}, f"{INVALID}ADD action is not supported for the type S"),
    ],
    ids=str,
)
def test_malformed_updates(dynamodb, simple, key, refused, number, updates, text):
    assert refused(updates) == (VALIDATION, ENVELOPE + text)
    assert stored(dynamodb, simple, key) is None


# By analogy with other enums of this operation.
def test_unknown_action(refused):
    enum = "Failed to satisfy constraint: Member must satisfy enum value set: [ADD, PUT, DELETE]"
    assert refused({"a": {"Action": "put", "Value": A}}) == violated(enum)


# Catalogue 62: never enveloped, and after the key is compared with the schema.
@pytest.mark.parametrize("update_", [_put(A), _delete()])
def test_key_attributes_stay(refused, update_):
    text = f"{INVALID}Cannot update attribute pk. This attribute is part of the key"
    assert refused({"pk": update_}) == (VALIDATION, text)
    told = refused({"pk": update_}, Key={"no": A})
    assert told == (VALIDATION, "The provided key element does not match the schema")


# Catalogue 45.
def test_item_too_large(dynamodb, simple, key, refused):
    dynamodb.put_item(TableName=simple, Item={**key, "a": padding(300_000)})
    text = "Item size to update has exceeded the maximum allowed size"
    assert refused({"b": _put(padding(200_000))}) == (VALIDATION, text)


# Catalogue 70: an empty map is there too.
@pytest.mark.parametrize("expression", ["UpdateExpression", "ConditionExpression"])
def test_styles_are_not_mixed(refused, expression):
    told = refused({}, **{expression: ""})
    assert told == (VALIDATION, ENVELOPE + MIXED.format("AttributeUpdates", expression))
