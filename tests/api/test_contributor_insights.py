# Templates enable contributor insights, consoles describe them, and their figures are to be read.
"""UpdateContributorInsights, DescribeContributorInsights, ListContributorInsights."""

import itertools
import json
import re

import pytest

from tests.api.conftest import client_of
from tests.api.indexes import attributes, index_of, schema
from tests.api.items import answer
from tests.api.refusals import NOT_FOUND, VALIDATION, absent, breaks, refusal, violated
from tests.copied_pages import fresh
from tests.pace import until
from tests.unit.processes import run

NO_SUCH_TABLE = "Requested resource not found: Table: never-made not found"
NO_NAME = "The parameter 'TableName' is required but was not present in the request"
ENABLE = {"ContributorInsightsAction": "ENABLE"}


# By name as by ARN.
def test_a_table_and_its_index(dynamodb, new_table):
    name = new_table(
        sk="S",
        AttributeDefinitions=attributes(pk="S", sk="S", a="S"),
        GlobalSecondaryIndexes=[index_of("global", "a")],
        LocalSecondaryIndexes=[index_of("local", "pk", sort=("a",))],
    )
    call = dynamodb.describe_contributor_insights
    disabled = {"TableName": name, "ContributorInsightsStatus": "DISABLED"}
    assert answer(call, TableName=name) == disabled
    arn = dynamodb.describe_table(TableName=name)["Table"]["TableArn"]
    assert answer(call, TableName=arn, IndexName="global") == {**disabled, "IndexName": "global"}
    for index in ("local", "never-made"):
        text = f"Requested resource not found: Index: {index} not found for table: {name}"
        assert refusal(call, TableName=name, IndexName=index) == (NOT_FOUND, text)
        assert refusal(
            dynamodb.update_contributor_insights, TableName=name, IndexName=index, **ENABLE
        ) == (NOT_FOUND, text)
    told = answer(dynamodb.list_contributor_insights, TableName=name)
    assert told == {"ContributorInsightsSummaries": []}
    begun = dynamodb.update_contributor_insights(
        TableName=arn, IndexName="global", ContributorInsightsMode="THROTTLED_KEYS", **ENABLE
    )
    assert begun["ContributorInsightsStatus"] == "ENABLING"
    enabled = answer(call, TableName=name, IndexName="global")
    assert enabled["ContributorInsightsStatus"] == "ENABLED"
    (rule,) = enabled["ContributorInsightsRuleList"]
    assert re.fullmatch(rf"DynamoDBContributorInsights-PKT-{name}-global-\d{{13}}", rule)
    # Other tables stand on the server too: pages may be empty before the entry comes.
    found, token = [], {}
    while token is not None:
        page = answer(dynamodb.list_contributor_insights, **token)
        found += page["ContributorInsightsSummaries"]
        token = {"NextToken": page["NextToken"]} if "NextToken" in page else None
    (listed,) = [each for each in found if each["TableName"] == name]
    assert listed["IndexName"] == "global"


def test_refusals(dynamodb):
    describe, update = (
        dynamodb.describe_contributor_insights,
        dynamodb.update_contributor_insights,
    )
    for call, more in ((describe, {}), (update, ENABLE)):
        assert refusal(call, TableName="never-made", **more) == (NOT_FOUND, NO_SUCH_TABLE)
        assert refusal(call, **more) == (VALIDATION, NO_NAME)
    assert refusal(update, TableName="never-made") == violated(absent("contributorInsightsAction"))
    assert refusal(
        update,
        TableName="never-made",
        ContributorInsightsAction="on",
        ContributorInsightsMode="ALL",
    ) == violated(
        breaks("on", "contributorInsightsAction", "satisfy enum value set: [ENABLE, DISABLE]"),
        breaks(
            "ALL",
            "contributorInsightsMode",
            "satisfy enum value set: [ACCESSED_AND_THROTTLED_KEYS, THROTTLED_KEYS]",
        ),
    )
    listing = dynamodb.list_contributor_insights
    assert refusal(listing, TableName="never-made") == (NOT_FOUND, NO_SUCH_TABLE)
    assert refusal(listing, MaxResults=101) == violated(
        breaks(101, "maxResults", "have value less than or equal to 100")
    )
    for token in ("x", "0123456789abcdef" * 7, "WyJhIiwgImIiXQ=="):
        text = f"Invalid Request: Provided nextToken is invalid: {token}"
        assert refusal(listing, NextToken=token) == (VALIDATION, text)


@pytest.fixture(scope="module")
def endpoint_of_its_own(start_server):
    return start_server()


# With workers the counts of all processes are added up; each has opened the table by itself.
def test_figures_are_in_the_pages_and_at_the_command_line(endpoint_of_its_own):
    client = client_of(endpoint_of_its_own)
    client.create_table(
        TableName="orders",
        AttributeDefinitions=attributes(pk="S", sk="S"),
        KeySchema=schema("pk", sort=("sk",)),
        BillingMode="PAY_PER_REQUEST",
    )
    client.update_contributor_insights(TableName="orders", **ENABLE)
    puts = itertools.count(1)

    def complete():
        client.put_item(TableName="orders", Item={"pk": {"S": "celebrity"}, "sk": {"S": "1"}})
        spent = 3 * next(puts)
        page = json.loads(fresh(f"{endpoint_of_its_own}/top.json"))
        found = [each for each in page["contributors"] if each["minutes"] in {0, 1}]
        totals = {each["rule"]: 0 for each in found}
        for each in found:
            totals[each["rule"]] += each["total"]
        return found if totals == {"PKC": spent, "SKC": spent} else None

    found = until(complete)
    keys = {(each["rule"], each["keys"][0]["key"]) for each in found}
    assert keys == {("PKC", '["celebrity"]'), ("SKC", '["celebrity","1"]')}
    # The minute may be over by now, and a command takes seconds on a slow machine.
    spans = ("now", "minute", "quarter")
    shown = [
        run("insights", "orders", "--span", span, "--endpoint", endpoint_of_its_own).stdout
        for span in spans
    ]
    assert "orders: whole keys, accessed in " in "".join(shown)
    assert '  ["celebrity","1"]' in "".join(shown)
    none = run("insights", "others", "--endpoint", endpoint_of_its_own)
    assert none.stdout == "No keys were counted.\n"
    assert "celebrity" not in fresh(f"{endpoint_of_its_own}/metrics")
