"""Metric math: what expressions compute of two time series, and what they refuse."""

import pytest

from hashrange.api.aws_services.cloudwatch.expressions import (
    ExpressionError,
    Name,
    nodes_of,
    parsed,
)
from hashrange.api.aws_services.cloudwatch.series_math import (
    Environment,
    Series,
    computed,
    searches_of,
)
from hashrange.limits.cloudwatch import EXPRESSION_VALUES_MAX
from tests.rows import rows

M1 = Series("first", 60, {0: 1.0, 60: 2.0, 180: 4.0})
M2 = Series("second", 60, {0: 10.0, 120: 30.0, 180: 40.0})
NAMED = {"m1": M1, "m2": M2, "e1": [M1, M2], "huge": Series("h", 60, {0: 1e300})}
FOUND = {("{App}", "Sum", 60): [M2]}


def value_of(text, spend=lambda _: None):
    def named(name):
        if name not in NAMED:
            raise ExpressionError(f"Unknown id {name}")
        return NAMED[name]

    environment = Environment(
        times=lambda period: range(0, 240, period),
        named=named,
        metrics=lambda part: [NAMED[name] for name in ("m1", "m2") if part in name],
        searched=FOUND,
        spend=spend,
    )
    found = computed(parsed(text), environment)
    if isinstance(found, Series):
        return dict(found.values)
    return [dict(each.values) for each in found] if isinstance(found, list) else found


@rows(
    "text, value",
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * -3", -9),
        ("2 ^ 3 ^ 2", 512),
        ("10 - 4 - 3", 3),
        ("1 < 2 && 2 >= 2", 1),
        ("1 > 2 OR 3 != 4 AND 1 == 2", 0),
        ("m1 + m2", {0: 11, 180: 44}),
        ("m2 / m1 * 100", {0: 1000, 180: 1000}),
        ("m1 / 0", {}),
        ("100 * m1", {0: 100, 60: 200, 180: 400}),
        ("huge * huge", {}),
        ("e1 + 1", [{0: 2, 60: 3, 180: 5}, {0: 11, 120: 31, 180: 41}]),
        ("SUM([m1, m2])", {0: 11, 60: 2, 120: 30, 180: 44}),
        ("SUM(METRICS())", {0: 11, 60: 2, 120: 30, 180: 44}),
        ('AVG(METRICS("m"))', {0: 5.5, 60: 2, 120: 30, 180: 22}),
        ('METRICS("m2")', [{0: 10, 120: 30, 180: 40}]),
        ("MAX(m1)", 4),
        ("MIN(m1) + SUM(m1)", 8),
        ("m1 - AVG(m1)", {0: -4 / 3, 60: -1 / 3, 180: 5 / 3}),
        ("m1 > 1", {0: 0, 60: 1, 180: 1}),
        ("IF(m1 > 1, m1)", {60: 2, 180: 4}),
        ("IF(m1 > 1, m1, 0)", {0: 0, 60: 2, 180: 4}),
        ("IF(m1 < 4, m2, m1)", {0: 10, 180: 4}),
        ("IF(1, m1, m2)", {0: 1, 60: 2, 180: 4}),
        ("FILL(m1, 0)", {0: 1, 60: 2, 120: 0, 180: 4}),
        ("FILL(m1, REPEAT)", {0: 1, 60: 2, 120: 2, 180: 4}),
        ("FILL(m1, LINEAR)", {0: 1, 60: 2, 120: 3, 180: 4}),
        ("FILL(m1, m2)", {0: 1, 60: 2, 120: 30, 180: 4}),
        ("RATE(m1)", {60: 1 / 60, 180: 2 / 120}),
        ("DIFF(m1)", {60: 1, 180: 2}),
        ("RUNNING_SUM(m1)", {0: 1, 60: 3, 180: 7}),
        ("m1 / PERIOD(m1)", {0: 1 / 60, 60: 2 / 60, 180: 4 / 60}),
        ("CEIL(m1 / 4)", {0: 1, 60: 1, 180: 1}),
        ("sum(search('{App}', 'Sum', 60))", {0: 10, 120: 30, 180: 40}),
    ],
)
def test_values(text, value):
    found = value_of(text)
    if isinstance(value, list):
        assert found == value
    else:
        assert found == pytest.approx(value)


@rows(
    "text, reason",
    [
        ("", "Syntax error at position 0"),
        ("m1 +", "Syntax error at position 4"),
        ("m1 m2", "Syntax error at position 3"),
        ("m1 % 2", "Syntax error at position 2"),
        ("SUM(m1", "Syntax error at position 6"),
        ("SUM(m1, )", "Syntax error at position 8"),
        ("other + 1", "Unknown id other"),
        ("ANOMALY_DETECTION_BAND(m1)", "Unsupported function ANOMALY_DETECTION_BAND"),
        ("e1 + e1", "Unsupported operand types for +"),
        ('m1 + "text"', "Unsupported operand types for +"),
        ("SUM(1)", "Unsupported operand types for SUM"),
        ("IF(m1)", "Unsupported operand types for IF"),
        ("FILL(1, 0)", "Unsupported operand types for FILL"),
        ("[1, m1]", "Unsupported operand types for []"),
        ("(" * 100 + "1" + ")" * 100, "The expression is nested too deeply"),
        ("-" * 100 + "1", "The expression is nested too deeply"),
    ],
)
def test_refusals(text, reason):
    with pytest.raises(ExpressionError) as refused:
        value_of(text)
    assert str(refused.value) == reason


def test_names_and_searches_of_an_expression():
    tree = parsed("SUM([a, -b]) + IF(c, SEARCH('{App} x', 'Average', 300), 0)")
    assert sorted(each.text for each in nodes_of(tree) if isinstance(each, Name)) == ["a", "b", "c"]
    assert searches_of(tree) == [("{App} x", "Average", 300)]


# A long chain is neither deep nor slow to read, and each of its values is counted.
def test_values_are_counted():
    spent = []
    value_of("+".join(["m1"] * 600), spent.append)
    assert 600 * len(M1.values) < sum(spent) < EXPRESSION_VALUES_MAX
