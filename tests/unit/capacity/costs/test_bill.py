"""The bill of a month, by value: AWS's published examples, and others worked out by hand.

A month has 730 hours, as in AWS's calculator.
"""

import msgspec
import pytest

from hashrange.capacity.costs.bill import monthly_bill
from hashrange.capacity.costs.usage import Usage, stream_reads
from hashrange.capacity.prices import Prices, listed, prices_of

PRICES = prices_of(listed())
DAX = {name: price.usd for name, price in listed().dax.items()}
MONTH_SECONDS = 730 * 3600


def bill_of(**usage):
    return monthly_bill(Usage(**usage), PRICES, dax=DAX)


# AWS's calculator says 9.38 for ten million writes and ten million eventually consistent reads of
# 1 KB in a month on demand, with 10 GB; 4.50 for backup, recovery and restore of 10 GB each; 2.00
# for 10 GB each of full and incremental exports; 1.50 for an import of 10 GB; 558.45 for three
# nodes dax.r5.large.
@pytest.mark.parametrize(
    ("usage", "usd"),
    [
        (
            {
                "write_units": 10e6 / MONTH_SECONDS,
                "read_units": 5e6 / MONTH_SECONDS,
                "storage_gb": 10,
            },
            9.375,
        ),
        ({"backup_gb": 10, "restore_gb": 10, "pitr": True, "storage_gb": 10}, 4.5 + 2.5),
        ({"export_gb": 10, "incremental_export_gb": 10}, 2.0),
        ({"import_gb": 10}, 1.5),
        ({"dax_nodes": {"dax.r5.large": 3}}, 558.45),
    ],
)
def test_examples_of_the_calculator_of_aws(usage, usd):
    assert bill_of(**usage).monthly["on_demand"] == pytest.approx(usd)


# 100 read and 100 write units, all the time: 262.8 million of each in a month.
@pytest.mark.parametrize(
    ("way", "usd"),
    [
        ("on_demand", 262.8 * 0.125 + 262.8 * 0.625),
        ("provisioned", 73_000 * 0.00013 + 73_000 * 0.00065),
        ("provisioned_with_scaling", 143 * 730 * 0.00013 + 143 * 730 * 0.00065),
        ("reserved_1_year", (30 + 150) / 12 + 730 * (0.0025 + 0.0128)),
        ("reserved_3_years", (36 + 180) / 36 + 730 * (0.0016 + 0.0081)),
        ("standard_ia_on_demand", 262.8 * 0.155 + 262.8 * 0.78),
        ("standard_ia_provisioned", 73_000 * 0.00016 + 73_000 * 0.00081),
    ],
)
def test_each_way_of_paying(way, usd):
    bill = bill_of(read_units=100, write_units=100)
    assert bill.monthly[way] == pytest.approx(usd)
    assert bill.cheapest == "reserved_3_years"


# Eight hours with a peak of three times the load: the units for the peak are there all day.
def test_hours_and_peaks():
    usage = {"read_units": 50, "write_units": 10, "hours_a_day": 8, "write_peak": 3}
    bill = bill_of(**usage, read_peak=3)
    hours = 730 / 3
    assert bill.monthly["on_demand"] == pytest.approx(
        (50 * 0.125 + 10 * 0.625) * hours * 3600 / 1e6, abs=1e-3
    )
    assert bill.monthly["provisioned"] == pytest.approx(730 * (150 * 0.00013 + 30 * 0.00065))
    read_hours, write_hours = [units * hours + 2 * hours for units in (72, 15)]
    assert bill.monthly["provisioned_with_scaling"] == pytest.approx(
        read_hours * 0.00013 + write_hours * 0.00065, abs=1e-3
    )


# A global table in three regions: replicated writes and writes of indexes in each of them; what is
# replicated cannot be reserved.
def test_replicas():
    bill = bill_of(read_units=100, write_units=100, index_write_units=50, replicas=2, storage_gb=1)
    assert bill.monthly["on_demand"] == pytest.approx(
        262.8 * (0.125 + 3 * 0.625 + 3 * 0.5 * 0.625) + 3 * 0.25
    )
    reserved = 30 / 12 + 730 * 0.0025 + 3 * (150 / 12 + 730 * 0.0128)
    assert bill.monthly["reserved_1_year"] == pytest.approx(
        reserved + 3 * 73_000 * 0.00065 + 3 * 0.25
    )
    assert bill.not_priced == ["transfer to other regions", "standard_ia_provisioned"]


# A price that is not known makes no total that looks like one.
def test_what_has_no_price_is_named():
    bill = monthly_bill(
        Usage(read_units=1, vector_search_gb=3, dax_nodes={"dax.r9.huge": 1}),
        Prices(on_demand_read_million=1.0),
    )
    assert bill.monthly == {
        "on_demand": pytest.approx(2.628),
        "provisioned": None,
        "provisioned_with_scaling": None,
        "reserved_1_year": None,
        "reserved_3_years": None,
        "standard_ia_on_demand": None,
        "standard_ia_provisioned": None,
    }
    assert bill.cheapest == "on_demand"
    assert bill.not_priced[:2] == ["nodes dax.r9.huge", "searches of vectors"]


# AWS: 25 units of each kind, 25 GB, 2.5 million reads of streams, 100 GB to the internet.
def test_the_free_tier():
    usage = Usage(
        read_units=25, write_units=26, storage_gb=26, stream_reads=3_500_000, egress_gb=101
    )
    bill = monthly_bill(usage, PRICES, free=listed().free)
    assert bill.monthly["provisioned"] == pytest.approx(730 * 0.00065 + 0.25 + 0.2 + 0.09)


# 10 TB at 9 cents, 40 TB at 8.5, and the rest at 7.
def test_tiers_of_what_is_sent():
    usd = bill_of(egress_gb=60 * 1024).monthly["on_demand"]
    assert usd == pytest.approx(1024 * (10 * 0.09 + 40 * 0.085 + 10 * 0.07))
    cut = msgspec.structs.replace(PRICES, egress_gb_above_10_tb=None)
    bill = monthly_bill(Usage(egress_gb=60 * 1024), cut)
    assert bill.not_priced == ["transfer to the internet"]


# 0.00013 / (0.125 / 1e6 * 3600) of the units.
def test_the_break_even():
    found = bill_of(read_units=100, write_units=10, index_write_units=10, read_peak=2).break_even
    assert found["provisioned"].share == pytest.approx(0.2889)
    assert found["provisioned"].read_units == pytest.approx(57.78)
    assert found["provisioned"].write_units == pytest.approx(5.78)
    assert set(found) == {"provisioned", "reserved_1_year", "reserved_3_years"}
    assert bill_of().break_even == {}


@pytest.mark.parametrize(
    ("usage", "shards"),
    [({}, 1), ({"write_units": 1500}, 2), ({"storage_gb": 35}, 4), ({"read_units": 9001}, 4)],
)
def test_reads_of_the_stream(usage, shards):
    assert stream_reads(Usage(**usage)) == shards * MONTH_SECONDS
