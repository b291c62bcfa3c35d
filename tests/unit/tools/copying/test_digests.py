import random

import msgspec
import pytest

from hashrange.tools.copying.digests import (
    Tally,
    digest_of,
    digest_of_any_text,
    digest_of_text,
    joined,
    text_of,
)

both = pytest.mark.parametrize("digest", [digest_of_text, digest_of_any_text])
ITEMS = [{"pk": {"S": f"key {number}"}, "n": {"N": str(number)}} for number in range(100)]


def raw(items):
    return [msgspec.json.encode(item) for item in items]


# Two servers give the items of a table in different orders and pages.
@both
def test_order_and_pages_do_not_matter(digest):
    shuffled = ITEMS.copy()
    random.Random(1).shuffle(shuffled)
    halves = [Tally().plus(raw(part), digest) for part in (shuffled[:30], shuffled[30:])]
    assert joined(halves) == Tally().plus(raw(ITEMS), digest)
    assert joined(halves).items == 100


@pytest.mark.parametrize(
    "other",
    [
        ITEMS[:-1],
        [*ITEMS[:-1], ITEMS[0]],
        [*ITEMS[:-1], {**ITEMS[-1], "n": {"N": "98"}}],
        [*ITEMS[:-1], {**ITEMS[-1], "n": {"S": "99"}}],
        [*ITEMS[:-1], {**ITEMS[-1], "m": {"NULL": True}}],
    ],
)
@both
def test_other_items_have_another_sum(digest, other):
    assert Tally().plus(raw(other), digest) != Tally().plus(raw(ITEMS), digest)


# As the service, DynamoDB Local and this server write one and the same item.
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a":{"N":"1.50"},"b":{"S":"x"}}', '{"b":{"S":"x"},"a":{"N":"1.5"}}'),
        ('{"a":{"NS":["2","1"]}}', '{"a":{"NS":["1","2.0"]}}'),
        ('{"a":{"SS":["b","a"]}}', '{"a": {"SS": ["a", "b"]}}'),
        ('{"a":{"BS":["/w==","AA=="]}}', '{"a":{"BS":["AA==","/w=="]}}'),
        ('{"m":{"M":{"x":{"N":"1"},"y":{"L":[]}}}}', '{"m":{"M":{"y":{"L":[]},"x":{"N":"1e0"}}}}'),
        (r'{"a":{"S":"\u00e9"}}', '{"a":{"S":"é"}}'),
    ],
)
def test_two_texts_of_one_item_are_one(one, other):
    assert digest_of_any_text(one.encode()) == digest_of_any_text(other.encode())


# The order of a list is part of it, and an empty value is another one than none.
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": {"L": [{"N": "1"}, {"N": "2"}]}}, {"a": {"L": [{"N": "2"}, {"N": "1"}]}}),
        ({"a": {"S": ""}}, {}),
        ({"a": {"B": ""}}, {"a": {"S": ""}}),
        ({"a": {"S": "1"}}, {"a": {"N": "1"}}),
    ],
)
def test_two_items_are_two(one, other):
    assert digest_of(one) != digest_of(other)


# Other servers keep what DynamoDB refuses; it must not stop the counting.
def test_what_is_no_item_has_a_text_too():
    assert text_of({"b": {"NS": []}, "a": {"S": "x"}}) == b'{"a":{"S":"x"},"b":{"NS":[]}}'
