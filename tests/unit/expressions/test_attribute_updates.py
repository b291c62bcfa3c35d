"""AttributeUpdates: what the three actions do, and what is refused."""

import gc
import sys

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from hashrange.errors import DynamoError
from hashrange.expressions.attribute_updates import attribute_update
from hashrange.expressions.syntax import Add, Constant, Delete, Path
from hashrange.model.structures.dynamodb import AttributeValueUpdate
from tests.rows import rows
from tests.unit.expressions.documents import items, values
from tests.unit.expressions.evaluator import WRONG_TYPE, RefusedError, result_of
from tests.unit.expressions.legacy import INVALID, VALUES, refused
from tests.unit.expressions.trees import NAMES

MISMATCH = "Type mismatch for attribute to update"


def _put(value):
    return AttributeValueUpdate(value=value)


def _add(value):
    return AttributeValueUpdate(value=value, action="ADD")


def _delete(value=None):
    return AttributeValueUpdate(value=value, action="DELETE")


def _applied(item, **updates):
    return attribute_update(updates).apply(item)


def test_no_updates():
    assert attribute_update({}) is None


@pytest.mark.parametrize("action", [None, "PUT"])
def test_put_replaces_whatever_there_is(action):
    update = AttributeValueUpdate(value={"N": "2.0"}, action=action)
    assert _applied({"x": {"S": "a"}}, x=update) == {"x": {"N": "2"}}
    assert _applied({}, x=update) == {"x": {"N": "2"}}


# What ADD does to an attribute, and to one that is not there.
@rows(
    ("value", "before", "after"),
    [
        ({"N": "5"}, {"N": "10"}, {"N": "15"}),
        ({"N": "-1.5"}, None, {"N": "-1.5"}),
        ({"SS": ["c", "a"]}, {"SS": ["a", "b"]}, {"SS": ["a", "b", "c"]}),
        ({"NS": ["10"]}, {"NS": ["9"]}, {"NS": ["9", "10"]}),
        ({"BS": ["YQ=="]}, None, {"BS": ["YQ=="]}),
        # Lists: here only, an expression has list_append.
        ({"L": [{"S": "b"}]}, {"L": [{"S": "a"}]}, {"L": [{"S": "a"}, {"S": "b"}]}),
        ({"L": [{"S": "a"}]}, {"L": [{"S": "a"}]}, {"L": [{"S": "a"}, {"S": "a"}]}),
        ({"L": [{"S": "b"}]}, None, {"L": [{"S": "b"}]}),
    ],
)
def test_add(value, before, after):
    item = {} if before is None else {"x": before}
    assert _applied(item, x=_add(value)) == {"x": after}


def test_delete_without_value_removes():
    assert _applied({"x": {"S": "a"}, "y": {"S": "b"}}, x=_delete()) == {"y": {"S": "b"}}
    assert _applied({}, x=_delete()) == {}


@pytest.mark.parametrize(
    ("value", "before", "after"),
    [
        ({"SS": ["b", "z"]}, {"SS": ["a", "b", "c"]}, {"SS": ["a", "c"]}),
        ({"NS": ["1.0"]}, {"NS": ["1", "2"]}, {"NS": ["2"]}),
        ({"SS": ["a"]}, {"SS": ["a"]}, None),
        ({"SS": ["a"]}, None, None),
    ],
)
def test_delete_takes_members_out(value, before, after):
    item = {} if before is None else {"x": before}
    assert _applied(item, x=_delete(value)) == ({} if after is None else {"x": after})


# Catalogue 108: not the text of an update expression.
@pytest.mark.parametrize(
    ("update", "stored"),
    [
        (_add({"N": "1"}), {"S": "1"}),
        (_add({"SS": ["a"]}), {"NS": ["1"]}),
        (_add({"L": []}), {"SS": ["a"]}),
        (_delete({"SS": ["a"]}), {"NS": ["1"]}),
        (_delete({"NS": ["1"]}), {"N": "1"}),
    ],
)
def test_type_mismatch_with_what_is_stored(update, stored):
    with pytest.raises(DynamoError) as caught:
        _applied({"x": stored}, x=update)
    assert (caught.value.message, caught.value.bare) == (MISMATCH, True)


# Only these leave a missing item missing.
@pytest.mark.parametrize(
    ("updates", "only_removes"),
    [
        ({"x": _delete()}, True),
        ({"x": _delete(), "y": _delete({"SS": ["a"]})}, True),
        ({"x": _delete(), "y": _put({"S": "a"})}, False),
        ({"x": _add({"N": "1"})}, False),
    ],
)
def test_only_removes(updates, only_removes):
    assert attribute_update(updates).only_removes is only_removes


