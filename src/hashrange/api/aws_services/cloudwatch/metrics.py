"""PutMetricData and ListMetrics."""

import math
from collections.abc import Sequence
from typing import Final

from hashrange.api.aws_services.cloudwatch.requests import (
    MINUTE,
    CloudWatchContext,
    check_text,
    named,
    offset_of,
)
from hashrange.api.aws_services.cloudwatch.service import (
    contradictory,
    invalid,
    invalid_value,
    missing,
)
from hashrange.limits.cloudwatch import (
    FUTURE_SECONDS_MAX,
    LISTED_METRICS_MAX,
    LISTED_SECONDS_MAX,
    PAST_SECONDS_MAX,
    PUT_DATA_MAX,
    PUT_VALUES_MAX,
    RECENT_SECONDS,
    VALUE_MAX,
)
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import (
    Dimension,
    DimensionFilter,
    ListMetrics,
    ListMetricsAnswer,
    Metric,
    MetricDatum,
    PutMetricData,
)
from hashrange.observe.statistic_sets import StatisticSet, of_statistics, of_values
from hashrange.tables.series.rollup import KEPT_SECONDS
from hashrange.tables.series.samples import Sample, StoredMetric
from hashrange.wire.model_constraints.cloudwatch import LIST_METRICS_ROWS, PUT_METRIC_DATA_ROWS
from hashrange.wire.service import ServiceOperation, by_name

_RESERVED: Final = "AWS/"
_NO_UNIT: Final = "None"
_RESOLUTIONS: Final = (1, MINUTE)
_HOUR: Final = 3600


async def put(request: PutMetricData, context: CloudWatchContext) -> None:
    """Store values of metrics; they are durable when it is answered."""
    namespace = request.namespace
    assert namespace is not None, "required"
    if namespace.startswith(_RESERVED):
        raise invalid_value(messages.reserved(namespace=namespace))
    if request.entity_metric_data is not None or request.strict_entity_validation is not None:
        raise invalid(messages.unsupported(name="EntityMetricData"))
    data = request.metric_data
    if not data:
        raise missing(messages.value_missing(number=1))
    if len(data) > PUT_DATA_MAX:
        raise invalid_value(messages.too_many(name="MetricData", most=PUT_DATA_MAX))
    samples = [
        _sample(namespace, datum, f"MetricData.member.{number}", context)
        for number, datum in enumerate(data, 1)
    ]
    await context.series.add(samples)


def _sample(namespace: str, datum: MetricDatum, member: str, context: CloudWatchContext) -> Sample:
    resolution = datum.storage_resolution or MINUTE
    if resolution not in _RESOLUTIONS:
        raise invalid_value(messages.resolution(name=f"{member}.StorageResolution"))
    seconds = context.now_seconds
    if datum.timestamp is not None:
        age = seconds - datum.timestamp
        if not -FUTURE_SECONDS_MAX <= age <= PAST_SECONDS_MAX:  # NaN is neither
            raise invalid_value(messages.too_old(name=f"{member}.Timestamp"))
        seconds = math.floor(datum.timestamp)
    is_recent = context.now_seconds - seconds < KEPT_SECONDS[0]
    return Sample(
        metric=named(context, namespace, datum.metric_name, datum.dimensions),
        unit=datum.unit or _NO_UNIT,
        seconds=seconds,
        values=_values(datum, member),
        fine=resolution == 1 and is_recent,
    )


def _values(datum: MetricDatum, member: str) -> StatisticSet:
    number = int(member.rpartition(".")[2])
    given = (datum.value, datum.values, datum.statistic_values)
    found = sum(each is not None for each in given)
    if not found:
        raise missing(messages.value_missing(number=number))
    if found > 1:
        raise contradictory(messages.values_exclusive(number=number))
    if datum.value is not None:
        return of_values([(_checked(datum.value, f"{member}.Value"), 1)])
    if datum.values is not None:
        return _several(datum.values, datum.counts, member, number)
    statistics = datum.statistic_values
    assert statistics is not None, "one of three"
    count, total, minimum, maximum = (
        _checked(getattr(statistics, name) or 0.0, f"{member}.StatisticValues.{name}")
        for name in ("sample_count", "sum", "minimum", "maximum")
    )
    if count <= 0 or minimum > maximum:
        raise invalid_value(messages.not_a_value(value=count, name=f"{member}.StatisticValues"))
    return of_statistics(count, total, minimum, maximum)


def _several(
    values: Sequence[float], counts: Sequence[float] | None, member: str, number: int
) -> StatisticSet:
    if not values:
        raise missing(messages.value_missing(number=number))
    if len(values) > PUT_VALUES_MAX:
        raise invalid_value(messages.too_many(name=f"{member}.Values", most=PUT_VALUES_MAX))
    if counts is not None and len(counts) != len(values):
        raise invalid_value(messages.counts_differ(number=number))
    pairs = [
        (_checked(value, f"{member}.Values"), _checked(count, f"{member}.Counts"))
        for value, count in zip(values, counts or [1.0] * len(values), strict=True)
    ]
    for _, count in pairs:
        if count <= 0:
            raise invalid_value(messages.not_a_value(value=count, name=f"{member}.Counts"))
    return of_values(pairs)


def _checked(value: float, name: str) -> float:
    if not -VALUE_MAX <= value <= VALUE_MAX:  # nor is NaN
        raise invalid_value(messages.not_a_value(value=value, name=name))
    return value


async def list_metrics(request: ListMetrics, context: CloudWatchContext) -> ListMetricsAnswer:
    """Metrics that had samples within two weeks, in the order of namespaces and names."""
    if request.include_linked_accounts or request.owning_account not in {None, context.account}:
        raise invalid(messages.unsupported(name="IncludeLinkedAccounts and OwningAccount"))
    for text in (request.namespace, request.metric_name):
        check_text("Namespace", text or "")
    kept = LISTED_SECONDS_MAX if request.recently_active is None else RECENT_SECONDS
    oldest = (context.now_seconds - kept) // _HOUR
    skipped = offset_of(request.next_token)
    end = skipped + LISTED_METRICS_MAX
    found: list[Metric] = []
    count = 0
    async for each in context.series.metrics(context.scope, request.namespace, request.metric_name):
        if each.last_hour < oldest or not _is_asked(each, request):
            continue
        if skipped <= count < end:
            found.append(_described(each))
        count += 1
        if count > end:
            break
    return ListMetricsAnswer(found, str(end) if count > end else None)


def _is_asked(metric: StoredMetric, request: ListMetrics) -> bool:
    if request.metric_name not in {None, metric.name}:
        return False
    return matches(metric, request.dimensions or ())


def matches(metric: StoredMetric, filters: Sequence[DimensionFilter]) -> bool:
    """Whether a metric has dimensions of these names and, if they are given, values."""
    has = dict(metric.dimensions)
    return all(each.name in has and each.value in {None, has[str(each.name)]} for each in filters)


def _described(metric: StoredMetric) -> Metric:
    return Metric(
        namespace=metric.namespace,
        metric_name=metric.name,
        dimensions=[Dimension(name=name, value=value) for name, value in metric.dimensions],
    )


OPERATIONS: Final = by_name(
    ServiceOperation(request=PutMetricData, run=put, constraints=PUT_METRIC_DATA_ROWS),
    ServiceOperation(request=ListMetrics, run=list_metrics, constraints=LIST_METRICS_ROWS),
)
