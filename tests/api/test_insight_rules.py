# The rules that DescribeContributorInsights names can be asked in CloudWatch, by all processes and
# after a restart; what would be a rule of logs is refused.
import time
from datetime import UTC, datetime, timedelta

import pytest

from tests.api.conftest import client_of
from tests.api.indexes import attributes, index_of, schema
from tests.api.metrics import CBOR, JSON, QUERY, client_speaking, refused
from tests.served import served

ENABLE = {"ContributorInsightsAction": "ENABLE"}


@pytest.fixture(scope="module")
def cloudwatch(server):
    return client_of(server.endpoint, "cloudwatch")


def counted_table(client, name):
    """A table with insights: their rules by their kinds."""
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=attributes(pk="S", sk="S", g="S"),
        KeySchema=schema("pk", sort=("sk",)),
        GlobalSecondaryIndexes=[index_of("by-g", "g")],
    )
    client.update_contributor_insights(TableName=name, **ENABLE)
    client.update_contributor_insights(TableName=name, IndexName="by-g", **ENABLE)
    return rules_of(client, name)


def rules_of(client, name, **more):
    found = client.describe_contributor_insights(TableName=name, **more)
    return {each.split("-")[1]: each for each in found["ContributorInsightsRuleList"]}


def put(client, name, *keys):
    for number, key in enumerate(keys):
        item = {"pk": {"S": key}, "sk": {"S": str(number)}, "g": {"S": "x"}}
        client.put_item(TableName=name, Item=item)


def report(cloudwatch, rule, **more):
    """The report of all that is kept."""
    known = {
        "StartTime": datetime.fromtimestamp(0, UTC),
        "EndTime": datetime(2100, 1, 1, tzinfo=UTC),
    }
    return cloudwatch.get_insight_rule_report(RuleName=rule, **{**known, "Period": 60, **more})


def by_key(found):
    return {
        tuple(each["Keys"]): each["ApproximateAggregateValue"] for each in found["Contributors"]
    }


@pytest.mark.parametrize("protocol", [JSON, CBOR, QUERY])
def test_a_report_has_the_keys_and_what_they_cost(server, protocol):
    name = f"orders-{protocol}"
    client, cloudwatch = client_of(server.endpoint), client_speaking(protocol, server.endpoint)
    rules = counted_table(client, name)
    put(client, name, "a", "a", "b")
    server.clock.advance(minutes=1)
    put(client, name, "a")
    server.clock.advance(minutes=1)
    metrics = ["UniqueContributors", "MaxContributorValue", "Sum", "Maximum", "SampleCount"]
    found = report(cloudwatch, rules["PKC"], Metrics=metrics)
    assert found["KeyLabels"] == ["pk"]
    assert found["AggregationStatistic"] == "Sum"
    # Three for a write unit.
    assert (found["AggregateValue"], found["ApproximateUniqueCount"]) == (12, 2)
    assert by_key(found) == {("a",): 9, ("b",): 3}
    assert [each["ApproximateValue"] for each in found["Contributors"][0]["Datapoints"]] == [6, 3]
    first, second = found["MetricDatapoints"]
    assert {each: first[each] for each in metrics} == dict(
        zip(metrics, (2, 6, 9, 6, 2), strict=True)
    )
    assert "Average" not in first
    assert second["Timestamp"] - first["Timestamp"] == timedelta(minutes=1)
    whole = report(cloudwatch, rules["SKC"], MaxContributorCount=1)
    assert whole["KeyLabels"] == ["pk", "sk"]
    assert by_key(whole) == {("a", "0"): 6}
    of_index = rules_of(client, name, IndexName="by-g")
    # The last write changed no entry.
    assert by_key(report(cloudwatch, of_index["PKC"])) == {("x",): 9}
    assert report(cloudwatch, rules["PKT"])["Contributors"] == []
    ended = report(cloudwatch, rules["PKC"], EndTime=datetime.now(UTC) - timedelta(hours=1))
    assert (ended["Contributors"], ended["AggregateValue"]) == ([], 0)


# The key with the highest count in a period comes first, or that with the highest sum.
def test_the_order_of_contributors(server, cloudwatch):
    client = client_of(server.endpoint)
    rules = counted_table(client, "ordered")
    put(client, "ordered", "burst", "burst", "steady")
    server.clock.advance(minutes=1)
    put(client, "ordered", "steady")
    server.clock.advance(minutes=1)
    put(client, "ordered", "steady")
    server.clock.advance(minutes=1)
    for order, key in ((None, "steady"), ("Sum", "steady"), ("Maximum", "burst")):
        asked = {} if order is None else {"OrderBy": order}
        found = report(cloudwatch, rules["PKC"], **asked)
        assert found["Contributors"][0]["Keys"] == [key]
    hours = report(cloudwatch, rules["PKC"], Period=3600, Metrics=["Sum"])
    assert sum(each["Sum"] for each in hours["MetricDatapoints"]) == 15


