"""The audit log has the management events of CloudWatch as CloudTrail records them."""

import json

import pytest
from botocore.exceptions import ClientError

from hashrange.api.audit.files import files_in
from tests.api.alarms import put_alarm
from tests.api.metrics import CBOR, QUERY, client_speaking
from tests.pace import until

BODY = json.dumps({"widgets": []})
DONE = (
    "PutMetricAlarm",
    "DescribeAlarms",
    "SetAlarmState",
    "DisableAlarmActions",
    "EnableAlarmActions",
    "DeleteAlarms",
    "PutDashboard",
    "GetDashboard",
    "DeleteDashboards",
    "DescribeInsightRules",
    "DisableInsightRules",
    "PutInsightRule",
)


@pytest.mark.parametrize("protocol", ["json", CBOR, QUERY])
def test_alarms_dashboards_and_rules_are_in_the_audit_log(start_server, tmp_path, protocol):
    client = client_speaking(protocol, start_server(audit=tmp_path / "log"))
    put_alarm(client, "slow")
    client.put_metric_data(Namespace="App", MetricData=[{"MetricName": "m", "Value": 1.0}])
    client.describe_alarms(AlarmNames=["slow"])
    client.set_alarm_state(AlarmName="slow", StateValue="OK", StateReason="tried")
    client.disable_alarm_actions(AlarmNames=["slow"])
    client.enable_alarm_actions(AlarmNames=["slow"])
    client.delete_alarms(AlarmNames=["slow"])
    client.put_dashboard(DashboardName="d", DashboardBody=BODY)
    client.get_dashboard(DashboardName="d")
    client.delete_dashboards(DashboardNames=["d"])
    client.describe_insight_rules()
    client.disable_insight_rules(RuleNames=["r"])
    with pytest.raises(ClientError):
        client.put_insight_rule(RuleName="r", RuleDefinition="{}")

    def recorded():
        log = tmp_path / "log"
        data = b"".join((log / each.name).read_bytes() for each in files_in(log))
        events = [json.loads(line) for line in data.split(b"\n")[:-1] if line]
        return [each for each in events if each["eventSource"] == "monitoring.amazonaws.com"]

    until(lambda: len(recorded()) >= len(DONE))
    events = {each["eventName"]: each for each in recorded()}
    # Values of metrics are data, and no events.
    assert tuple(events) == DONE
    assert {each["eventCategory"] for each in events.values()} == {"Management"}
    reads = {name for name, each in events.items() if each["readOnly"]}
    assert reads == {"DescribeAlarms", "GetDashboard", "DescribeInsightRules"}
    assert events["DeleteAlarms"]["requestParameters"] == {"alarmNames": ["slow"]}
    assert events["SetAlarmState"]["requestParameters"]["stateValue"] == "OK"
    assert events["PutDashboard"]["requestParameters"]["dashboardName"] == "d"
    refused = events["PutInsightRule"]
    assert refused["errorCode"].startswith("InvalidParameterValue")
    assert "CloudWatch Logs" in refused["errorMessage"]
