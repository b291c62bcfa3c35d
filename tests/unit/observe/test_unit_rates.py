"""What tables consume now, made of sums of the counts of a server."""

from hashrange.observe.report import Report, Throttles, Units
from hashrange.observe.unit_rates import UnitRate, UnitRates

MINUTE = 60_000


def report(units=(), throttles=()):
    return Report(
        units=[Units(*each) for each in units], throttles=[Throttles(*each) for each in throttles]
    )


def scanned(units):
    return report(units=[("orders", "Scan", units, 0.0)])


def test_rates_are_of_all_operations_and_indexes():
    rates = UnitRates()
    rates.take(report(units=[("orders", "PutItem", 0.0, 600.0)]), MINUTE)
    later = report(
        units=[("orders", "PutItem", 0.0, 1200.0), ("orders", "Query", 60.0, 0.0)],
        throttles=[
            ("orders", "", "WriteThrottleEvents", 30),
            ("orders", "by_day", "ReadThrottleEvents", 30),
            ("orders", "", "ThrottledRequests", 60),
        ],
    )
    assert rates.rates(later, 2 * MINUTE) == {"orders": UnitRate(1.0, 10.0, 1.0)}


def test_rates_are_of_the_present_minute_and_the_one_before():
    rates = UnitRates()
    for minute, units in ((1, 0.0), (2, 600.0), (3, 720.0)):
        rates.take(scanned(units), minute * MINUTE)
    assert rates.rates(scanned(735.0), 3 * MINUTE + 30_000)["orders"].read_units == 1.5


def test_the_first_rates_are_of_a_second_at_least():
    rates = UnitRates()
    assert rates.rates(scanned(5.0), MINUTE)["orders"].read_units == 0.0
    assert rates.rates(scanned(7.0), MINUTE + 1)["orders"].read_units == 2.0


def test_a_clock_that_is_set_back_begins_anew():
    rates = UnitRates()
    rates.take(scanned(0.0), 10 * MINUTE)
    rates.take(scanned(60.0), 2 * MINUTE)
    assert rates.rates(scanned(120.0), 3 * MINUTE)["orders"].read_units == 1.0
