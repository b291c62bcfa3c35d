import copy
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError, Fault
from hashrange.model.canonical import canonical_item, canonical_value
from hashrange.model.wording import Wording
from tests.unit.model.strategies import base64, data, items, numbers, texts, values

INVALID = "One or more parameter values were invalid: "
TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)


def refused(value, wording=Wording.CURRENT):
    """The refusal of a value: the same alone, in an item, and inside of other values."""
    errors = []
    for attempt in (
        lambda: canonical_value(value, wording),
        lambda: canonical_item({"a": value}, wording),
        lambda: canonical_item({"b": {"S": "x"}, "a": {"L": [{"M": {"m": value}}]}}, wording),
    ):
        with pytest.raises(DynamoError) as caught:
            attempt()
        errors.append(caught.value)
    assert len({(error.fault, error.message, error.bare) for error in errors}) == 1
    return errors[0]


def test_attributes_keep_their_order():
    item = {"b": {"N": "1"}, "a": {"N": "2.0"}, "c": {"M": {"z": {"N": "+1"}, "y": {"S": ""}}}}
    sized = canonical_item(item, Wording.CURRENT)
    assert list(sized.item) == ["b", "a", "c"]
    assert list(sized.item["c"]["M"]) == ["z", "y"]


def test_an_empty_item_has_no_bytes():
    sized = canonical_item({}, Wording.CURRENT)
    assert (sized.item, sized.bytes) == ({}, 0)


# Copies cost; an SDK sends nearly everything in canonical form.
def test_what_is_canonical_is_not_copied():
    item = {
        "pk": {"S": "a"},
        "n": {"N": "12.5"},
        "b": {"B": "AA=="},
        "t": {"BOOL": True},
        "ss": {"SS": ["a", "b"]},
        "ns": {"NS": ["1", "2.5", "10"]},
        "bs": {"BS": ["AA==", "/w=="]},
        "m": {"M": {"l": {"L": [{"NULL": True}]}}},
    }
    assert canonical_item(item, Wording.CURRENT).item is item
    for value in item.values():
        assert canonical_value(value, Wording.CURRENT) is value


@given(items)
def test_nothing_that_comes_in_is_changed(item):
    before = copy.deepcopy(item)
    canonical_item(item, Wording.CURRENT)
    assert item == before


@given(values, st.sampled_from(Wording))
def test_canonical_is_idempotent(value, wording):
    once = canonical_value(value, wording)
    assert canonical_value(once, wording) == once


@given(items)
def test_an_item_is_the_canonical_form_of_its_values(item):
    assert canonical_item(item, Wording.CURRENT).item == {
        name: canonical_value(value, Wording.CURRENT) for name, value in item.items()
    }


@given(
    st.one_of(
        st.tuples(st.just("SS"), st.lists(texts, min_size=1, max_size=5, unique=True)),
        st.tuples(st.just("NS"), st.lists(numbers(), min_size=1, max_size=5, unique_by=Decimal)),
        st.tuples(st.just("BS"), st.lists(data.map(base64), min_size=1, max_size=5, unique=True)),
    ),
    st.randoms(use_true_random=False),
)
def test_sets_are_equal_in_any_order(drawn, random):
    kind, members = drawn
    shuffled = random.sample(members, len(members))
    first, second = (canonical_value({kind: each}, Wording.CURRENT) for each in (members, shuffled))
    assert first == second
    assert len(first[kind]) == len(members)


@given(numbers(), st.sampled_from(["{}", "0{}", "+{}", "{}e0"]))
def test_numbers_are_equal_in_any_spelling(number, spelling):
    plain = canonical_value({"N": number}, Wording.CURRENT)["N"]
    if not plain.startswith("-"):
        assert canonical_value({"N": spelling.format(plain)}, Wording.CURRENT) == {"N": plain}


def test_the_first_fault_as_sent_is_told():
    item = {"a": {"N": "x"}, "b": {"NULL": False}}
    with pytest.raises(DynamoError, match="value: x"):
        canonical_item(item, Wording.CURRENT)
    with pytest.raises(DynamoError, match="value of true"):
        canonical_item(dict(reversed(item.items())), Wording.CURRENT)


