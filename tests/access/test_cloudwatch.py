"""CloudWatch with `--auth required`: signatures and policies in each of its protocols."""

import json

import pytest
from botocore.exceptions import ClientError

from tests.api.alarms import put_alarm
from tests.api.conftest import client_of
from tests.api.metrics import CBOR, JSON, QUERY, client_speaking, refused
from tests.api.test_identities import keys_of, made_administrator
from tests.served import served

DATA = [{"MetricName": "m", "Value": 1.0}]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The endpoint, and the keys of a user who may put metrics of one namespace."""
    place = tmp_path_factory.mktemp("cloudwatch") / "data"
    administrator = made_administrator(str(place))
    with served(memory=False, data=place, auth="required") as server:
        iam = client_of(server.endpoint, "iam", **administrator)
        iam.create_user(UserName="probe")
        statement = {
            "Effect": "Allow",
            "Action": "cloudwatch:PutMetricData",
            "Resource": "*",
            "Condition": {"StringEquals": {"cloudwatch:namespace": "Mine"}},
        }
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.put_user_policy(UserName="probe", PolicyName="p", PolicyDocument=policy)
        yield server.endpoint, keys_of(iam.create_access_key(UserName="probe")["AccessKey"])


@pytest.mark.parametrize("protocol", [JSON, CBOR, QUERY])
def test_policies_hold_in_each_protocol(server, protocol):
    endpoint, keys = server
    client = client_speaking(protocol, endpoint, **keys)
    client.put_metric_data(Namespace="Mine", MetricData=DATA)
    denied = [
        refused(client.put_metric_data, Namespace="Other", MetricData=DATA),
        refused(client.list_metrics),
    ]
    assert [code for code, _ in denied] == ["AccessDenied"] * 2


@pytest.mark.parametrize("protocol", [JSON, CBOR, QUERY])
def test_signatures_are_verified_in_each_protocol(server, protocol):
    endpoint, keys = server
    wrong = {**keys, "aws_secret_access_key": "wrong"}
    client = client_speaking(protocol, endpoint, **wrong)
    with pytest.raises(ClientError) as error:
        client.put_metric_data(Namespace="Mine", MetricData=DATA)
    assert error.value.response["Error"]["Code"] == "SignatureDoesNotMatch"


# Alarms are resources, and what they call is a condition.
def test_policies_of_alarms(tmp_path):
    administrator = made_administrator(str(tmp_path / "data"))
    with served(memory=False, data=tmp_path / "data", auth="required") as server:
        iam = client_of(server.endpoint, "iam", **administrator)
        iam.create_user(UserName="probe")
        topic = "arn:aws:sns:us-east-1:000000000000:page"
        statement = {
            "Effect": "Allow",
            "Action": ["cloudwatch:PutMetricAlarm", "cloudwatch:DescribeAlarms"],
            "Resource": "arn:aws:cloudwatch:*:*:alarm:mine-*",
            "Condition": {"ForAllValues:StringEquals": {"cloudwatch:AlarmActions": topic}},
        }
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.put_user_policy(UserName="probe", PolicyName="p", PolicyDocument=policy)
        keys = keys_of(iam.create_access_key(UserName="probe")["AccessKey"])
        client = client_of(server.endpoint, "cloudwatch", **keys)
        put_alarm(client, "mine-1", AlarmActions=[topic])
        assert client.describe_alarms(AlarmNames=["mine-1"])["MetricAlarms"]
        for name, more in (
            ("yours-1", {}),
            ("mine-2", {"AlarmActions": [f"{topic}-other"]}),
            ("mine-2", {"Tags": [{"Key": "a", "Value": "b"}]}),
        ):
            with pytest.raises(ClientError) as error:
                put_alarm(client, name, **more)
            assert error.value.response["Error"]["Code"] == "AccessDenied"
        with pytest.raises(ClientError):
            client.describe_alarms()


def test_policies_of_tags_of_alarms(tmp_path):
    administrator = made_administrator(str(tmp_path / "data"))
    with served(memory=False, data=tmp_path / "data", auth="required") as server:
        iam = client_of(server.endpoint, "iam", **administrator)
        iam.create_user(UserName="probe")
        statement = {
            "Effect": "Allow",
            "Action": ["cloudwatch:TagResource", "cloudwatch:UntagResource"],
            "Resource": "arn:aws:cloudwatch:*:*:alarm:mine",
            "Condition": {"ForAllValues:StringEquals": {"aws:TagKeys": "team"}},
        }
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.put_user_policy(UserName="probe", PolicyName="p", PolicyDocument=policy)
        owner = client_of(server.endpoint, "cloudwatch", **administrator)
        arns = {}
        for name in ("mine", "yours"):
            put_alarm(owner, name)
            described = owner.describe_alarms(AlarmNames=[name])["MetricAlarms"]
            arns[name] = described[0]["AlarmArn"]
        keys = keys_of(iam.create_access_key(UserName="probe")["AccessKey"])
        client = client_of(server.endpoint, "cloudwatch", **keys)
        mine = {"ResourceARN": arns["mine"]}
        client.tag_resource(**mine, Tags=[{"Key": "team", "Value": "a"}])
        client.untag_resource(**mine, TagKeys=["team"])
        for call, request in (
            (client.tag_resource, {**mine, "Tags": [{"Key": "owner", "Value": "a"}]}),
            (client.untag_resource, {**mine, "TagKeys": ["owner"]}),
            (client.untag_resource, {"ResourceARN": arns["yours"], "TagKeys": ["team"]}),
            (client.list_tags_for_resource, mine),
        ):
            with pytest.raises(ClientError) as error:
                call(**request)
            assert error.value.response["Error"]["Code"] == "AccessDenied"


# As with alarms: the tags that a dashboard has, and those that a request sets, are conditions.
def test_policies_of_tags_of_dashboards(tmp_path):
    administrator = made_administrator(str(tmp_path / "data"))
    with served(memory=False, data=tmp_path / "data", auth="required") as server:
        iam = client_of(server.endpoint, "iam", **administrator)
        iam.create_user(UserName="probe")
        statements = [
            {
                "Effect": "Allow",
                "Action": ["cloudwatch:PutDashboard", "cloudwatch:TagResource"],
                "Resource": "arn:aws:cloudwatch::*:dashboard/*",
                "Condition": {"StringEquals": {"aws:RequestTag/team": "a"}},
            },
            {
                "Effect": "Allow",
                "Action": ["cloudwatch:GetDashboard", "cloudwatch:ListTagsForResource"],
                "Resource": "*",
                "Condition": {"StringEquals": {"aws:ResourceTag/team": "a"}},
            },
        ]
        policy = json.dumps({"Version": "2012-10-17", "Statement": statements})
        iam.put_user_policy(UserName="probe", PolicyName="p", PolicyDocument=policy)
        owner = client_of(server.endpoint, "cloudwatch", **administrator)
        client = client_of(
            server.endpoint,
            "cloudwatch",
            **keys_of(iam.create_access_key(UserName="probe")["AccessKey"]),
        )
        body = {"DashboardBody": '{"widgets": []}'}
        owner.put_dashboard(DashboardName="yours", **body)
        client.put_dashboard(DashboardName="mine", **body, Tags=[{"Key": "team", "Value": "a"}])
        arn = client.get_dashboard(DashboardName="mine")["DashboardArn"]
        assert client.list_tags_for_resource(ResourceARN=arn)["Tags"]
        other = {"ResourceARN": arn.replace("mine", "yours")}
        for call, request in (
            (client.put_dashboard, {"DashboardName": "more", **body}),
            (client.get_dashboard, {"DashboardName": "yours"}),
            (client.list_tags_for_resource, other),
            (client.tag_resource, {**other, "Tags": [{"Key": "team", "Value": "b"}]}),
        ):
            with pytest.raises(ClientError) as error:
                call(**request)
            assert error.value.response["Error"]["Code"] == "AccessDenied"


# Insight rules are resources; their list needs everything.
def test_policies_of_insight_rules(tmp_path):
    administrator = made_administrator(str(tmp_path / "data"))
    with served(memory=False, data=tmp_path / "data", auth="required") as server:
        iam = client_of(server.endpoint, "iam", **administrator)
        iam.create_user(UserName="probe")
        statement = {
            "Effect": "Allow",
            "Action": "cloudwatch:*",
            "Resource": "arn:aws:cloudwatch:*:*:insight-rule/Mine*",
        }
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.put_user_policy(UserName="probe", PolicyName="p", PolicyDocument=policy)
        keys = keys_of(iam.create_access_key(UserName="probe")["AccessKey"])
        client = client_of(server.endpoint, "cloudwatch", **keys)
        times = {"StartTime": 0, "EndTime": 60, "Period": 60}
        definition = {"RuleDefinition": "{}"}
        for name, rest in (("Mine", "does not exist"), ("Yours", "not authorized")):
            with pytest.raises(ClientError, match=rest):
                client.get_insight_rule_report(RuleName=name, **times)
        for name, rest in (("Mine", "no CloudWatch Logs"), ("Yours", "not authorized")):
            with pytest.raises(ClientError, match=rest):
                client.put_insight_rule(RuleName=name, **definition)
        assert len(client.delete_insight_rules(RuleNames=["Mine"])["Failures"]) == 1
        for refused in (
            lambda: client.delete_insight_rules(RuleNames=["Mine", "Yours"]),
            client.describe_insight_rules,
        ):
            with pytest.raises(ClientError, match="not authorized"):
                refused()
