"""What single-item writes decide, by value: pure, so twice is as good as once."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.dynamodb.items import delete_item, get_item, put_item, update_item
from hashrange.capacity.units import write_units
from hashrange.errors import DynamoError, Fault
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.model.canonical import canonical_item
from hashrange.model.sizes import item_bytes
from hashrange.model.wording import Wording
from hashrange.tables.items.images import image_of
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import Decision
from tests.rows import rows
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


def failure(planned, before):
    """The fault that a plan decides on, twice the same."""
    faults = []
    for _ in range(2):
        with pytest.raises(DynamoError) as caught:
            planned.decide(None if before is None else image(before))
        faults.append(caught.value)
    first, second = faults
    assert (first.fault, first.message, first.members, vars(first).get("write_units")) == (
        second.fault,
        second.message,
        second.members,
        vars(second).get("write_units"),
    )
    return first


@pytest.mark.parametrize("before", [None, KEY, ITEM])
def test_put_decides_on_the_new_image(before):
    decision = decided(put(ITEM), before)
    assert decision == Decision(image(ITEM), None, ITEM)


# The answer is what is stored, not parsed and encoded anew.
def test_put_answers_the_old_image_as_it_is():
    planned = put(KEY, return_values="ALL_OLD")
    assert decided(planned, ITEM).answer == msgspec.Raw(image(ITEM).json)
    assert decided(planned, None).answer is None


@pytest.mark.parametrize("before", [None, ITEM])
def test_delete_decides_on_nothing(before):
    decision = decided(delete(), before)
    assert decision == Decision(None, None)


def test_delete_answers_the_old_image_as_it_is():
    planned = delete(return_values="ALL_OLD")
    assert decided(planned, ITEM).answer == msgspec.Raw(image(ITEM).json)
    assert decided(planned, None).answer is None


# The very image that was handed in: the writer then writes nothing.
def test_update_of_nothing_keeps_the_image():
    stored = image(ITEM)
    decision = update().decide(stored)
    assert decision.after is stored


def test_update_of_nothing_makes_a_key():
    assert decided(update(), None).after == image(KEY)


def test_update_changes_the_image():
    decision = decided(update("SET a = a + :n", {":n": {"N": "41"}}), ITEM)
    assert decision.after == image({**ITEM, "a": {"N": "42"}})


# Order is kept where nothing changes, as a client sees it.
def test_update_keeps_the_order_of_attributes():
    after = decided(update("SET a = :n, b = :n", {":n": {"N": "2"}}), ITEM).after
    assert list(after.item()) == ["pk", "a", "m", "b"]


# An update of no item sees the key that there will be, and answers none of it as old.
def test_update_of_no_item_reads_the_key():
    decision = decided(update("SET a = pk", return_values="UPDATED_OLD"), None)
    assert decision.after == image({**KEY, "a": {"S": "k"}})
    assert decision.answer is None


@pytest.mark.parametrize("expression", ["REMOVE a", "REMOVE a.b[1]"])
def test_removals_from_no_item_decide_on_none(expression):
    assert decided(update(expression), None) == Decision(None, None)


# Four answers of one update.
@pytest.mark.parametrize(
    ("wanted", "attributes"),
    [
        ("ALL_OLD", msgspec.Raw(image(ITEM).json)),
        ("ALL_NEW", msgspec.Raw(image({"pk": KEY["pk"], "m": ITEM["m"], "b": {"N": "1"}}).json)),
        ("UPDATED_OLD", {"a": {"N": "1"}}),
        ("UPDATED_NEW", {"b": {"N": "1"}}),
        ("NONE", None),
        (None, None),
    ],
)
def test_update_answers(wanted, attributes):
    planned = update("SET b = a REMOVE a", return_values=wanted)
    assert decided(planned, ITEM).answer == attributes


# A refused write costs what it had to look at, so the bytes travel with the fault.
@rows("planned", [put, lambda _, **more: update(**more), lambda _, **more: delete(**more)])
@rows("before", [None, ITEM])
@rows("wanted", [None, "ALL_OLD"])
def test_failed_condition(planned, before, wanted):
    made = planned(
        KEY,
        condition_expression="attribute_exists(gone)",
        return_values_on_condition_check_failure=wanted,
    )
    error = failure(made, before)
    assert error.fault is Fault.CONDITION_FAILED
    assert error.write_units == write_units(0 if before is None else item_bytes(before))
    answered = before is not None and wanted == "ALL_OLD"
    expected = {"Item": msgspec.Raw(image(ITEM).json)} if answered else None
    assert error.members == expected


# The limit is that of what is finished, and of the clauses: one byte more is too much.
def test_update_beyond_the_limit():
    room = ITEM_BYTES_MAX - item_bytes(KEY) - len("a") - item_bytes({"b": {"S": "x" * 100}})
    before = {**KEY, "b": {"S": "x" * 100}}
    fits = update("SET a = :v", {":v": {"S": "x" * room}})
    assert decided(fits, before).after.size == ITEM_BYTES_MAX
    over = update("SET a = :v", {":v": {"S": "x" * (room + 1)}})
    assert failure(over, before).fault is Fault.VALIDATION
    assert not failure(over, before).message.startswith("1 validation")


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
