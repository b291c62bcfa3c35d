"""The load of a server in a time that is over, from its metrics in CloudWatch."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from hashrange.tools.copying.place import CopyError
from hashrange.tools.design.apis import Services
from hashrange.tools.design.steps import Step

_DAY: Final = 86_400
_PERIODS: Final = ((1, 60), (15, 300), (63, 3600))
"""Seconds of a period, by days up to which the store has so short ones."""
_LONGEST: Final = 86_400
_TABLE: Final = "TableName"
_INDEX: Final = "GlobalSecondaryIndexName"
_UNITS: Final = (
    "ConsumedReadCapacityUnits",
    "ConsumedWriteCapacityUnits",
    "ReadThrottleEvents",
    "WriteThrottleEvents",
)
_STATISTICS: Final = ("SampleCount", "Sum", "Maximum")


class PlaceLoad(msgspec.Struct, frozen=True, kw_only=True):
    """A table, or `table/index`: units a second, and throttle events in the whole time."""

    name: str
    read_units: float
    write_units: float
    throttled_reads: float
    throttled_writes: float


class OperationLoad(msgspec.Struct, frozen=True, kw_only=True):
    """Successful requests of an operation in the whole time, on all tables."""

    name: str
    requests: float
    average_ms: float
    highest_ms: float


class PastLoad(msgspec.Struct, frozen=True, kw_only=True):
    """The load of a server in the last `seconds`, those with the most load first."""

    seconds: int
    places: Sequence[PlaceLoad]
    operations: Sequence[OperationLoad]


async def past_load(services: Services, now_seconds: float, seconds: int) -> PastLoad | None:
    """The load of all tables; None of an endpoint without metrics.

    The time begins with a period of the store, so that it may be longer by one.
    """
    period = next((each for days, each in _PERIODS if seconds <= days * _DAY), _LONGEST)
    end = int(now_seconds)
    start = (end - seconds) // period * period
    queries = {
        **{(metric, "Sum"): (_TABLE,) for metric in _UNITS},
        **{(f"{metric}/", "Sum"): (_INDEX, _TABLE) for metric in _UNITS},
        **{("SuccessfulRequestLatency", each): ("Operation", _TABLE) for each in _STATISTICS},
    }
    request = {
        "MetricDataQueries": [
            {"Id": f"q{number}", **_search(metric.rstrip("/"), statistic, dimensions, period)}
            for number, ((metric, statistic), dimensions) in enumerate(queries.items())
        ],
        "StartTime": start,
        "EndTime": end,
    }
    found = await _values(services, request)
    if found is None:
        return None
    of = {query: found.get(f"q{number}", {}) for number, query in enumerate(queries)}
    return PastLoad(
        seconds=end - start,
        places=_places(of, end - start),
        operations=_operations(*(of["SuccessfulRequestLatency", each] for each in _STATISTICS)),
    )


_Found = dict[str, list[float]]
"""Values by label."""


async def _values(services: Services, request: Mapping[str, Any]) -> dict[str, _Found] | None:
    """Values by query and label; None if there is no CloudWatch."""
    found: dict[str, _Found] = {}
    more: dict[str, str] = {}
    while True:
        try:
            answer = await services.send(Step("cloudwatch", "GetMetricData", {**request, **more}))
        except CopyError:
            return None
        for each in answer["MetricDataResults"]:
            found.setdefault(each["Id"], {}).setdefault(each["Label"], []).extend(each["Values"])
        if "NextToken" not in answer:
            return found
        more = {"NextToken": answer["NextToken"]}


def _search(metric: str, statistic: str, dimensions: Sequence[str], period: int) -> dict[str, Any]:
    schema = ",".join(("AWS/DynamoDB", *dimensions))
    shown = {_TABLE: (_TABLE,), _INDEX: (_TABLE, _INDEX)}.get(dimensions[0], dimensions[:1])
    text = f'{{{schema}}} MetricName="{metric}"'
    return {
        "Expression": f"SEARCH('{text}', '{statistic}', {period})",
        "Label": "/".join(f"${{PROP('Dim.{each}')}}" for each in shown),
    }


def _places(of: Mapping[tuple[str, str], _Found], seconds: int) -> list[PlaceLoad]:
    sums = [
        {
            label: sum(values)
            for part in (metric, f"{metric}/")
            for label, values in of[part, "Sum"].items()
        }
        for metric in _UNITS
    ]
    names = dict.fromkeys(name for each in sums for name in each)
    loads = [
        PlaceLoad(
            name=name,
            read_units=sums[0].get(name, 0.0) / seconds,
            write_units=sums[1].get(name, 0.0) / seconds,
            throttled_reads=sums[2].get(name, 0.0),
            throttled_writes=sums[3].get(name, 0.0),
        )
        for name in names
    ]
    return sorted(loads, key=lambda each: (-each.read_units - each.write_units, each.name))


def _operations(counts: _Found, sums: _Found, highest: _Found) -> list[OperationLoad]:
    loads = [
        OperationLoad(
            name=name,
            requests=sum(values),
            average_ms=sum(sums.get(name, ())) / (sum(values) or 1),
            highest_ms=max(highest.get(name, ()), default=0.0),
        )
        for name, values in counts.items()
    ]
    return sorted(loads, key=lambda each: (-each.requests, each.name))
