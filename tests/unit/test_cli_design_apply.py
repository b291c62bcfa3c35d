"""`hashrange design --apply` and `hashrange describe`, against servers."""

import json

import boto3
import pytest

from tests import s3_server
from tests.api.conftest import client_of
from tests.served import served
from tests.unit.processes import run
from tests.unit.tools.design.stacks import Stack, template_in

KEYED = ("--table-name", "shop", "--partition-key", "pk:S", "--sort-key", "sk:S")


def designed(*arguments, **variables):
    return run("design", "--non-interactive", *arguments, **variables)


@pytest.fixture(scope="module")
def server():
    with served() as running:
        yield running.endpoint


# What is read back from a template is what --apply makes: DescribeTable decides.
def test_apply_and_template_make_the_same_table(server):
    flags = ("--table-name", "production", "--production")
    made = run("design", *flags, "--apply", "--endpoint", server)
    assert (made.returncode, made.stdout) == (0, "")
    assert "auto scaling, alarms" in made.stderr
    applied = state_of(server, "production")
    with served() as other:
        template = template_in(designed(*flags).stdout)
        for each in ordered(Stack(template).requests()):
            send(other.endpoint, *each)
        assert state_of(other.endpoint, "production") == applied
    assert applied["scaling"] == 6
    assert applied["recovery"] == ("ENABLED", 35)
    assert applied["insights"] == ["ENABLED"] * 3


def ordered(requests):
    """Tables first; alarms are left out, since the server has none."""
    read = [json.loads(each) for each in requests]
    ranks = ["CreateTable", "UpdateTimeToLive", "UpdateContinuousBackups"]
    ranks += ["UpdateContributorInsights", "RegisterScalableTarget", "PutScalingPolicy"]
    kept = [each for each in read if each[0] != "cloudwatch"]
    return sorted(kept, key=lambda each: ranks.index(each[1]))


def client(endpoint, service):
    return boto3.client(
        service,
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


def send(endpoint, service, operation, request):
    method = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in operation)[1:]
    if operation == "PutScalingPolicy":
        request["PolicyName"] = f"policy-{request['ScalableDimension']}"
    getattr(client(endpoint, service), method)(**whole_numbers(request))


def whole_numbers(value):
    match value:
        case dict():
            return {name: whole_numbers(each) for name, each in value.items()}
        case list():
            return [whole_numbers(each) for each in value]
        case float():
            return int(value)
        case _:
            return value


def state_of(endpoint, name):
    """What the API describes of a table, without times and ids."""
    dynamodb, scaling = client_of(endpoint), client(endpoint, "application-autoscaling")
    table = dynamodb.describe_table(TableName=name)["Table"]
    indexes = [None, *(index["IndexName"] for index in table["GlobalSecondaryIndexes"])]
    named = [{} if index is None else {"IndexName": index} for index in indexes]
    states = [
        dynamodb.describe_contributor_insights(TableName=name, **each)["ContributorInsightsStatus"]
        for each in named
    ]
    backups = dynamodb.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    recovery = backups["PointInTimeRecoveryDescription"]
    targets = scaling.describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"]
    for part in (table, *table["GlobalSecondaryIndexes"]):
        for member in ("CreationDateTime", "TableId", "LatestStreamArn", "LatestStreamLabel"):
            part.pop(member, None)
    table["AttributeDefinitions"].sort(key=lambda each: each["AttributeName"])
    table["GlobalSecondaryIndexes"].sort(key=lambda each: each["IndexName"])
    return {
        "table": table,
        "expiry": dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"],
        "tags": dynamodb.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"],
        "recovery": (recovery["PointInTimeRecoveryStatus"], recovery["RecoveryPeriodInDays"]),
        "insights": states,
        "scaling": len([each for each in targets if name in each["ResourceId"].split("/")]),
    }


def test_existing_table_is_refused(server):
    flags = ("--table-name", "twice", "--partition-key", "pk:S", "--apply", "--endpoint", server)
    assert designed(*flags).returncode == 0
    again = designed(*flags)
    assert again.returncode == 1
    assert again.stderr.endswith("refuses CreateTable: Table already exists: twice\n")
    assert again.stderr.count("\n") == 1


