"""CloudWatch: where its answers and this server differ from its model."""

from typing import Final

from tests.house.structures.service import Service

_OPERATIONS: Final = "GetMetricData GetMetricStatistics ListMetrics"

CLOUDWATCH: Final = Service(
    module="cloudwatch",
    model="cloudwatch",
    title="CloudWatch",
    requests=f"{_OPERATIONS} PutMetricData",
    answers=_OPERATIONS,
    always={
        "GetMetricDataAnswer": "MetricDataResults Messages",
        "GetMetricStatisticsAnswer": "Datapoints",
        "ListMetricsAnswer": "Metrics",
        "MetricDataResult": "Id Label Timestamps Values StatusCode",
    },
    checked_operations=f"{_OPERATIONS} PutMetricData",
    elements=("GetMetricStatistics.Statistics",),
    linear={"Namespace": "[^:].*"},
    own_enums=True,
)