# Lists of many numbers, such as vectors, are checked and measured as a whole.
@given(st.lists(numbers(), min_size=1, max_size=3))
def test_a_list_of_many_numbers_is_the_list_of_each(drawn):
    many = [{"N": number} for number in drawn] * 20
    each = [canonical_item({"n": value}, Wording.CURRENT) for value in many]
    found = canonical_item({"l": {"L": many}}, Wording.CURRENT)
    assert found.item == {"l": {"L": [one.item["n"] for one in each]}}
    # A list has three bytes and one for each element, in place of the byte of each name here.
    assert found.bytes == 1 + 3 + sum(one.bytes for one in each)
    assert canonical_value(found.item["l"], Wording.CURRENT) is found.item["l"]


@pytest.mark.parametrize("wrong", [{"N": "x"}, {"N": "1e200"}, {}, {"N": "1", "S": "a"}])
def test_the_first_fault_of_many_numbers_is_that_of_its_element(wrong):
    many = [*[{"N": "1"}] * 20, wrong, {"N": "y"}]
    assert refused({"L": many}).message == refused(wrong).message


# DynamoDB reads base64 while it decodes, before it validates anything.
@pytest.mark.parametrize(
    "bad",
    [
        {"B": "A"},
        {"BS": ["AA==", "A"]},
        {"L": [{"S": ""}, {"B": "A"}]},
        {"M": {"x": {"S": ""}, "y": {"B": "A"}}},
        {"L": [{"M": {"x": {"BS": ["A"]}}}]},
        {"S": "", "B": "A"},
    ],
)
def test_bad_base64_goes_before_every_other_fault(bad):
    message = "Base64 encoded length is expected a multiple of 4 bytes but found: 1"
    assert refused(bad).message == message
    assert refused({"L": [{"N": "x"}, bad, {"B": "ab"}]}).message == message
    error = refused({"M": {"": {"S": ""}, "b": bad}})
    assert (error.message, error.fault) == (message, Fault.SERIALIZATION)


@pytest.mark.parametrize("wording", Wording)
def test_empty_names_are_refused_at_every_level(wording):
    message = "Empty attribute name"
    assert refused({"M": {"a": {"S": ""}, "": {"S": ""}}}, wording).message == message
    with pytest.raises(DynamoError) as caught:
        canonical_item({"": {"S": ""}}, wording)
    assert caught.value.message == message


@pytest.mark.parametrize("name", ["n" * 65_536, "é" * 32_768])
def test_names_of_more_than_65535_bytes_are_refused(name):
    message = INVALID + "Attribute name is too large, must be less than 65536 bytes"
    assert refused({"M": {name: {"S": ""}}}).message == message
    with pytest.raises(DynamoError) as caught:
        canonical_item({"a": {"S": ""}, name: {"S": ""}}, Wording.CURRENT)
    assert caught.value.message == message


@pytest.mark.parametrize("name", ["n" * 65_535, "é" * 32_767])
def test_long_names_are_fine_beside_long_values(name):
    item = {name: {"S": "s" * 100_000}, "m": {"M": {name: {"S": ""}}}}
    assert canonical_item(item, Wording.CURRENT).item is item


def nested(wrappers, kind, leaf):
    value = leaf
    for _ in range(wrappers):
        value = {"L": [value]} if kind == "L" else {"M": {"m": value}}
    return value


@pytest.mark.parametrize("kind", ["L", "M"])
@pytest.mark.parametrize("leaf", [{"S": "leaf"}, {"L": []}, {"M": {}}])
def test_a_value_may_have_32_levels(kind, leaf):
    fits = nested(31, kind, leaf)
    assert canonical_value(fits, Wording.CURRENT) == fits
    assert canonical_item({"a": fits}, Wording.CURRENT).item == {"a": fits}
    for wording in Wording:
        for attempt in (
            lambda wording: canonical_value(nested(32, kind, leaf), wording),
            lambda wording: canonical_item({"a": nested(32, kind, leaf)}, wording),
        ):
            with pytest.raises(DynamoError) as caught:
                attempt(wording)
            assert (caught.value.message, caught.value.bare) == (TOO_DEEP, False)


# Whatever the JSON decoder lets pass, this walk does not go deeper than the limit.
@pytest.mark.parametrize("kind", ["L", "M"])
def test_the_depth_of_a_value_is_no_depth_of_the_stack(kind):
    for leaf, message in (({"S": ""}, TOO_DEEP), ({"B": "A"}, "Base64 encoded length")):
        value = nested(10_000, kind, leaf)
        with pytest.raises(DynamoError, match=message):
            canonical_value(value, Wording.CURRENT)
        while value and kind in value:  # taken apart here: a deep dict is freed recursively
            content = value.pop(kind)
            value = content.pop() if kind == "L" else content.pop("m")