def test_result_of_apply_as_json(server):
    flags = ("--table-name", "result", "--partition-key", "status:S", "--ttl", "at", "--alarms")
    made = designed(*flags, "--apply", "--json", "--endpoint", server)
    assert made.returncode == 0
    found = json.loads(made.stdout)
    assert found["place"] == server
    assert found["table"]["TableStatus"] == "ACTIVE"
    outcomes = [(each["feature"], each["outcome"]) for each in found["features"]]
    assert outcomes == [("time to live", "done"), ("alarms", "done")]
    assert [each["rule"] for each in found["warnings"]] == ["low-cardinality-key"]


def test_apply_to_no_server_is_one_line():
    made = designed(*KEYED, "--apply", "--endpoint", "http://127.0.0.1:1")
    assert made.returncode == 1
    assert made.stderr == "hashrange: http://127.0.0.1:1 does not answer: connection refused\n"


def test_description_is_the_design(server):
    flags = ("--table-name", "live", "--production", "--tags", "team=a")
    run("design", *flags, "--apply", "--endpoint", server)
    wanted = json.loads(designed(*flags, "--json").stdout)
    described = run("describe", "live", "--json", "--endpoint", server)
    assert (described.returncode, described.stderr) == (0, "")
    assert in_any_order(json.loads(described.stdout)) == in_any_order(wanted)
    template = run("describe", "live", "--as", "cloudformation", "--endpoint", server).stdout
    assert template_in(template)["Resources"]["Table"]["Properties"]["TableName"] == "live"


def in_any_order(found):
    """A definition whose tags, attributes and indexes are sorted."""
    request = found["request"]
    for member in ("AttributeDefinitions", "GlobalSecondaryIndexes", "Tags"):
        request[member] = sorted(request[member], key=json.dumps)
    return found


def test_description_names_what_it_leaves_out(server):
    made = designed("--table-name", "scaled", "--partition-key", "pk:S", "--auto-scaling", "1:9")
    assert made.returncode == 0
    flags = ("--table-name", "scaled", "--partition-key", "pk:S", "--auto-scaling", "1:9")
    designed(*flags, "--apply", "--endpoint", server)
    client(server, "application-autoscaling").register_scalable_target(
        ServiceNamespace="dynamodb",
        ResourceId="table/scaled",
        ScalableDimension="dynamodb:table:ReadCapacityUnits",
        MinCapacity=2,
    )
    described = run("describe", "scaled", "--json", "--endpoint", server)
    assert described.returncode == 3
    assert json.loads(described.stdout)["scaling"] is None
    assert described.stderr == (
        "hashrange: scaled: without auto scaling, which differs between the table and its indexes\n"
    )


def test_description_of_no_table(server):
    described = run("describe", "nothing", "--endpoint", server)
    assert (described.returncode, described.stdout) == (1, "")
    assert described.stderr == f"hashrange: {server} has no table nothing\n"


# moto has alarms and no insights, so that it is the endpoint with the other half.
@pytest.mark.long
def test_alarms_of_an_endpoint_that_has_them():
    with s3_server.running() as endpoint:
        flags = (*KEYED, "--gsi", "by-sku:sku:S", "--alarms", "--pitr", "--auto-scaling", "1:9")
        made = designed(*flags, "--apply", "--endpoint", endpoint, **s3_server.KEYS)
        assert made.returncode == 0, made.stderr
        alarms = client(endpoint, "cloudwatch").describe_alarms()["MetricAlarms"]
        names = [alarm["AlarmName"] for alarm in alarms]
        # The others belong to policies of scaling.
        assert sorted(name for name in names if name.startswith("shop-")) == [
            "shop-by-sku-read-throttles",
            "shop-by-sku-write-throttles",
            "shop-read-throttles",
            "shop-system-errors",
            "shop-write-throttles",
        ]
