"""Updates that write one value many times, and sets taken away from smaller ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.messages.items.operations import item_too_large_after_update
from hashrange.model.canonical import canonical_value
from hashrange.model.wording import Wording
from tests.unit.expressions.requests import bound

HALF = {"L": [{"S": ""}] * (ITEM_BYTES_MAX // 2)}


def written(text, item, **values):
    update = bound(None, {f":{name}": value for name, value in values.items()} or None, update=text)
    return update.update.apply(item)


def sets_of(target, count):
    return "SET " + ", ".join(f"{target.format(number)} = l" for number in range(count))


# Of few actions the result is measured by whoever knows the item; of many while they are computed.
@pytest.mark.parametrize("target", ["a{}", "m.a{}"])
def test_what_many_actions_write_is_bounded(target):
    item = {"l": HALF, "m": {"M": {}}}
    assert written(sets_of(target, 8), item)
    with pytest.raises(DynamoError) as refused:
        written(sets_of(target, 9), item)
    assert refused.value.message == item_too_large_after_update()


def test_many_actions_may_write_as_much_as_an_item_has():
    text = "SET " + ", ".join(f"a{number} = :v" for number in range(16))
    most = ITEM_BYTES_MAX // 16
    assert len(written(text, {}, v={"S": "x" * most})) == 16
    with pytest.raises(DynamoError):
        written(text, {}, v={"S": "x" * (most + 1)})


def test_many_actions_do_what_few_do():
    text = ", ".join(f"a{number} = :v" for number in range(20))
    item = {"b": {"S": "b"}, "c": {"S": "c"}}
    expected = {"c": {"S": "c"}, **{f"a{number}": {"S": "x"} for number in range(20)}}
    assert written(f"SET {text} REMOVE b, d", item, v={"S": "x"}) == expected


integers = st.lists(st.integers(-50, 50), unique=True, min_size=1, max_size=60)
texts = st.lists(st.text("ab\N{GRINNING FACE}\ue000", max_size=3), unique=True, min_size=1)
bytes_ = st.lists(
    st.sampled_from(["", "AA==", "AAA=", "/w==", "AQ==", "AAAA"]), unique=True, min_size=1
)


def canonical(kind, members):
    return canonical_value({kind: members}, Wording.CURRENT)


# Whether the larger set is hashed or searched in, the same remains.
@given(
    st.one_of(
        st.tuples(st.just("NS"), integers.map(lambda each: [str(one) for one in each]), integers),
        st.tuples(st.just("SS"), texts, texts),
        st.tuples(st.just("BS"), bytes_, bytes_),
    ),
    st.booleans(),
)
def test_sets_taken_away(drawn, pads):
    kind, members, removed = drawn
    taken = [str(one) for one in removed]
    if pads and kind == "NS":
        taken += [f"{number}.5" for number in range(1300)]
    if pads and kind == "SS":
        taken += [f"c{number}" for number in range(3000)]
    left = [member for member in members if member not in set(taken)]
    expected = {"s": canonical(kind, left)} if left else {}
    item = {"s": canonical(kind, members)}
    assert written("DELETE s :v", item, v=canonical(kind, taken)) == expected