def test_the_list_of_rules_goes_with_the_tables(server, cloudwatch):
    client = client_of(server.endpoint)
    counted_table(client, "listed")
    rules, token = [], {}
    while token is not None:
        page = cloudwatch.describe_insight_rules(MaxResults=3, **token)
        rules += page["InsightRules"]
        token = {"NextToken": page["NextToken"]} if "NextToken" in page else None
    found = [each for each in rules if "listed" in each["Name"]]
    kinds = [each["Name"].split("-")[1] for each in found]
    assert kinds == ["PKC", "PKT", "SKC", "SKT", "PKC", "PKT"]
    assert {(each["State"], each["ManagedRule"]) for each in found} == {("ENABLED", True)}
    assert '"Keys":["pk","sk"]' in found[2]["Definition"]
    client.update_contributor_insights(TableName="listed", ContributorInsightsAction="DISABLE")
    text = f"Insight rule {found[0]['Name']} does not exist"
    code, message = refused(
        cloudwatch.get_insight_rule_report,
        RuleName=found[0]["Name"],
        StartTime=time.time() - 60,
        EndTime=time.time(),
        Period=60,
    )
    assert (code, message) == ("ResourceNotFoundException", text)


def test_what_changes_rules(server, cloudwatch):
    rules = counted_table(client_of(server.endpoint), "managed")
    names = [rules["PKC"], "no-such-rule"]
    enabled = cloudwatch.enable_insight_rules(RuleNames=names)["Failures"]
    assert [each["FailureResource"] for each in enabled] == ["no-such-rule"]
    for change in (cloudwatch.disable_insight_rules, cloudwatch.delete_insight_rules):
        failures = change(RuleNames=names)["Failures"]
        assert [(each["FailureResource"], each["ExceptionType"]) for each in failures] == [
            (names[0], "InvalidParameterValueException"),
            (names[1], "ResourceNotFoundException"),
        ]
    code, text = refused(
        cloudwatch.put_insight_rule,
        RuleName="mine",
        RuleDefinition='{"Schema":{"Name":"CloudWatchLogRule","Version":1}}',
    )
    assert code == "InvalidParameterValue"
    assert text.startswith("hashrange has no CloudWatch Logs")


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"Period": 90}, "Period must be a multiple of 60"),
        (
            {"MaxContributorCount": 101},
            "The parameter MaxContributorCount must be between 1 and 100",
        ),
        ({"OrderBy": "Average"}, "The value Average for parameter OrderBy is not supported."),
        ({"Metrics": ["Median"]}, "The value Median for parameter Metrics is not supported."),
        (
            {"StartTime": 7, "EndTime": 7},
            "The parameter StartTime must be less than the parameter EndTime.",
        ),
    ],
)
def test_refused_reports(cloudwatch, asked, text):
    known = {"RuleName": "r", "StartTime": 0, "EndTime": 9e9, "Period": 60}
    found = refused(cloudwatch.get_insight_rule_report, **{**known, **asked})
    assert found == ("InvalidParameterValue", text)


# Rows of the engine: a server that starts knows what another one has counted, for a day.
def test_reports_survive_a_restart(tmp_path):
    place = {"memory": False, "data": tmp_path / "d", "testing": True}
    with served(**place) as server:
        client = client_of(server.endpoint)
        rule = counted_table(client, "kept")["PKC"]
        put(client, "kept", "a", "b")
    with served(**place) as server:
        client, cloudwatch = client_of(server.endpoint), client_of(server.endpoint, "cloudwatch")
        put(client, "kept", "a")
        server.clock.advance(minutes=1)
        assert by_key(report(cloudwatch, rule)) == {("a",): 6, ("b",): 3}
        server.clock.advance(hours=26)
        assert by_key(report(cloudwatch, rule)) == {}
        # The rows are gone: an earlier time does not show them.
        server.clock.reset()
        assert by_key(report(cloudwatch, rule)) == {}


@pytest.mark.long
def test_processes_have_a_report_together(tmp_path):
    place = {"memory": False, "data": tmp_path / "d", "testing": True}
    with served(workers=2, **place) as server:
        rule = counted_table(client_of(server.endpoint), "shared")["PKC"]
        for _ in range(20):
            put(client_of(server.endpoint), "shared", "a")
    with served(**place) as server:
        cloudwatch = client_of(server.endpoint, "cloudwatch")
        server.clock.advance(minutes=1)
        assert by_key(report(cloudwatch, rule)) == {("a",): 60}
