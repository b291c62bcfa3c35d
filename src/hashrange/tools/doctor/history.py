"""The history of a table in CloudWatch: what was throttled, and how much of its units was used."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashrange.tools.copying.place import CopyError
from hashrange.tools.design.apis import Services
from hashrange.tools.design.steps import Step

_DAY: Final = 86_400
_SHORT: Final = 300
_LONG: Final = 3600
_SHORT_DAYS: Final = 5
_KINDS: Final = ("Read", "Write")
_CAUSES: Final = ("KeyRange", "Provisioned", "MaxOnDemand", "AccountLimit")
_CONSUMED: Final = "Consumed{}CapacityUnits"


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The load of a table and its global indexes in some days.

    Attributes:
        throttles: throttle events by index and by the name of the metric.
        busiest: units a second of the busiest period, by index and "Read" or "Write".
        period: of them, in seconds.
    """

    days: int
    throttles: Mapping[tuple[str, str], float] = {}
    busiest: Mapping[tuple[str, str], float] = {}
    period: int = _SHORT


async def history_of(
    services: Services, shown: Mapping[str, Any], now_seconds: float, days: int
) -> History | None:
    """The history of a table by its description; None of an endpoint that has none."""
    period = _SHORT if days <= _SHORT_DAYS else _LONG
    indexes = [each["IndexName"] for each in shown.get("GlobalSecondaryIndexes") or ()]
    events = [f"{kind}{_event(cause)}" for kind in _KINDS for cause in _CAUSES]
    wanted = [
        (index, metric, seconds)
        for index in ("", *indexes)
        for metric, seconds in (
            *((_CONSUMED.format(kind), period) for kind in _KINDS),
            *((event, _DAY) for event in events),
        )
    ]
    request = {
        "MetricDataQueries": [
            _query(number, shown["TableName"], each) for number, each in enumerate(wanted)
        ],
        "StartTime": int(now_seconds) - days * _DAY,
        "EndTime": int(now_seconds),
    }
    values: dict[str, list[float]] = {}
    token: str | None = None
    while True:
        more = {} if token is None else {"NextToken": token}
        try:
            answer = await services.send(Step("cloudwatch", "GetMetricData", {**request, **more}))
        except CopyError:
            return None
        for each in answer["MetricDataResults"]:
            values.setdefault(each["Id"], []).extend(each["Values"])
        token = answer.get("NextToken")
        if token is None:
            break
    throttles, busiest = {}, {}
    for number, (index, metric, seconds) in enumerate(wanted):
        found = values.get(f"q{number}", [])
        if seconds == _DAY:
            if sum(found):
                throttles[index, metric] = sum(found)
        else:
            kind = metric.removeprefix("Consumed").removesuffix("CapacityUnits")
            busiest[index, kind] = max(found, default=0.0) / seconds
    return History(days=days, throttles=throttles, busiest=busiest, period=period)


def _event(cause: str) -> str:
    return f"{cause}{'' if cause == 'AccountLimit' else 'Throughput'}ThrottleEvents"


def _query(number: int, table: str, wanted: tuple[str, str, int]) -> dict[str, Any]:
    index, metric, seconds = wanted
    dimensions = [{"Name": "TableName", "Value": table}]
    if index:
        dimensions.append({"Name": "GlobalSecondaryIndexName", "Value": index})
    return {
        "Id": f"q{number}",
        "MetricStat": {
            "Metric": {
                "Namespace": "AWS/DynamoDB",
                "MetricName": metric,
                "Dimensions": dimensions,
            },
            "Period": seconds,
            "Stat": "Sum",
        },
    }
