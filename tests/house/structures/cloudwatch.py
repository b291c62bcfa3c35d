"""CloudWatch: where its answers and this server differ from its model."""

from typing import Final

from tests.house.structures.service import Service

_ALARM_LISTS: Final = "DescribeAlarmHistory DescribeAlarms DescribeAlarmsForMetric"
_ALARM_CHANGES: Final = (
    "DeleteAlarms DisableAlarmActions EnableAlarmActions PutCompositeAlarm PutMetricAlarm "
    "SetAlarmState"
)
_RULES: Final = (
    "DeleteInsightRules DescribeInsightRules DisableInsightRules EnableInsightRules "
    "GetInsightRuleReport"
)
_DASHBOARDS: Final = "DeleteDashboards GetDashboard ListDashboards PutDashboard"
_ANSWERED: Final = (
    "GetMetricData GetMetricStatistics ListMetrics ListTagsForResource TagResource "
    f"UntagResource {_DASHBOARDS} {_ALARM_LISTS} {_RULES}"
)
_OPERATIONS: Final = f"{_ANSWERED} {_ALARM_CHANGES} PutInsightRule PutMetricData"

CLOUDWATCH: Final = Service(
    module="cloudwatch",
    model="cloudwatch",
    title="CloudWatch",
    requests=_OPERATIONS,
    answers=_ANSWERED,
    # There are no alarms on logs, nor contributors of alarms.
    members={
        "AlarmHistoryItem": (
            "AlarmName AlarmType Timestamp HistoryItemType HistorySummary HistoryData"
        ),
        "DescribeAlarmsAnswer": "CompositeAlarms MetricAlarms NextToken",
    },
    always={
        "AlarmHistoryItem": (
            "AlarmName AlarmType Timestamp HistoryItemType HistorySummary HistoryData"
        ),
        "DescribeAlarmHistoryAnswer": "AlarmHistoryItems",
        "DescribeAlarmsAnswer": "CompositeAlarms MetricAlarms",
        "DescribeAlarmsForMetricAnswer": "MetricAlarms",
        "GetMetricDataAnswer": "MetricDataResults Messages",
        "GetMetricStatisticsAnswer": "Datapoints",
        "DashboardEntry": "DashboardName DashboardArn LastModified Size",
        "ListTagsForResourceAnswer": "Tags",
        "GetDashboardAnswer": "DashboardArn DashboardBody DashboardName",
        "ListDashboardsAnswer": "DashboardEntries",
        "ListMetricsAnswer": "Metrics",
        "PutDashboardAnswer": "DashboardValidationMessages",
        "DescribeInsightRulesAnswer": "InsightRules",
        "GetInsightRuleReportAnswer": (
            "KeyLabels AggregationStatistic AggregateValue ApproximateUniqueCount Contributors "
            "MetricDatapoints"
        ),
        "MetricDataResult": "Id Label Timestamps Values StatusCode",
    },
    checked_operations=_OPERATIONS,
    elements=(
        "DescribeAlarmHistory.AlarmTypes",
        "DescribeAlarms.AlarmTypes",
        "DeleteAlarms.AlarmNames",
        "GetMetricStatistics.Statistics",
        "DeleteInsightRules.RuleNames",
        "DisableInsightRules.RuleNames",
        "EnableInsightRules.RuleNames",
        "GetInsightRuleReport.Metrics",
        "PutCompositeAlarm.AlarmActions",
        "PutCompositeAlarm.InsufficientDataActions",
        "PutCompositeAlarm.OKActions",
        "PutMetricAlarm.AlarmActions",
        "PutMetricAlarm.InsufficientDataActions",
        "PutMetricAlarm.OKActions",
        "UntagResource.TagKeys",
    ),
    linear={"Namespace": "[^:].*"},
    own_enums=True,
)
