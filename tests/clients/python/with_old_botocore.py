"""What a botocore of 2023, which knows CloudWatch by forms and XML only, sees of a server.

Prints a JSON object.
"""

import json
import sys
from datetime import UTC, datetime, timedelta

import botocore
import botocore.session
from botocore.exceptions import ClientError

CLOUDWATCH = botocore.session.get_session().create_client(
    "cloudwatch",
    endpoint_url=sys.argv[1],
    region_name="us-east-1",
    aws_access_key_id="local",
    aws_secret_access_key="local",
)
NOW = datetime.now(UTC).replace(second=0, microsecond=0)
DIMENSIONS = [{"Name": "Host", "Value": "a"}]
METRIC = {"Namespace": "Old", "MetricName": "Latency", "Dimensions": DIMENSIONS}
PERIOD = {"StartTime": NOW - timedelta(minutes=5), "EndTime": NOW + timedelta(minutes=5)}


def code(call, **request):
    """The code of an error."""
    try:
        call(**request)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


CLOUDWATCH.put_metric_data(
    Namespace="Old",
    MetricData=[
        {"MetricName": "Latency", "Dimensions": DIMENSIONS, "Timestamp": NOW, "Value": value}
        for value in (1.0, 3.0)
    ],
)
CLOUDWATCH.put_metric_alarm(
    AlarmName="old",
    **METRIC,
    Statistic="Average",
    Period=60,
    EvaluationPeriods=1,
    Threshold=2.5,
    ComparisonOperator="GreaterThanThreshold",
    Tags=[{"Key": "team", "Value": "a"}],
)
(ALARM,) = CLOUDWATCH.describe_alarms(AlarmNames=["old"])["MetricAlarms"]
CLOUDWATCH.put_dashboard(DashboardName="old", DashboardBody='{"widgets": []}')
statistics = CLOUDWATCH.get_metric_statistics(
    **METRIC, **PERIOD, Period=60, Statistics=["Sum", "Maximum"]
)["Datapoints"]
queried = CLOUDWATCH.get_metric_data(
    **PERIOD,
    MetricDataQueries=[
        {"Id": "m", "MetricStat": {"Metric": METRIC, "Period": 60, "Stat": "Average"}},
        {"Id": "e", "Expression": "m * 2"},
    ],
)["MetricDataResults"]
json.dump(
    {
        "version": botocore.__version__,
        "protocol": CLOUDWATCH.meta.service_model.protocol,
        "metrics": CLOUDWATCH.list_metrics(Namespace="Old")["Metrics"],
        "statistics": [[each["Sum"], each["Maximum"], each["Unit"]] for each in statistics],
        "queried": {each["Id"]: each["Values"] for each in queried},
        "alarm": [ALARM["Threshold"], ALARM["StateValue"]],
        "tags": CLOUDWATCH.list_tags_for_resource(ResourceARN=ALARM["AlarmArn"])["Tags"],
        "dashboards": [
            each["DashboardName"] for each in CLOUDWATCH.list_dashboards()["DashboardEntries"]
        ],
        "refused": code(CLOUDWATCH.get_dashboard, DashboardName="none"),
    },
    sys.stdout,
)
