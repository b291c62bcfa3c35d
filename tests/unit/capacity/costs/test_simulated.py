"""The costs of a simulation, by value."""

import pytest

from hashrange.capacity.costs.simulated import growth_gb, simulated_bill, usage_of
from hashrange.capacity.prices import listed, prices_of
from hashrange.capacity.simulation.simulator import simulate
from hashrange.capacity.simulation.workload import parsed
from tests.unit.capacity.simulation.test_simulator import SMALL

PRICES = prices_of(listed())
MONTH_SECONDS = 730 * 3600


@pytest.fixture(scope="module")
def small():
    return simulate(parsed(SMALL))


def units(result, kind):
    return sum(getattr(each, kind) for minutes in result.places.values() for each in minutes)


def test_the_simulated_time(small):
    run = simulated_bill(small, PRICES).run
    writes, reads = units(small, "write_units"), units(small, "read_units")
    assert run["on_demand"] == pytest.approx((writes * 0.625 + reads * 0.125) / 1e6, abs=1e-4)
    assert run["as_provisioned"] == pytest.approx((150 * 0.00065 + 20 * 0.00013) / 6, abs=1e-4)


# The busiest minute of each place is 70 percent of the units for the peak.
def test_the_usage_of_a_month(small):
    usage = usage_of(small)
    assert usage.read_units == units(small, "read_units") / 600
    peak = sum(max(each.write_units for each in minutes) for minutes in small.places.values())
    written = usage.write_units + usage.index_write_units
    assert written * usage.write_peak == pytest.approx(peak / 60 / 0.7)


# 60 writes a second are wanted, of which the index serves 50, of 700 bytes in both places.
def test_storage_grows_with_the_months(small):
    granted = small.total("writes").requests - small.total("writes").throttled
    month_gb = granted * 1400 / 600 * MONTH_SECONDS / 1024**3
    assert growth_gb(small) == pytest.approx(month_gb)
    first, second = [usage_of(small, months=months).storage_gb for months in (2, 4)]
    assert second - first == pytest.approx(month_gb)


def test_reads_only_have_no_writes():
    text = SMALL[: SMALL.index("[[traffic]]")] + SMALL[SMALL.rindex("[[traffic]]") :]
    result = simulate(parsed(text.replace("600", "60")))
    assert usage_of(result).write_peak == 1.0
    assert simulated_bill(result, PRICES).storage_growth_gb == 0