def test_targets_are_attributes_and_no_paths():
    update = attribute_update({"a.b": _put({"S": "x"}), "c": _delete()})
    assert update.targets == ("a.b", "c")
    assert update.nested == ()
    assert update.apply({"c": {"S": "y"}}) == {"a.b": {"S": "x"}}


_changes = st.one_of(
    values.map(_put),
    st.just(_delete()),
    values.filter(lambda value: set(value) & {"N", "SS", "NS", "BS"}).map(_add),
    values.filter(lambda value: set(value) & {"SS", "NS", "BS"}).map(_delete),
)


def _plainly(update, stored):
    """The attribute after one update, None for none; by way of the plain evaluator's actions."""
    if update.value is None or update.action is None:
        return update.value
    kind = Add if update.action == "ADD" else Delete
    action = kind(Path(("x",)), Constant(0))
    return result_of(action, {} if stored is None else {"x": stored}, [update.value])


@given(st.dictionaries(st.sampled_from(NAMES), _changes, min_size=1, max_size=3), items)
def test_updates_do_what_they_say(updates, item):
    after = dict(item)
    try:
        for name, update in updates.items():
            result = _plainly(update, item.get(name))
            after.pop(name, None)
            if result is not None:
                after[name] = result
    except RefusedError as refusal:
        event(str(refusal)[:30])
        # Other words for a stored value of another type; the same for a sum that is no number.
        text = MISMATCH if str(refusal) == WRONG_TYPE else str(refusal)
        assert refused(attribute_update(updates).apply, item) == text
        return
    assert attribute_update(updates).apply(item) == after


def test_each_request_has_its_own_values():
    first, second = (
        attribute_update({"x": _put({"S": "1"})}),
        attribute_update({"x": _put({"S": "2"})}),
    )
    assert first.shape is second.shape, "compiled once"
    assert (first.apply({}), second.apply({})) == ({"x": {"S": "1"}}, {"x": {"S": "2"}})


# A plan is kept for long; the values of the request that brought it must not be.
def test_values_are_not_kept():
    content = "updates that nobody keeps" + "!" * len(gc.get_objects()[:1])
    before = sys.getrefcount(content)
    update = attribute_update({"x": _put({"S": content}), "y": _add({"SS": [content]})})
    assert sys.getrefcount(content) > before
    del update
    gc.collect()
    assert sys.getrefcount(content) == before


# Catalogue 220.
@pytest.mark.parametrize("action", [None, "PUT", "ADD"])
def test_only_delete_needs_no_value(action):
    text = INVALID + "Only DELETE action is allowed when no attribute value is specified"
    assert refused(attribute_update, {"x": AttributeValueUpdate(action=action)}) == text


# Catalogue 221 and 222.
@rows("kind", VALUES)
def test_types_of_values(kind):
    updates = {"x": _delete(VALUES[kind])}
    if kind in {"SS", "NS", "BS"}:
        assert attribute_update(updates) is not None
    else:
        text = INVALID + f"DELETE action with value is not supported for the type {kind}"
        assert refused(attribute_update, updates) == text
    updates = {"x": _add(VALUES[kind])}
    if kind in {"N", "L", "SS", "NS", "BS"}:
        assert attribute_update(updates) is not None
    else:
        text = INVALID + f"ADD action is not supported for the type {kind}"
        assert refused(attribute_update, updates) == text


# A fault of the value is told before what the action says of its type.
@pytest.mark.parametrize(
    ("updates", "text"),
    [
        ({"x": _delete({"N": "x"})}, "The parameter cannot be converted to a numeric value: x"),
        ({"x": _add({"SS": []})}, INVALID + "An string set  may not be empty"),
        (
            {"x": _put({})},
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        (
            {"x": _put({"S": "a"}), "y": _add({"S": "a"}), "z": AttributeValueUpdate()},
            INVALID + "ADD action is not supported for the type S",
        ),
    ],
)
def test_order_of_checks(updates, text):
    assert refused(attribute_update, updates) == text


# No item could have such an attribute.
@pytest.mark.parametrize("update", [_put({"S": "a"}), _delete()])
def test_names(update):
    assert refused(attribute_update, {"": update}) == "Empty attribute name"
    text = INVALID + "Attribute name is too large, must be less than 65536 bytes"
    assert refused(attribute_update, {"é" * 32768: update}) == text
    assert attribute_update({"n" * 65535: update}) is not None
