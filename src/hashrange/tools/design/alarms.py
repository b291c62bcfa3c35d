"""The alarms of a table, as requests of CloudWatch's PutMetricAlarm. Pure.

An alarm goes off after three minutes of five with throttled requests, or with errors of the
service. Source: Developer Guide, "DynamoDB metrics and dimensions".
"""

from typing import Any, Final

from hashrange.model.operations import ITEM_OPERATIONS, Items
from hashrange.tools.definition import TableDefinition

NAMESPACE: Final = "AWS/DynamoDB"
ERRORS: Final = "SUM(FILL(METRICS(), 0))"
"""SystemErrors are counted for each operation, so their alarm is of a sum."""
OPERATIONS: Final = tuple(
    row.name
    for row in sorted(ITEM_OPERATIONS, key=lambda row: (not row.is_read, row.items is Items.PAGE))
)
"""The operations of the sum, reads first: an alarm has at most ten metrics."""
THROTTLES: Final = (("read", "ReadThrottleEvents"), ("write", "WriteThrottleEvents"))
PERIOD_SECONDS: Final = 60
RULE: Final[dict[str, Any]] = {
    "EvaluationPeriods": 5,
    "DatapointsToAlarm": 3,
    "Threshold": 0.0,
    "ComparisonOperator": "GreaterThanThreshold",
    "TreatMissingData": "notBreaching",
}


def alarms_of(definition: TableDefinition) -> list[dict[str, Any]]:
    """The requests for the table and its global indexes."""
    table = definition.name
    alarms: list[dict[str, Any]] = []
    for index in (None, *definition.global_indexes):
        dimensions = [{"Name": "TableName", "Value": table}]
        if index is not None:
            dimensions.append({"Name": "GlobalSecondaryIndexName", "Value": index})
        for direction, metric in THROTTLES:
            alarms.append(
                {
                    "AlarmName": f"{table}{alarm_suffix(index, direction)}",
                    "AlarmDescription": f"{direction.capitalize()}s are throttled.",
                    "Namespace": NAMESPACE,
                    "MetricName": metric,
                    "Dimensions": dimensions,
                    "Statistic": "Sum",
                    "Period": PERIOD_SECONDS,
                    **RULE,
                }
            )
    return [*alarms, _system_errors(table)]


def alarm_suffix(index: str | None, direction: str) -> str:
    """The suffix of the name of the table in the name of an alarm on throttling."""
    return f"-{direction}-throttles" if index is None else f"-{index}-{direction}-throttles"


SYSTEM_ERRORS_SUFFIX: Final = "-system-errors"


def _system_errors(table: str) -> dict[str, Any]:
    metrics: list[dict[str, Any]] = [
        {"Id": "errors", "Expression": ERRORS, "Label": "SystemErrors", "ReturnData": True}
    ]
    for operation in OPERATIONS:
        dimensions = [
            {"Name": "TableName", "Value": table},
            {"Name": "Operation", "Value": operation},
        ]
        metric = {
            "Namespace": NAMESPACE,
            "MetricName": "SystemErrors",
            "Dimensions": dimensions,
        }
        stat = {"Metric": metric, "Period": PERIOD_SECONDS, "Stat": "Sum"}
        metrics.append({"Id": id_of(operation), "MetricStat": stat, "ReturnData": False})
    return {
        "AlarmName": f"{table}{SYSTEM_ERRORS_SUFFIX}",
        "AlarmDescription": "The service answers with errors of its own.",
        "Metrics": metrics,
        **RULE,
    }


def id_of(operation: str) -> str:
    """The id of the metric of an operation: it begins with a small letter."""
    return operation[0].lower() + operation[1:]
