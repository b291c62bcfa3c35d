"""Tools for designs: checks of models, sizes and units of items, costs."""

import asyncio
from math import ceil
from typing import Annotated, Any, Literal

import msgspec

from hashrange.capacity.costs.bill import monthly_bill
from hashrange.capacity.costs.usage import Usage
from hashrange.capacity.prices import listed, prices_of
from hashrange.cli.check import checked_in_memory
from hashrange.tools.checking.results import as_members
from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.costs.item_units import item_of, units_of_item
from hashrange.tools.costs.load import Load, load_units
from hashrange.tools.models.files import json_text, parsed
from hashrange.tools.models.reading import model_of

_KB = 1024
_NAME = "model"
"""Of a model that does not name itself."""


class CheckModel(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `check_model`."""

    model: Annotated[
        str, msgspec.Meta(description="The text of the model, not the name of a file.")
    ]
    format: Literal["toml", "json", "yaml"] = "toml"


class UnitsOfItem(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `units_of_item`."""

    item: Annotated[dict[str, Any], msgspec.Meta(description="In plain JSON, or in DynamoDB JSON.")]


class PriceLoad(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `price_load`."""

    reads: Annotated[float, msgspec.Meta(ge=0, description="Items read in a second.")] = 0.0
    writes: Annotated[float, msgspec.Meta(ge=0, description="Items written in a second.")] = 0.0
    item_kb: Annotated[float, msgspec.Meta(gt=0, le=400, description="Size of an item.")] = 1.0
    consistency: Literal["eventual", "strong", "transactional"] = "eventual"
    index_count: Annotated[
        int, msgspec.Meta(ge=0, le=20, description="Global indexes that each write changes.")
    ] = 0
    hours_a_day: Annotated[float, msgspec.Meta(gt=0, le=24, description="Hours of the load.")] = 24
    storage_gb: Annotated[float, msgspec.Meta(ge=0)] = 0.0


async def check_model(_place: Endpoint, asked: CheckModel) -> object:
    """The report of a check, on a server in memory that ends with it."""
    model = model_of(parsed(asked.model.encode(), f".{asked.format}"), _NAME)
    # It starts a server, and has a loop of its own.
    report = await asyncio.to_thread(checked_in_memory, model)
    return msgspec.Raw(json_text(as_members(report)).encode())


async def item_units(_place: Endpoint, asked: UnitsOfItem) -> object:
    """The size of an item, and the units of operations on it."""
    return units_of_item(item_of(msgspec.json.encode(asked.item).decode()))


async def price_load(_place: Endpoint, asked: PriceLoad) -> object:
    """The units of a load, and a month of each way of paying."""
    units = load_units(
        Load(
            item_bytes=max(1, ceil(asked.item_kb * _KB)),
            reads=asked.reads,
            writes=asked.writes,
            consistency=asked.consistency,
            index_count=asked.index_count,
        )
    )
    prices = listed()
    usage = Usage(
        read_units=units.read_units,
        write_units=units.write_units,
        index_write_units=units.index_write_units,
        hours_a_day=asked.hours_a_day,
        storage_gb=asked.storage_gb,
    )
    bill = monthly_bill(usage, prices_of(prices))
    return {
        "arithmetic": units.arithmetic,
        "us_dollars_a_month": bill.monthly,
        "cheapest": bill.cheapest,
        "prices_of": f"{prices.region}, {prices.date}",
    }
