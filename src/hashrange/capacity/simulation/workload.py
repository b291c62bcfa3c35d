"""Workload files in TOML: a table with its indexes, and requests over time."""

import tomllib
from datetime import datetime
from importlib.resources import files
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from hashrange.capacity.prices import Amount, PriceError, checked_names
from hashrange.capacity.resources import Terms
from hashrange.capacity.simulation.spelling import misspelling
from hashrange.limits.requests import ITEM_BYTES_MAX, PAGE_BYTES_MAX
from hashrange.limits.tables import (
    CAPACITY_UNITS_MAX,
    PARTITION_BYTES_MAX,
    SCALING_TARGET_PERCENT_MAX,
    SCALING_TARGET_PERCENT_MIN,
)

SECONDS_MAX: Final = 7 * 24 * 3600
KEYS_MAX: Final = 200_000
RATE_MAX: Final = 1_000_000
TRAFFIC_MAX: Final = 20

Units: TypeAlias = Annotated[float, Meta(ge=1, le=CAPACITY_UNITS_MAX)]
Bytes: TypeAlias = Annotated[int, Meta(ge=1, le=ITEM_BYTES_MAX)]
Rate: TypeAlias = Annotated[float, Meta(ge=0, le=RATE_MAX)]
Second: TypeAlias = Annotated[float, Meta(ge=0, le=SECONDS_MAX)]


class WorkloadError(ValueError):
    """The workload file is invalid; the text contains the place and the reason."""


