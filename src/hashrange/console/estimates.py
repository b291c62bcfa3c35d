"""Estimates of the cost and the throttling of a table with other settings. Pure."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from hashrange.capacity.costs.bill import Bill, monthly_bill
from hashrange.capacity.costs.live_workload import MeasuredLoad, live_usage, workload_text
from hashrange.capacity.costs.simulated import simulated_bill
from hashrange.capacity.prices import MONTH_HOURS, Prices
from hashrange.capacity.simulation.results import Result
from hashrange.capacity.simulation.simulator import (
    BUNDLE_REQUESTS,
    BUNDLES_MAX,
    BUNDLES_MIN,
    simulate,
)
from hashrange.capacity.simulation.workload import (
    Keys,
    Table,
    Throughput,
    Traffic,
    Workload,
    parsed,
)

BUNDLES: Final = 50_000
"""Bundles of requests of one simulation: a few seconds of a processor."""
SECONDS_MIN: Final = 120
SECONDS_MAX: Final = 1800
KEYS_MAX: Final = 20_000
"""More keys make no difference to partitions, and take long to place."""
_MINUTE_SECONDS: Final = 60
_HOUR_SECONDS: Final = 3600

Rate = Annotated[float, Meta(ge=0, le=1_000_000)]
Units = Annotated[float, Meta(ge=1, le=1_000_000)]


class _Asked(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A table, and the units that it consumes a second."""

    table_name: str
    read_units: Rate = 0.0
    write_units: Rate = 0.0


class CostsOf(_Asked, frozen=True, kw_only=True, rename="pascal"):
    """A request for a bill; peaks are multiples of the units."""

    read_peak: Annotated[float, Meta(ge=1, le=1_000_000)] = 1.0
    write_peak: Annotated[float, Meta(ge=1, le=1_000_000)] = 1.0
    recovery: bool = False


class KeyDesign(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """How requests are spread over partition keys.

    Attributes:
        hot_share: the share of one key in all requests; 0 if all are equally frequent.
        shards: into how many keys each key is divided.
    """

    count: Annotated[int, Meta(ge=1, le=1_000_000_000)] = 1
    hot_share: Annotated[float, Meta(ge=0, le=1)] = 0.0
    shards: Annotated[int, Meta(ge=1, le=1000)] = 1

    def keys(self) -> Keys:
        """The same for simulations."""
        count = max(1, min(self.count, KEYS_MAX // self.shards))
        if self.hot_share:
            return Keys(kind="hot", count=count, hot=1, share=self.hot_share, shards=self.shards)
        return Keys(kind="uniform", count=count, shards=self.shards)


class Design(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A capacity mode and keys; `read_units` and `write_units` are those of provisioned mode."""

    mode: Literal["provisioned", "on-demand"]
    read_units: Units = 1.0
    write_units: Units = 1.0
    keys: KeyDesign


class WhatIf(_Asked, frozen=True, kw_only=True, rename="pascal"):
    """A request for simulations of the same load on several designs."""

    designs: Annotated[list[Design], Meta(min_length=1, max_length=4)]


class Kind(msgspec.Struct, frozen=True):
    """Requests of one kind, reads or writes.

    Attributes:
        last_share: the share of throttled requests in the last minute: once bursts are used up,
            and partitions are split, it stays.
    """

    name: str
    requests: int
    throttled: int
    last_share: float


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The simulation of a design.

    Attributes:
        seconds: how long it was simulated.
        throttled: requests of table and indexes by reason, as in ThrottlingReasons.
        partitions: of the table, at the end.
        monthly_usd: for the units of the mode, and storage; None if a price is missing.
    """

    seconds: int
    kinds: list[Kind]
    throttled: Mapping[str, int]
    partitions_before: int
    partitions: int
    splits: int
    monthly_usd: float | None


def bill_of(asked: CostsOf, shown: Mapping[str, Any], prices: Prices) -> Bill:
    """The bill of a month of the load of a table; `shown` describes it by DescribeTable."""
    load = MeasuredLoad(
        seconds=_HOUR_SECONDS, read_units=asked.read_units, write_units=asked.write_units
    )
    usage = live_usage(load, [shown], recovery=asked.recovery)
    usage = msgspec.structs.replace(usage, read_peak=asked.read_peak, write_peak=asked.write_peak)
    return monthly_bill(usage, prices)


def outcomes(asked: WhatIf, shown: Mapping[str, Any], prices: Prices) -> list[Outcome]:
    """The simulations of all designs; some seconds of a processor. Raises WorkloadError."""
    load = MeasuredLoad(
        seconds=_HOUR_SECONDS, read_units=asked.read_units, write_units=asked.write_units
    )
    base = parsed(workload_text(shown, load))
    return [_outcome(_changed(base, each), prices) for each in asked.designs]


def _changed(base: Workload, design: Design) -> Workload:
    """A workload on another design, for as long as it can be simulated."""
    reads, writes = (
        (design.read_units, design.write_units) if design.mode == "provisioned" else (None, None)
    )
    table = Table(
        mode=design.mode,
        read_units=reads,
        write_units=writes,
        sort_key=base.table.sort_key,
        local_indexes=base.table.local_indexes,
        stored_bytes=base.table.stored_bytes,
    )
    keys = design.keys.keys()
    return msgspec.structs.replace(
        base,
        table=table,
        indexes={name: Throughput(read_units=reads, write_units=writes) for name in base.indexes},
        traffic=tuple(msgspec.structs.replace(each, keys=keys) for each in base.traffic),
        seconds=_seconds(base.traffic),
    )


def _seconds(traffic: tuple[Traffic, ...]) -> int:
    bundles = 0.0
    for each in traffic:
        rate = each.rate_at(0.0)
        count = min(rate, BUNDLES_MAX, max(BUNDLES_MIN, rate // BUNDLE_REQUESTS))
        bundles += count * (1 + len(each.entries))
    seconds = int(BUNDLES / max(bundles, 1.0)) // _MINUTE_SECONDS * _MINUTE_SECONDS
    return max(SECONDS_MIN, min(SECONDS_MAX, seconds))


def _outcome(workload: Workload, prices: Prices) -> Outcome:
    result = simulate(workload)
    throttled = dict[str, int]()
    for place in result.places:
        for reason, requests in result.throttled(place).items():
            throttled[reason] = throttled.get(reason, 0) + requests
    return Outcome(
        seconds=result.seconds,
        kinds=[_kind(result, name) for name in result.traffic],
        throttled=throttled,
        partitions_before=result.partitions[result.table],
        partitions=result.places[result.table][-1].partitions,
        splits=len(result.splits),
        monthly_usd=_monthly(result, prices),
    )


def _kind(result: Result, name: str) -> Kind:
    total, last = result.total(name), result.traffic[name][-1]
    share = last.throttled / last.requests if last.requests else 0.0
    return Kind(name, total.requests, total.throttled, round(share, 4))


def _monthly(result: Result, prices: Prices) -> float | None:
    found = simulated_bill(result, prices)
    run = found.run["as_provisioned" if result.provisioned is not None else "on_demand"]
    stored = [each.usd for each in found.bill.capacity["on_demand"] if each.name == "storage"]
    if run is None or stored[0] is None:
        return None
    return run * MONTH_HOURS * _HOUR_SECONDS / result.seconds + stored[0]
