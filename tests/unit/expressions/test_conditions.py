"""What conditions mean beyond `test_condition_properties` and the operators in tests/api."""

from tests.unit.expressions.requests import condition


# UTF-8 orders U+FFFF before U+10000, UTF-16 does not.
def test_text_is_ordered_by_its_bytes():
    item = {"s": {"S": "\uffff"}}
    values = {":v": {"S": "\U00010000"}}
    assert condition("s < :v", values).holds(item)


def test_numbers_are_compared_by_value():
    for smaller, larger in [("9", "10"), ("-10", "-9"), ("0.5", "1"), ("-0.5", "0.25")]:
        assert condition("a < :v", {":v": {"N": larger}}).holds({"a": {"N": smaller}})
        assert not condition("a < :v", {":v": {"N": smaller}}).holds({"a": {"N": larger}})
    # More digits than a float has.
    item = {"a": {"N": "12345678901234567890123456789012345678"}}
    assert condition("a < :v", {":v": {"N": "12345678901234567890123456789012345679"}}).holds(item)


def test_a_nowhere_item_is_an_empty_one():
    assert condition("attribute_not_exists(a)").holds({})
    assert not condition("a = :v", {":v": {"S": ""}}).holds({})


# Deep enough for every level to matter, and within the limits.
def test_deep_conditions():
    item = {"a": {"S": "x"}, "c": {"S": "1"}, "d": {"S": "1"}}
    values = {":v": {"S": "x"}}
    for text in (
        "(NOT " * 296 + "a = :v" + ")" * 296,
        "NOT " * 296 + "a = :v",
        "c = d AND (" * 148 + "a = :v" + ")" * 148,
        "c <> d OR (" * 148 + "a = :v" + ")" * 148,
        "(NOT (c <> d OR " * 98 + "a = :v" + "))" * 98,
    ):
        assert condition(text, values).holds(item)
        assert not condition(f"NOT ({text} AND c = d)", values).holds(item)
