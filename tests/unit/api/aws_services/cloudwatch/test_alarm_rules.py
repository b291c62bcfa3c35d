"""Rules of composite alarms, by value."""

import pytest

from hashrange.api.aws_services.cloudwatch.alarm_rules import RuleError, holds, in_order, rule_of

STATES = {"a": "ALARM", "b": "OK", "c": "INSUFFICIENT_DATA", "two words": "ALARM"}
ARN = "arn:aws:cloudwatch:us-east-1:123456789012:alarm:a"


@pytest.mark.parametrize(
    ("text", "value", "children"),
    [
        ("TRUE", True, []),
        ("not false", True, []),
        ("ALARM(a)", True, ["a"]),
        ('OK("b")', True, ["b"]),
        ("INSUFFICIENT_DATA( c )", True, ["c"]),
        ("ALARM(two words)", True, ["two words"]),
        (f"ALARM({ARN})", True, ["a"]),
        (f'OK("{ARN}")', False, ["a"]),
        ("ALARM(unknown) OR OK(unknown)", False, ["unknown"]),
        ("ALARM(a) AND NOT ALARM(b)", True, ["a", "b"]),
        ("TRUE OR TRUE AND FALSE", True, []),
        ("(TRUE OR TRUE) AND FALSE", False, []),
        ("NOT NOT TRUE AND NOT (FALSE OR FALSE)", True, []),
        ("NOT FALSE AND FALSE", False, []),
    ],
)
def test_rules_are_read_and_evaluated(text, value, children):
    rule = rule_of(text)
    assert (holds(rule.node, STATES), list(rule.children)) == (value, children)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ALARM",
        "ALARM()",
        "ALARM(a",
        "ALARM(a))",
        "(ALARM(a)",
        "a",
        "TRUE FALSE",
        "AND TRUE",
        "TRUE OR",
        "NOT",
        "TRUEE",
        "ALARM(a) & ALARM(b)",
        "(" * 101 + "TRUE" + ")" * 101,
        " OR ".join(["TRUE"] * 501),
        " OR ".join(f"OK(a{number})" for number in range(101)),
    ],
)
def test_rules_that_cannot_be_are_refused(text):
    with pytest.raises(RuleError):
        rule_of(text)


def test_alarms_come_after_those_that_they_need():
    rules = {
        "outer": rule_of("ALARM(inner) OR ALARM(metric)"),
        "inner": rule_of("ALARM(metric)"),
        "cycle": rule_of("ALARM(round)"),
        "round": rule_of("ALARM(cycle)"),
        "behind": rule_of("ALARM(cycle)"),
        "self": rule_of("ALARM(self)"),
    }
    assert in_order(rules) == ["inner", "outer"]
