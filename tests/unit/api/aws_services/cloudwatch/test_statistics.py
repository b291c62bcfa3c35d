"""Statistics by their names."""

import pytest

from hashrange.api.aws_services.cloudwatch.statistics import statistic_of
from hashrange.observe.statistic_sets import of_statistics, of_values
from tests.rows import rows

TEN = of_values([(float(value), 1) for value in range(1, 11)])
STATISTICS = {
    "SampleCount": 10,
    "Average": 5.5,
    "Sum": 55,
    "Minimum": 1,
    "Maximum": 10,
    "p0": 1,
    "p50": 5,
    "p90": 9,
    "p99.9": 10,
    "P100": 10,
    "tm90": 5,
    "TM(10%:90%)": 5.5,
    "TM(:50%)": 3,
    "TM(2:4)": 3.5,
    "IQM": 5.5,
    "tc90": 9,
    "TS(80%:)": 19,
    "WM(20%:80%)": 5.3,
    "WM(2:8)": 5.3,
    "PR(2:4)": 20,
    "PR(:3)": 30,
}


@rows("name, value", STATISTICS.items())
def test_statistics_of_ten_values(name, value):
    assert statistic_of(name)(TEN) == pytest.approx(value)


@pytest.mark.parametrize(
    "name", ["", "average", "p", "p101", "px", "TM(90%:10%)", "PR(:)", "tm(1%:2)", "p1e3"]
)
def test_other_names_are_none(name):
    assert statistic_of(name) is None


def test_sets_without_values_have_no_percentiles():
    unknown = of_statistics(4, 10, 1, 4)
    assert statistic_of("p50")(unknown) is None
    assert statistic_of("Average")(unknown) == 2.5
