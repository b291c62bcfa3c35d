"""GetMetricStatistics."""

from collections.abc import Mapping
from typing import Final

from hashrange.api.aws_services.cloudwatch.reading import Reader, rounded
from hashrange.api.aws_services.cloudwatch.requests import CloudWatchContext, check_period, named
from hashrange.api.aws_services.cloudwatch.service import contradictory, invalid_value, missing
from hashrange.api.aws_services.cloudwatch.statistics import SIMPLE, Statistic, statistic_of
from hashrange.limits.cloudwatch import STATISTICS_DATAPOINTS_MAX
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import (
    Datapoint,
    GetMetricStatistics,
    GetMetricStatisticsAnswer,
)
from hashrange.observe.statistic_sets import StatisticSet
from hashrange.wire.model_constraints.cloudwatch import GET_METRIC_STATISTICS_ROWS
from hashrange.wire.service import ServiceOperation, by_name


async def get(
    request: GetMetricStatistics, context: CloudWatchContext
) -> GetMetricStatisticsAnswer:
    """The statistics of a metric, a datapoint for each unit and period."""
    start, end, period = request.start_time, request.end_time, request.period
    assert start is not None
    assert end is not None
    assert period is not None, "required"
    check_period(period)
    if not start < end:
        raise invalid_value(messages.start_after_end())
    if not request.statistics and not request.extended_statistics:
        raise missing(messages.statistics_missing())
    wanted = {name: SIMPLE[name] for name in request.statistics or ()}
    wanted |= {name: _extended(name) for name in request.extended_statistics or ()}
    seconds = rounded(start, end, context.now_seconds, period)
    count = (seconds.end - seconds.start) // period
    if count > STATISTICS_DATAPOINTS_MAX:
        most = f"{STATISTICS_DATAPOINTS_MAX:,}"
        raise contradictory(messages.datapoints(count=f"{count:,}", most=most))
    metric = named(context, request.namespace, request.metric_name, request.dimensions)
    found = await Reader(context).by_unit(metric, seconds, period, request.unit)
    datapoints = [
        datapoint
        for unit, periods in found.items()
        for at, values in periods.items()
        if (datapoint := _datapoint(at, values, unit, wanted))
    ]
    return GetMetricStatisticsAnswer(label=request.metric_name, datapoints=datapoints)


def _extended(name: str) -> Statistic:
    found = None if name in SIMPLE else statistic_of(name)
    if found is None:
        raise invalid_value(messages.statistic(name="ExtendedStatistics", value=name))
    return found


def _datapoint(
    at: int, values: StatisticSet, unit: str, wanted: Mapping[str, Statistic]
) -> Datapoint | None:
    """The datapoint of a period; None if none of its statistics is known."""
    computed = {name: statistic(values) for name, statistic in wanted.items()}
    known = {name: float(value) for name, value in computed.items() if value is not None}
    if not known:
        return None
    extended = {name: value for name, value in known.items() if name not in SIMPLE}
    return Datapoint(
        timestamp=float(at),
        sample_count=known.get("SampleCount"),
        average=known.get("Average"),
        sum=known.get("Sum"),
        minimum=known.get("Minimum"),
        maximum=known.get("Maximum"),
        unit=unit,
        extended_statistics=extended or None,
    )


OPERATIONS: Final = by_name(
    ServiceOperation(request=GetMetricStatistics, run=get, constraints=GET_METRIC_STATISTICS_ROWS),
)
