"""Conditions as IAM was recorded to evaluate them in September 2026, on the tags of a request."""

import pytest

from tests.rows import rows
from tests.unit.access.policies.test_conditions import holds

KEY = "aws:RequestTag/value"
RANGE = "192.0.2.0/24"
ARNS = "arn:aws:iam::*:user/*"
USER = "arn:aws:iam::123456789012:user/test"


@rows(
    ("operator", "expected", "matching", "others"),
    [
        ("NumericEquals", "1", ["1", "01", "+1", "1.0", "1e0"], ["2", "no-number", "", "NaN"]),
        ("NumericEquals", "1", [], ["Infinity"]),
        ("NumericEquals", "1.", ["1"], []),
        ("NumericEquals", "NaN", [], ["1", "no-number"]),
        ("NumericEquals", "9007199254740993", [], ["9007199254740992"]),
        ("NumericNotEquals", "1", ["2", "no-number", "", "NaN"], ["1", "01", "1e0"]),
        ("NumericNotEquals", "NaN", ["1", "no-number"], []),
        ("DateEquals", "2030-01-01T00:00:00Z", ["1893456000", "+1893456000", "2030-01-01"], [""]),
        ("DateEquals", "2030-01-01T00:00:00Z", ["2030-01-01T00:00:00.0001Z"], ["not-a-date"]),
        ("DateEquals", "2030-01-01T00:00:00Z", ["2030-01-01T00:00:00"], ["2030-01-02"]),
        ("DateEquals", "2030-01-01T00:00:00.1231Z", ["2030-01-01T00:00:00.1239Z"], []),
        ("DateNotEquals", "2030-01-01T00:00:00Z", ["not-a-date", ""], ["1893456000"]),
        ("Bool", "true", ["true", "True", "TRUE"], ["false", "yes", "1", "", " true "]),
        ("Bool", "false", ["false", "yes", "1", "", " true "], ["true", "True", "TRUE"]),
        ("Bool", "TRUE", ["true"], []),
        ("Bool", "yes", ["false"], []),
        ("BinaryEquals", "YQ==", ["YQ=="], ["Yg==", "YQ", "YR==", "no-binary", "", " YQ== "]),
        ("IpAddress", RANGE, ["192.0.2.0", "192.0.2.255", "192.000.002.1"], ["192.0.3.1", ""]),
        ("IpAddress", RANGE, ["::ffff:192.0.2.1", "::FFFF:c000:201"], ["not-an-ip", "192.0.513"]),
        ("IpAddress", RANGE, [], ["192.0.2.1/32", "3221225985"]),
        ("NotIpAddress", RANGE, ["192.0.3.1"], ["192.0.2.1", "not-an-ip", "", "192.0.2.1/32"]),
        ("NotIpAddress", RANGE, [], ["192.0.513", "3221225985", "::ffff:192.0.2.1"]),
        ("IpAddress", "192.0.2.5/24", ["192.0.2.1"], []),
        ("IpAddress", "192.0.2.0/31", ["192.0.2.1"], ["192.0.2.2"]),
        ("IpAddress", "192.0.2.0/0", ["203.0.113.1"], ["2001:db8::1"]),
        ("IpAddress", "192.000.002.0/24", ["192.0.2.1"], []),
        ("IpAddress", "192.0.2.0/024", ["192.0.2.1"], []),
        ("IpAddress", "192.0.2.0/+24", ["192.0.2.1"], []),
        ("IpAddress", ["not-an-ip", RANGE], ["192.0.2.1"], ["192.0.3.1"]),
        ("NotIpAddress", ["not-an-ip", RANGE], ["192.0.3.1"], ["192.0.2.1"]),
        ("NotIpAddress", "not-an-ip", ["192.0.2.1"], ["not-an-ip"]),
        ("NotIpAddress", "192.0.2.0/33", ["192.0.2.1"], []),
        ("NotIpAddress", "::ffff:192.0.2.0/120", ["192.0.2.1", "::ffff:192.0.2.1"], []),
        ("NotIpAddress", "::ffff:c000:200/120", ["::ffff:c000:201"], []),
        ("NotIpAddress", "::ffff:192.0.2.1", ["::ffff:192.0.2.1"], []),
        ("NotIpAddress", "::192.0.2.0/120", [], ["::192.0.2.1"]),
        ("NotIpAddress", "2001:db8::192.0.2.0/120", ["2001:db8::c000:201"], []),
        ("IpAddress", "::/0", ["2001:db8::1"], ["192.0.2.1", "::ffff:192.0.2.1"]),
        ("IpAddress", "2001:db8::1", ["2001:db8::1"], ["2001:db8::2"]),
        ("IpAddress", "2001:DB8::/064", ["2001:0db8:0000:0000:0000:0000:0000:0001"], []),
        ("IpAddress", "2001:db8::/64", [], ["2001:db8:0:1::", "2001:db8::192.0.2.1"]),
        ("NotIpAddress", "2001:db8::/64", ["2001:db8:0:1::"], ["2001:db8::192.0.2.1"]),
        ("IpAddress", "2001:db8::4/127", ["2001:db8::5"], ["2001:db8::6"]),
        # A range of IPv6 that does not begin at its first address has none.
        ("NotIpAddress", "2001:db8::5/64", ["2001:db8::5", "2001:db8::6"], []),
        ("NotIpAddress", "2001:db8::5/127", ["2001:db8::4", "2001:db8::5"], []),
        ("NotIpAddress", "2001:db8::1/0", ["2001:db8::1"], []),
        ("NotIpAddress", "2001:db8::/129", ["2001:db8::1"], []),
        ("ArnLike", ARNS, [USER], ["arn:aws:iam::123456789012:role/test", "not-an-arn", ""]),
        ("ArnNotLike", ARNS, ["arn:aws:iam::123456789012:role/test"], [USER, "not-an-arn", ""]),
        ("StringEqualsIgnoreCase", "K", ["\u212a"], []),
        ("StringEqualsIgnoreCase", "s", [], ["\u017f"]),
        ("StringEqualsIgnoreCase", "I", [], ["\u0131"]),
        ("StringEqualsIgnoreCase", "\u039f\u03a3", ["\u03bf\u03c2"], ["\u03bf\u03c3"]),
        ("StringEqualsIgnoreCase", "\u00df", ["\u1e9e"], ["SS"]),
        ("StringLike", "?", ["\u00e9"], ["\U00010400"]),
        ("StringLike", "??", ["\U00010400"], []),
        ("StringLike", "a?b", ["a:b"], ["a\U00010400b"]),
        ("StringLike", "a*?b", ["a\U00010400b"], []),
        ("StringLike", "\U00010400?", ["\U00010400x"], ["\U00010400\U00010428"]),
        ("StringLike", "a[b]", [], ["ab"]),
    ],
)
def test_one_value(operator, expected, matching, others):
    condition = {operator: {KEY: expected}}
    assert [value for value in matching if not holds(condition, {KEY: (value,)})] == []
    assert [value for value in others if holds(condition, {KEY: (value,)})] == []


# The keys of tags are a set: a condition without a quantifier is false of it, even of one key.
@pytest.mark.parametrize("operator", ["StringEquals", "StringNotEquals"])
@pytest.mark.parametrize("suffix", ["", "IfExists"])
@pytest.mark.parametrize("keys", [("team",), ("env",), ("team", "env")])
def test_a_set_is_no_single_value(operator, suffix, keys):
    condition = {f"{operator}{suffix}": {"aws:TagKeys": "team"}}
    assert not holds(condition, {"aws:TagKeys": keys})
    assert holds(condition, {}) is (operator == "StringNotEquals" or bool(suffix))


@pytest.mark.parametrize(
    ("expected", "if_present"), [("yes", True), ("false", True), ("TRUE", False)]
)
def test_null(expected, if_present):
    assert holds({"Null": {KEY: expected}}, {KEY: ("",)}) is if_present


def test_a_variable_does_not_stand_for_a_set():
    for default in ("", ", 'team'"):
        expected = f"${{aws:TagKeys{default}}}"
        context = {KEY: ("team",), "aws:TagKeys": ("team",)}
        assert not holds({"StringEquals": {KEY: expected}}, context)
        assert holds({"StringNotEquals": {KEY: expected}}, context)
