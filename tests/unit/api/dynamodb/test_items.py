"""What single-item writes decide, by value: pure, so twice is as good as once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.dynamodb.items import delete_item, get_item, put_item, update_item
from hashrange.model.canonical import canonical_item
from hashrange.model.sizes import item_bytes
from hashrange.model.wording import Wording
from hashrange.tables.items.images import image_of
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import Decision
from tests.unit.model.strategies import items
from tests.unit.tables.definitions import definition

TABLE = OpenTable(definition(), {})
KEY = {"pk": {"S": "k"}}
ITEM = {**KEY, "a": {"N": "1"}, "m": {"M": {"x": {"S": "y"}}}}


def image(item):
    """An item as it is stored."""
    return image_of(item, item_bytes(item))


def plan(operation, request):
    """The plan of a request of an operation's module."""
    return operation.fit(operation.check(request), TABLE)


def put(item, **more):
    return plan(put_item, put_item.PutItem(table_name="items", item=item, **more))


def update(expression=None, values=None, **more):
    request = update_item.UpdateItem(
        table_name="items",
        key=KEY,
        update_expression=expression,
        expression_attribute_values=values,
        **more,
    )
    return plan(update_item, request)


def delete(**more):
    return plan(delete_item, delete_item.DeleteItem(table_name="items", key=KEY, **more))


def decided(planned, before):
    """What a plan decides, twice: the second time nothing may have changed."""
    stored = None if before is None else image(before)
    first = planned.decide(stored)
    again = planned.decide(stored)
    assert again == first
    if stored is not None:
        assert stored == image(before)
    return first


@pytest.mark.parametrize("before", [None, KEY, ITEM])
def test_put_decides_on_the_new_image(before):
    decision = decided(put(ITEM), before)
    assert decision == Decision(image(ITEM), None, ITEM)


# The very image that was handed in: the writer then writes nothing.
def test_update_of_nothing_keeps_the_image():
    stored = image(ITEM)
    decision = update().decide(stored)
    assert decision.after is stored


# Order is kept where nothing changes, as a client sees it.
def test_update_keeps_the_order_of_attributes():
    after = decided(update("SET a = :n, b = :n", {":n": {"N": "2"}}), ITEM).after
    assert list(after.item()) == ["pk", "a", "m", "b"]


# The size is kept up by what changes; it must be what measuring anew would give.
@given(st.data(), items, items)
def test_sizes_are_those_of_what_is_stored(data, before, changes):
    before = canonical_item({**before, **KEY}, Wording.CURRENT).item
    changes = {name: value for name, value in changes.items() if name != "pk"}
    removed = data.draw(st.sets(st.sampled_from([*before, "never"])), label="removed")
    removed -= {"pk", *changes}
    targets = dict.fromkeys([*changes, *removed])
    names = {f"#n{position}": name for position, name in enumerate(targets)}
    values = {f":v{position}": value for position, value in enumerate(changes.values())}
    sets = [f"#n{position} = :v{position}" for position in range(len(changes))]
    removes = [f"#n{position}" for position in range(len(changes), len(targets))]
    expression = " ".join(
        [
            *(["SET", ", ".join(sets)] if sets else []),
            *(["REMOVE", ", ".join(removes)] if removes else []),
        ]
    )
    if not expression:
        return
    planned = update(expression, values or None, expression_attribute_names=names)
    after = decided(planned, before).after
    expected = {**before, **canonical_item(changes, Wording.CURRENT).item}
    expected = {name: value for name, value in expected.items() if name not in removed}
    assert after.item() == expected
    assert after.size == item_bytes(after.item())


# Reads have plans too: the key, and what to show of the item.
def test_get_is_planned_for_its_key():
    planned = plan(get_item, get_item.GetItem(table_name="items", key=KEY))
    assert planned.checked.shape.projection is None
    assert planned.key == put(ITEM).key == delete().key == update().key
