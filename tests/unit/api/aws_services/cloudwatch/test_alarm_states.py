"""The states of alarms, for values and missing ones."""

import pytest

from hashrange.api.aws_services.cloudwatch.alarm_states import Evaluated, Value, judgement_on
from hashrange.model.structures.cloudwatch import PutMetricAlarm

MINUTE, END = 60, 6000
TREATMENTS = ("missing", "ignore", "breaching", "notBreaching")


def judged(text, treatment, *, needed=None, current="KEPT", namespace="App"):
    """The state after five periods, oldest first: `-` missing, `X` beyond the threshold."""
    put = PutMetricAlarm(
        namespace=namespace,
        statistic="Sum",
        period=MINUTE,
        evaluation_periods=3,
        datapoints_to_alarm=needed,
        threshold=1.0,
        comparison_operator="GreaterThanThreshold",
        treat_missing_data=treatment,
    )
    starts = range(END - 5 * MINUTE, END, MINUTE)
    values = {
        at: Value(at, {"0": 0.0, "X": 2.0}[mark], 1.0)
        for at, mark in zip(starts, text, strict=True)
        if mark != "-"
    }
    found = judgement_on(put, Evaluated(end=END, values=values, now_ms=END * 1000), current)
    return current if found is None else found.value


# The two tables of the User Guide, "How alarm state is evaluated when data is missing".
OK, ALARM, KEPT, LACKS = "OK", "ALARM", "KEPT", "INSUFFICIENT_DATA"
ALL_OF_THREE = {
    "0-X-X": (OK, OK, OK, OK),
    "----0": (OK, OK, OK, OK),
    "-----": (LACKS, KEPT, ALARM, OK),
    "0XX-X": (ALARM, ALARM, ALARM, ALARM),
    "--X--": (ALARM, KEPT, ALARM, OK),
}
TWO_OF_THREE = {
    "0-X-X": (ALARM, ALARM, ALARM, ALARM),
    "00X0X": (ALARM, ALARM, ALARM, ALARM),
    "0-X--": (OK, OK, ALARM, OK),
    "----0": (OK, OK, ALARM, OK),
    "---X-": (ALARM, KEPT, ALARM, OK),
}


@pytest.mark.parametrize(("needed", "table"), [(None, ALL_OF_THREE), (2, TWO_OF_THREE)])
def test_missing_values_are_treated_as_documented(needed, table):
    found = {
        text: tuple(judged(text, each, needed=needed) for each in TREATMENTS) for text in table
    }
    assert found == table


# A value that others may follow is no reason for an alarm yet.
@pytest.mark.parametrize("text", ["----X", "---X-"])
def test_no_false_alarm_of_the_newest_value(text):
    assert judged(text, "missing") == KEPT


def test_missing_values_of_tables_are_ignored():
    assert judged("-----", "breaching", namespace="AWS/DynamoDB") == KEPT


def test_a_reason_says_what_was_missing():
    put = PutMetricAlarm(
        namespace="App",
        statistic="Sum",
        period=MINUTE,
        evaluation_periods=1,
        threshold=1.0,
        comparison_operator="LessThanThreshold",
        treat_missing_data="breaching",
    )
    found = judgement_on(put, Evaluated(end=END, values={}, now_ms=END * 1000), OK)
    assert found.reason == (
        "Threshold Crossed: no datapoints were received for 1 period and 1 missing datapoint was "
        "treated as [Breaching]."
    )
