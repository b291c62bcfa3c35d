"""GetMetricData: queries of metrics, searches and metric math."""

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from hashrange.api.aws_services.cloudwatch.expressions import ExpressionError, Node, parsed
from hashrange.api.aws_services.cloudwatch.labels import (
    check_label,
    check_timezone,
    is_dynamic,
    labelled,
)
from hashrange.api.aws_services.cloudwatch.reading import Reader, rounded
from hashrange.api.aws_services.cloudwatch.requests import (
    CloudWatchContext,
    check_period,
    named,
    offset_of,
)
from hashrange.api.aws_services.cloudwatch.search import search_of
from hashrange.api.aws_services.cloudwatch.series_math import (
    Environment,
    Series,
    Value,
    computed,
    searches_of,
)
from hashrange.api.aws_services.cloudwatch.service import invalid, invalid_value
from hashrange.api.aws_services.cloudwatch.statistics import statistic_of
from hashrange.limits.cloudwatch import (
    DATAPOINTS_MAX,
    EXPRESSION_LEVELS_MAX,
    EXPRESSION_SERIES_MAX,
    EXPRESSION_VALUES_MAX,
    LISTED_SECONDS_MAX,
    QUERIES_MAX,
    SEARCHED_METRICS_MAX,
)
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import (
    GetMetricData,
    GetMetricDataAnswer,
    MetricDataQuery,
    MetricDataResult,
)
from hashrange.tables.series.rollup import KEPT_SECONDS
from hashrange.tables.series.samples import Metric, StoredMetric
from hashrange.wire.model_constraints.cloudwatch import GET_METRIC_DATA_ROWS
from hashrange.wire.service import ServiceOperation, by_name

_is_id: Final = re.compile(r"[a-z][a-zA-Z0-9_]*").fullmatch
_HOUR: Final = 3600


async def get(request: GetMetricData, context: CloudWatchContext) -> GetMetricDataAnswer:
    """The values of queries, a page of them."""
    queries, start, end = request.metric_data_queries, request.start_time, request.end_time
    assert queries is not None
    assert start is not None
    assert end is not None, "required"
    _check(request, queries)
    if not start < end:
        raise invalid_value(messages.start_after_end())
    found = await Evaluation(context, queries, (start, end)).results()
    newest_first = request.scan_by != "TimestampAscending"
    return _page(found, request, newest_first=newest_first)


def _check(request: GetMetricData, queries: Sequence[MetricDataQuery]) -> None:
    if request.label_options is not None:
        check_timezone(request.label_options.timezone)
    if len(queries) > QUERIES_MAX:
        raise invalid_value(messages.too_many(name="MetricDataQueries", most=QUERIES_MAX))
    most = request.max_datapoints
    if most is not None and not 1 <= most <= DATAPOINTS_MAX:
        text = messages.out_of_range(name="MaxDatapoints", least=1, most=DATAPOINTS_MAX)
        raise invalid_value(text)
    check_queries(queries)


def check_queries(queries: Sequence[MetricDataQuery]) -> None:
    """Refuse ids and members that cannot be. Raises ValidationException."""
    ids = set[str]()
    for each in queries:
        name = str(each.id)
        if _is_id(name) is None:
            raise invalid(messages.id_invalid(id=name))
        if name in ids:
            raise invalid(messages.id_twice(id=name))
        ids.add(name)
        if (each.metric_stat is None) == (each.expression is None):
            raise invalid(messages.one_of_both(id=name))
        if each.account_id is not None:
            raise invalid(messages.unsupported(name="AccountId"))
        check_label(each.label or "")


