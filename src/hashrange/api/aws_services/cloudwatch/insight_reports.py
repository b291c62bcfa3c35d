"""GetInsightRuleReport: the keys that rules of contributor insights have counted.

An observation is what a key has in a minute, or a part of it that one process has counted: the
statistics Minimum, Maximum, Average and SampleCount are of observations. Source: Developer Guide,
"CloudWatch contributor insights for DynamoDB: how it works", which says that few are meaningful.
"""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from hashrange.api.aws_services.cloudwatch.insight_rules import KeyRule, rules_of
from hashrange.api.aws_services.cloudwatch.requests import MINUTE, CloudWatchContext
from hashrange.api.aws_services.cloudwatch.service import invalid_value, refusal
from hashrange.capacity.contributors import Sketch
from hashrange.limits.cloudwatch import (
    INSIGHT_KEPT_MINUTES,
    REPORT_CONTRIBUTORS_DEFAULT,
    REPORT_CONTRIBUTORS_MAX,
)
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import (
    GetInsightRuleReport,
    GetInsightRuleReportAnswer,
    InsightRuleContributor,
    InsightRuleContributorDatapoint,
    InsightRuleMetricDatapoint,
)
from hashrange.tables.series.contributors import ContributorRows
from hashrange.wire.model_constraints.cloudwatch import GET_INSIGHT_RULE_REPORT_ROWS
from hashrange.wire.service import ServiceOperation, by_name

_ORDERS: Final = ("Sum", "Maximum")
_keys: Final = msgspec.json.Decoder(list[str]).decode


class Period(msgspec.Struct):
    """The counts of a period.

    Attributes:
        counts: by key.
        total: of all keys, also of those that are not known.
        observations: how many keys of minutes there were.
        least: the smallest of them.
        greatest: the largest of them.
    """

    counts: dict[str, float] = {}
    total: float = 0.0
    observations: int = 0
    least: float = float("inf")
    greatest: float = 0.0

    def add(self, keys: Sketch) -> None:
        """Add what a process has counted in a minute."""
        self.total += keys.total
        self.observations += len(keys.counts)
        for key, count in keys.counts.items():
            self.counts[key] = self.counts.get(key, 0.0) + count
            self.least = min(self.least, count)
            self.greatest = max(self.greatest, count)


_STATISTICS: Final[Mapping[str, tuple[str, Callable[[Period], float]]]] = {
    "UniqueContributors": ("unique_contributors", lambda period: float(len(period.counts))),
    "MaxContributorValue": (
        "max_contributor_value",
        lambda period: max(period.counts.values(), default=0.0),
    ),
    "SampleCount": ("sample_count", lambda period: float(period.observations)),
    "Average": ("average", lambda period: period.total / max(1, period.observations)),
    "Sum": ("sum", lambda period: period.total),
    "Minimum": ("minimum", lambda period: min(period.least, period.greatest)),
    "Maximum": ("maximum", lambda period: period.greatest),
}


async def get(
    request: GetInsightRuleReport, context: CloudWatchContext
) -> GetInsightRuleReportAnswer:
    """The most frequent keys of a rule, and statistics of all, by period."""
    period, minutes, count = _checked(request, context)
    name = str(request.rule_name)
    rule = None
    async for each in rules_of(context):
        if each.name == name:
            rule = each
            break
    if rule is None:
        raise refusal("ResourceNotFoundException", messages.no_rule(name=name), status=404)
    minutes = range(max(minutes.start, rule.since_ms // 1000 // MINUTE), minutes.stop)
    periods: dict[int, Period] = {}
    async for minute, keys in ContributorRows(context.series.engine).read(
        rule.place, rule.rule, minutes
    ):
        at = minute * MINUTE // period * period
        periods.setdefault(at, Period()).add(keys)
    return _report(rule, periods, request, count)


def _checked(request: GetInsightRuleReport, context: CloudWatchContext) -> tuple[int, range, int]:
    """The period in seconds, the minutes, and how many contributors are wanted."""
    start, end, period = request.start_time, request.end_time, request.period
    assert start is not None
    assert end is not None
    assert period is not None, "required"
    if not start < end:
        raise invalid_value(messages.start_after_end())
    if period % MINUTE:
        raise invalid_value(messages.minutes())
    count = request.max_contributor_count
    if count is not None and not 1 <= count <= REPORT_CONTRIBUTORS_MAX:
        text = messages.out_of_range(
            name="MaxContributorCount", least=1, most=REPORT_CONTRIBUTORS_MAX
        )
        raise invalid_value(text)
    for name in request.metrics or ():
        if name not in _STATISTICS:
            raise invalid_value(messages.statistic(name="Metrics", value=name))
    if request.order_by not in {None, *_ORDERS}:
        raise invalid_value(messages.statistic(name="OrderBy", value=str(request.order_by)))
    # Times may be of any size; there are counts of one day only.
    now = context.now_seconds // MINUTE + 1
    first = max(now - INSIGHT_KEPT_MINUTES, min(now, start // MINUTE))
    last = max(first, min(now, -(-end // MINUTE)))
    return period, range(int(first), int(last)), count or REPORT_CONTRIBUTORS_DEFAULT


def _report(
    rule: KeyRule, periods: Mapping[int, Period], request: GetInsightRuleReport, count: int
) -> GetInsightRuleReportAnswer:
    values: dict[str, dict[int, float]] = {}
    for at, found in periods.items():
        for key, value in found.counts.items():
            values.setdefault(key, {})[at] = value
    order = max if request.order_by == "Maximum" else sum
    ranked = sorted(values, key=lambda key: (-order(values[key].values()), key))
    wanted = [_STATISTICS[name] for name in request.metrics or ()]
    return GetInsightRuleReportAnswer(
        key_labels=rule.labels,
        aggregation_statistic="Sum" if rule.is_of_units else "SampleCount",
        aggregate_value=sum(each.total for each in periods.values()),
        approximate_unique_count=len(values),
        contributors=[
            InsightRuleContributor(
                _keys(key),
                sum(values[key].values()),
                [
                    InsightRuleContributorDatapoint(float(at), value)
                    for at, value in values[key].items()
                ],
            )
            for key in ranked[:count]
        ],
        metric_datapoints=[
            InsightRuleMetricDatapoint(
                float(at), **{member: compute(found) for member, compute in wanted}
            )
            for at, found in periods.items()
        ],
    )


OPERATIONS: Final = by_name(
    ServiceOperation(
        request=GetInsightRuleReport, run=get, constraints=GET_INSIGHT_RULE_REPORT_ROWS
    ),
)
