"""CloudWatch: where its answers and this server differ from its model."""

from typing import Final

from tests.house.structures.service import Service

_DASHBOARDS: Final = "DeleteDashboards GetDashboard ListDashboards PutDashboard"
_OPERATIONS: Final = f"GetMetricData GetMetricStatistics ListMetrics {_DASHBOARDS}"

CLOUDWATCH: Final = Service(
    module="cloudwatch",
    model="cloudwatch",
    title="CloudWatch",
    requests=f"{_OPERATIONS} PutMetricData",
    answers=_OPERATIONS,
    always={
        "GetMetricDataAnswer": "MetricDataResults Messages",
        "GetMetricStatisticsAnswer": "Datapoints",
        "DashboardEntry": "DashboardName DashboardArn LastModified Size",
        "GetDashboardAnswer": "DashboardArn DashboardBody DashboardName",
        "ListDashboardsAnswer": "DashboardEntries",
        "ListMetricsAnswer": "Metrics",
        "PutDashboardAnswer": "DashboardValidationMessages",
        "MetricDataResult": "Id Label Timestamps Values StatusCode",
    },
    checked_operations=f"{_OPERATIONS} PutMetricData",
    elements=("GetMetricStatistics.Statistics",),
    linear={"Namespace": "[^:].*"},
    own_enums=True,
)
