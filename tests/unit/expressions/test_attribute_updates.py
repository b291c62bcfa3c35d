"""AttributeUpdates: what the three actions do, and what is refused."""

import gc
import sys

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

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


# No item could have such an attribute.
@pytest.mark.parametrize("update", [_put({"S": "a"}), _delete()])
def test_names(update):
    assert refused(attribute_update, {"": update}) == "Empty attribute name"
    text = INVALID + "Attribute name is too large, must be less than 65536 bytes"
    assert refused(attribute_update, {"é" * 32768: update}) == text
    assert attribute_update({"n" * 65535: update}) is not None