class Evaluation:
    """Computes the queries of one request; each of them once, those first that others name."""

    def __init__(
        self,
        context: CloudWatchContext,
        queries: Sequence[MetricDataQuery],
        times: tuple[float, float],
    ) -> None:
        self._context = context
        self._queries = {str(each.id): each for each in queries}
        self._times = max(times[0], context.now_seconds - KEPT_SECONDS[-1]), times[1]
        self._reader = Reader(context)
        self._metrics: dict[str, Series] = {}
        self._trees: dict[str, Node] = {}
        self._values: dict[str, Value] = {}
        self._searched: dict[tuple[str, str, int], list[Series]] = {}
        self._made = self._computed = 0

    async def results(self) -> list[tuple[str, Series]]:
        """The series of the queries that return data, with their ids. Raises ApiError."""
        for name, query in self._queries.items():
            if query.metric_stat is not None:
                self._metrics[name] = await self._metric(name, query)
        for name, query in self._queries.items():
            if query.expression is not None:
                await self._prepare(name, query.expression)
        found: list[tuple[str, Series]] = []
        for name, query in self._queries.items():
            if query.return_data is False:
                continue
            series = self._series(name, query)
            self._made += len(series)
            if self._made > EXPRESSION_SERIES_MAX:
                text = messages.too_many(name="MetricDataResults", most=EXPRESSION_SERIES_MAX)
                raise invalid(text)
            found += [(name, each) for each in series]
            await asyncio.sleep(0)
        return found

    async def _metric(self, name: str, query: MetricDataQuery) -> Series:
        stat = query.metric_stat
        assert stat is not None
        assert stat.metric is not None
        assert stat.period is not None
        assert stat.stat is not None, "required"
        asked = stat.metric
        if asked.namespace is None or asked.metric_name is None:
            raise invalid(messages.one_of_both(id=name))
        metric = named(self._context, asked.namespace, asked.metric_name, asked.dimensions)
        found = await self._read(metric, stat.stat, stat.period, stat.unit)
        return _named(found, query.label, metric.name)

    async def _read(
        self, metric: Metric, stat: str, period: int, unit: str | None = None
    ) -> Series:
        """The series of a metric; its label are the values of its dimensions and its name."""
        check_period(period)
        statistic = statistic_of(stat)
        if statistic is None:
            raise invalid_value(messages.statistic(name="Stat", value=stat))
        seconds = rounded(*self._times, self._context.now_seconds, period)
        periods = await self._reader.values(metric, seconds, period, unit)
        values = {at: statistic(each) for at, each in periods.items()}
        kept = {at: float(value) for at, value in values.items() if value is not None}
        label = " ".join([*(value for _, value in metric.dimensions), metric.name])
        properties = {
            "MetricName": metric.name,
            "Namespace": metric.namespace,
            "Period": str(period),
            "Region": self._context.region,
            "Stat": stat,
            **{f"Dim.{name}": value for name, value in metric.dimensions},
        }
        return Series(label, period, kept, properties)

    async def _prepare(self, name: str, expression: str) -> None:
        """Read the tree of an expression, and what it searches for."""
        try:
            tree = self._trees[name] = parsed(expression)
            for each in searches_of(tree):
                if each not in self._searched:
                    self._searched[each] = await self._search(*each)
        except ExpressionError as error:
            raise invalid(messages.expression(id=name, reason=str(error))) from None

    async def _search(self, text: str, stat: str, period: int) -> list[Series]:
        """The series of the metrics that a search finds. Raises ExpressionError, ApiError."""
        search, context = search_of(text), self._context
        oldest = (context.now_seconds - LISTED_SECONDS_MAX) // _HOUR
        found: list[StoredMetric] = []
        async for each in context.series.metrics(context.scope, search.namespace):
            if each.last_hour >= oldest and search.test(each):
                found.append(each)
                if len(found) > SEARCHED_METRICS_MAX:
                    break
        return [
            await self._read(
                Metric(
                    scope=context.scope,
                    namespace=each.namespace,
                    name=each.name,
                    dimensions=each.dimensions,
                ),
                stat,
                period,
            )
            for each in found[:SEARCHED_METRICS_MAX]
        ]

    def _series(self, name: str, query: MetricDataQuery) -> list[Series]:
        """The series of a query, with their labels."""
        try:
            value = self._value(name, ())
        except ExpressionError as error:
            raise invalid(messages.expression(id=name, reason=str(error))) from None
        if isinstance(value, str) or not isinstance(value, Series | list):
            raise invalid(messages.expression(id=name, reason=messages.result_type()))
        if name in self._metrics:
            return [self._metrics[name]]
        if isinstance(value, Series):
            return [_named(value, query.label, name)]
        label = query.label or ""
        if label and not is_dynamic(label):
            label += " ${LABEL}"
        return [_named(each, label, each.label) for each in value]

    def _value(self, name: str, within: tuple[str, ...]) -> Value:
        for known in (self._metrics, self._values):
            if name in known:
                return known[name]
        tree = self._trees.get(name)
        if tree is None:
            raise ExpressionError(messages.unknown_id(name))
        if name in within:
            raise ExpressionError(messages.circular(name))
        if len(within) == EXPRESSION_LEVELS_MAX:
            raise ExpressionError(messages.too_deep())
        environment = Environment(
            times=self._periods,
            named=lambda other: self._value(other, (*within, name)),
            metrics=self._metrics_with,
            searched=self._searched,
            spend=self._spend,
        )
        value = self._values[name] = computed(tree, environment)
        return value

    def _metrics_with(self, text: str) -> list[Series]:
        return [series for name, series in self._metrics.items() if text in name]

    def _periods(self, period: int) -> range:
        """The periods of the request."""
        seconds = rounded(*self._times, self._context.now_seconds, period)
        return range(seconds.start, seconds.end, period)

    def _spend(self, count: int) -> None:
        self._computed += count
        if self._computed > EXPRESSION_VALUES_MAX:
            raise ExpressionError(messages.too_many_values(EXPRESSION_VALUES_MAX))


def _named(series: Series, label: str | None, default: str) -> Series:
    """A series with its label, or else a default."""
    text = labelled(label, series, default) if label else default
    return msgspec.structs.replace(series, label=text)


def _page(
    found: Sequence[tuple[str, Series]], request: GetMetricData, *, newest_first: bool
) -> GetMetricDataAnswer:
    """A page of datapoints; a series that goes on in the next one is not complete."""
    skipped, left = offset_of(request.next_token), request.max_datapoints or DATAPOINTS_MAX
    end = skipped + left
    results: list[MetricDataResult] = []
    token, before = None, 0
    for name, series in found:
        points = _ordered(series.values, newest_first=newest_first)
        first, last = max(0, skipped - before), end - before
        before += len(points)
        if first and first >= len(points):
            continue  # it was on a page before
        if last < 0 or (last == 0 and points):
            token = str(end)
            break
        shown = points[first:last]
        is_complete = last >= len(points)
        results.append(
            MetricDataResult(
                id=name,
                label=series.label,
                timestamps=[float(at) for at, _ in shown],
                values=[value for _, value in shown],
                status_code="Complete" if is_complete else "PartialData",
            )
        )
        if not is_complete:
            token = str(end)
            break
    return GetMetricDataAnswer(metric_data_results=results, next_token=token, messages=[])


def _ordered(values: Mapping[int, float], *, newest_first: bool) -> list[tuple[int, float]]:
    return sorted(
        ((at, value) for at, value in values.items() if math.isfinite(value)),
        reverse=newest_first,
    )


OPERATIONS: Final = by_name(
    ServiceOperation(request=GetMetricData, run=get, constraints=GET_METRIC_DATA_ROWS),
)