class _Part(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A table of the file. Unknown names are refused."""


_NAMES: Final = {
    "uniform": ("count",),
    "zipf": ("count", "exponent"),
    "hot": ("count", "hot", "share"),
    "time": ("period_seconds",),
}
"""The parameters of each kind of keys."""


class Keys(_Part, frozen=True, kw_only=True):
    """The distribution of requests among partition keys.

    Attributes:
        kind: `uniform`: `count` equally frequent keys. `zipf`: the frequency of the key of rank r
            is proportional to r to the power of minus `exponent`. `hot`: `hot` of `count` keys get
            `share` of the requests. `time`: one key for each `period_seconds`.
        shards: the number of keys into which each key is divided.
    """

    kind: Literal["uniform", "zipf", "hot", "time"] = "uniform"
    count: Annotated[int, Meta(ge=1, le=KEYS_MAX)] = 1
    exponent: Annotated[float, Meta(gt=0, le=10)] = 1.0
    hot: Annotated[int, Meta(ge=1, le=KEYS_MAX)] = 1
    share: Annotated[float, Meta(ge=0, le=1)] = 0.5
    period_seconds: Annotated[float, Meta(gt=0)] = 86_400.0
    shards: Annotated[int, Meta(ge=1, le=1000)] = 1

    def __post_init__(self) -> None:
        for field in msgspec.structs.fields(self):
            taken = field.name in {"kind", "shards", *_NAMES[self.kind]}
            if not taken and getattr(self, field.name) != field.default:
                raise ValueError(f"keys of kind {self.kind} have no {field.name}")
        if self.count * self.shards > KEYS_MAX:
            raise ValueError(f"more than {KEYS_MAX} keys")


class Scaling(_Part, frozen=True, kw_only=True):
    """Auto scaling of read or write units: target tracking and scheduled actions."""

    min: Annotated[int, Meta(ge=1)]
    max: Annotated[int, Meta(ge=1)]
    percent: Annotated[
        float, Meta(ge=SCALING_TARGET_PERCENT_MIN, le=SCALING_TARGET_PERCENT_MAX)
    ] = 70.0
    out_cooldown_seconds: int = 0
    in_cooldown_seconds: int = 0
    actions: tuple["Action", ...] = ()

    def __post_init__(self) -> None:
        if self.min > self.max:
            raise ValueError("min is above max")


class Action(_Part, frozen=True, kw_only=True):
    """A scheduled action: new bounds at `at(…)`, `rate(…)` or `cron(…)`."""

    schedule: str
    timezone: str = "UTC"
    min: int | None = None
    max: int | None = None


class Throughput(_Part, frozen=True, kw_only=True):
    """The throughput of a table or an index, named as in `capacity.resources.Terms`.

    Attributes:
        read_units: provisioned units, by default 1; not allowed on demand.
        scaling: auto scaling of `read` and `write`; not allowed on demand.
    """

    read_units: Units | None = None
    write_units: Units | None = None
    max_read_units: Units | None = None
    max_write_units: Units | None = None
    warm_read_units: Annotated[float, Meta(ge=0)] = 0.0
    warm_write_units: Annotated[float, Meta(ge=0)] = 0.0
    scaling: dict[Literal["read", "write"], Scaling] = {}

    def terms(self, mode: Literal["provisioned", "on-demand"]) -> Terms:
        """The throughput as the model represents it. Raises WorkloadError."""
        others: tuple[str, ...] = ("max_read_units", "max_write_units")
        if mode == "on-demand":
            others = ("read_units", "write_units", "scaling")
        given = [name for name in others if getattr(self, name)]
        if given:
            raise WorkloadError(f"{given[0]} is not of a table in mode {mode}")
        return Terms(
            mode="PROVISIONED" if mode == "provisioned" else "PAY_PER_REQUEST",
            read_units=self.read_units or 1.0,
            write_units=self.write_units or 1.0,
            max_read_units=self.max_read_units,
            max_write_units=self.max_write_units,
            warm_read_units=self.warm_read_units,
            warm_write_units=self.warm_write_units,
        )


class Table(Throughput, frozen=True, kw_only=True):
    """The table.

    Attributes:
        sort_key: `none`, or the order of the sort keys of successive requests: `random`, or
            `rising` as for times.
        local_indexes: names of local indexes; item collections are not split if there are any.
        partition_bytes: a larger partition is split.
        stored_bytes: the size of the table at the beginning.
    """

    mode: Literal["provisioned", "on-demand"] = "on-demand"
    sort_key: Literal["none", "random", "rising"] = "random"
    local_indexes: tuple[str, ...] = ()
    partition_bytes: Annotated[float, Meta(ge=1)] = float(PARTITION_BYTES_MAX)
    stored_bytes: Annotated[float, Meta(ge=0)] = 0.0


class Traffic(_Part, frozen=True, kw_only=True):
    """Requests of one kind.

    Attributes:
        operation: `put` writes new items, `update` changes items, `get` reads an item, `query`
            reads a page.
        rate: requests a second; or a list of `[second, rate]` with linear interpolation.
        index: the index that a `query` reads.
        item_bytes: the size of an item, and of its entry in each index.
        page_bytes: the size of the page that a `query` reads, by default 4096.
        entries: by index, the partition keys of the entries of the items; an index that is not
            listed gets no entries.
    """

    name: str
    operation: Literal["put", "update", "get", "query"]
    rate: Rate | tuple[tuple[Second, Rate], ...]
    keys: Keys
    index: str | None = None
    item_bytes: Bytes = 1024
    page_bytes: Annotated[int, Meta(ge=1, le=PAGE_BYTES_MAX)] | None = None
    consistent: bool = False
    entries: dict[str, Keys] = {}

    @property
    def is_write(self) -> bool:
        """Whether the requests consume write units."""
        return self.operation in {"put", "update"}

    def rate_at(self, second: float) -> float:
        """Requests a second at a time; constant before the first point and after the last."""
        if isinstance(self.rate, float | int):
            return float(self.rate)
        earlier = later = self.rate[0]
        for later in self.rate:
            if later[0] > second:
                break
            earlier = later
        if later[0] <= earlier[0]:
            return earlier[1]
        part = (second - earlier[0]) / (later[0] - earlier[0])
        return earlier[1] + min(1.0, max(0.0, part)) * (later[1] - earlier[1])


class Workload(_Part, frozen=True, kw_only=True):
    """A workload file.

    Attributes:
        start: the time at the beginning, for scheduled actions and keys of kind `time`.
        seed: the beginning of the sequences that keys are drawn from.
        scaling_delay_seconds: the time from a decision of auto scaling to the new capacity.
        prices: those that differ from the list prices, by their names in `prices.toml`.
    """

    title: str
    seconds: Annotated[int, Meta(ge=1, le=SECONDS_MAX)] = 3600
    start: datetime = datetime.fromisoformat("2027-01-04T00:00:00+00:00")
    seed: int = 1
    table: Table
    indexes: dict[str, Throughput] = {}
    traffic: Annotated[tuple[Traffic, ...], Meta(min_length=1, max_length=TRAFFIC_MAX)]
    scaling_delay_seconds: Annotated[int, Meta(ge=0, le=3600)] = 60
    prices: dict[str, Amount] = {}


def parsed(text: str) -> Workload:
    """The workload in the text of a file. Raises WorkloadError."""
    try:
        data = tomllib.loads(text)
        misspelt = misspelling(data, Workload)
        if misspelt is not None:
            raise WorkloadError(misspelt)
        workload = msgspec.convert(data, Workload, strict=False)
        checked_names(workload.prices)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, PriceError) as error:
        raise WorkloadError(str(error)) from error
    for place in (workload.table, *workload.indexes.values()):
        place.terms(workload.table.mode)
    known = set(workload.indexes) | set(workload.table.local_indexes)
    names = set()
    for traffic in workload.traffic:
        fault = _fault(traffic, known)
        if traffic.name in names:
            fault = "there is another traffic of this name"
        if fault is not None:
            raise WorkloadError(f"{traffic.name}: {fault}")
        names.add(traffic.name)
    return workload


def new_workload() -> str:
    """The text of a commented workload, to begin with."""
    return (files(__package__) / "new_workload.toml").read_text("utf-8")


def _fault(traffic: Traffic, known: set[str]) -> str | None:
    """The reason why requests of this kind are invalid."""
    unknown = {*traffic.entries, *([traffic.index] if traffic.index else [])} - known
    faults = {
        f"no such index: {', '.join(sorted(unknown))}": bool(unknown),
        "an index is read, not written: see entries": traffic.is_write and traffic.index,
        "only writes have entries": not traffic.is_write and traffic.entries,
        "writes are not consistent reads": traffic.is_write and traffic.consistent,
        "only a query has page_bytes": traffic.operation != "query" and traffic.page_bytes,
        "an item is not read from an index: use query": traffic.operation == "get"
        and traffic.index,
        "a rate has at least one point": traffic.rate == (),
    }
    return next((text for text, is_fault in faults.items() if is_fault), None)
