"""Prices: the file that comes with the package, files of other regions, and what is derived."""

import datetime as dt

import pytest

from hashrange.capacity.prices import (
    PriceError,
    Prices,
    blocks,
    list_price_on_demand,
    listed,
    parsed,
    prices_of,
)


# A price that nobody can look up again is worse than none.
def test_each_listed_price_has_a_source():
    found = listed()
    assert found.region == "us-east-1"
    assert isinstance(found.date, dt.date)
    for price in [*found.prices.values(), *found.dax.values()]:
        assert "https://" in found.sources[price.source]
    assert set(found.sources) == {
        price.source for price in [*found.prices.values(), *found.dax.values()]
    }


# AWS says that a year saves 54 percent of the price of provisioned units, and three years 77.
@pytest.mark.parametrize(("term", "saved"), [("1_year", 0.54), ("3_years", 0.77)])
@pytest.mark.parametrize("kind", ["read", "write"])
def test_reserved_capacity_saves_what_aws_says(term, saved, kind):
    prices = prices_of(listed())
    unit = getattr(prices, f"provisioned_{kind}_hour")
    assert 1 - prices.reserved_hour(term, kind) / 100 / unit == pytest.approx(saved, abs=0.006)


def test_reserved_capacity_without_a_price():
    assert Prices(reserved_1_year_read_hour=0.1).reserved_hour("1_year", "read") is None


@pytest.mark.parametrize(("units", "number"), [(0, 0), (1, 1), (100, 1), (101, 2)])
def test_blocks(units, number):
    assert blocks(units) == number


HEAD = 'region = "eu-central-1"\ndate = 2026-10-08\n[prices]\n'


def test_a_file_of_another_region():
    found = parsed(HEAD + 'storage_gb_month = { usd = 0.306, source = "https://aws" }\n')
    assert prices_of(found) == Prices(storage_gb_month=0.306)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEAD + 'storage_gb_monthh = { usd = 1, source = "" }', "did you mean storage_gb_month?"),
        (HEAD + "storage_gb_month = 1", "Expected `object`"),
        (HEAD + 'storage_gb_month = { usd = -1, source = "" }', ">= 0"),
        (HEAD + 'restore_gb = { usd = inf, source = "" }', "<= 1"),
        (HEAD + 'restore_gb = { usd = nan, source = "" }', ">= 0"),
        ('region = "x"\n[prices]\n', "missing required field `date`"),
        ("region = ", "Invalid value"),
    ],
)
def test_a_file_that_is_none(text, told):
    with pytest.raises(PriceError, match=told):
        parsed(text)


def test_changed_prices():
    assert Prices().changed({"restore_gb": 2.0}).restore_gb == 2.0
    with pytest.raises(PriceError, match="there is no price restore"):
        Prices().changed({"restore": 2.0})


def test_the_list_price_of_consumed_units():
    assert list_price_on_demand(8_000_000, 2_000_000) == pytest.approx(2.25)
