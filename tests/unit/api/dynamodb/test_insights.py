"""Contributor insights: the setting over time, and which keys are counted with how much.

Statuses, rules and texts are those that users have measured on the service, October 2026.
"""

import json

import pytest

from hashrange.api.dynamodb.insights.counting import KeyCounting
from tests.api.indexes import index_of, projected, schema
from tests.unit.api.admission.throttled_server import ThrottledServer
from tests.unit.api.dynamodb.still_server import SHOWN_MS, StillServer

ENABLE, DISABLE = (
    {"ContributorInsightsAction": "ENABLE"},
    {"ContributorInsightsAction": "DISABLE"},
)
ACCESSED, THROTTLED = "ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"
SORTED = {
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("pk", "S"), ("sk", "N"), ("state", "S"))
    ],
    "KeySchema": schema("pk", sort=("sk",)),
    "GlobalSecondaryIndexes": [index_of("by-state", "state")],
    "LocalSecondaryIndexes": [index_of("local", "pk", sort=("state",), **projected("KEYS_ONLY"))],
    "BillingMode": "PAY_PER_REQUEST",
}
INDEX = {"IndexName": "by-state"}


def key(pk, sk):
    return {"pk": {"S": pk}, "sk": {"N": str(sk)}}


@pytest.fixture
def server():
    made = StillServer()
    made.create(**SORTED)
    yield made
    made.end()


def update(server, *members, **more):
    request = {name: value for each in members for name, value in each.items()}
    return server.call("UpdateContributorInsights", **request, **more)


def describe(server, **more):
    return server.call("DescribeContributorInsights", **more)


def listed(server, **request):
    return server.call("ListContributorInsights", **request)["ContributorInsightsSummaries"]


def test_the_setting_over_time(server):
    assert describe(server) == {"TableName": "a-table", "ContributorInsightsStatus": "DISABLED"}
    assert update(server, DISABLE) == describe(server), "nothing to disable"
    since_ms = server.time_ms
    shown = {"TableName": "a-table", "ContributorInsightsMode": ACCESSED}
    begun = {**shown, "ContributorInsightsStatus": "ENABLING"}
    assert update(server, ENABLE) == begun
    assert listed(server) == [begun]
    server.later(SHOWN_MS)
    rules = [
        f"DynamoDBContributorInsights-{rule}-a-table-{since_ms}"
        for rule in ("PKC", "PKT", "SKC", "SKT")
    ]
    enabled = {**shown, "ContributorInsightsStatus": "ENABLED"}
    described = {
        **enabled,
        "ContributorInsightsRuleList": rules,
        "LastUpdateDateTime": since_ms / 1000,
    }
    assert describe(server) == described
    assert update(server, ENABLE) == enabled, "it is what it was"
    assert describe(server) == described
    narrowed = update(server, ENABLE, ContributorInsightsMode=THROTTLED)
    assert narrowed["ContributorInsightsStatus"] == "ENABLING"
    server.later(SHOWN_MS)
    assert describe(server)["ContributorInsightsRuleList"] == rules[1::2], "their time stays"
    assert update(server, ENABLE)["ContributorInsightsMode"] == ACCESSED, "the default"
    server.later(SHOWN_MS)
    gone = update(server, DISABLE, ContributorInsightsMode=THROTTLED)
    assert gone == {**shown, "ContributorInsightsStatus": "DISABLING"}
    assert listed(server) == [gone]
    server.later(SHOWN_MS)
    assert listed(server) == []
    assert set(describe(server)) == {*shown, "ContributorInsightsStatus", "LastUpdateDateTime"}


def test_indexes_have_settings_of_their_own(server):
    update(server, ENABLE, INDEX)
    server.later(SHOWN_MS)
    (rule, _) = describe(server, **INDEX)["ContributorInsightsRuleList"]
    assert rule.startswith("DynamoDBContributorInsights-PKC-a-table-by-state-")
    assert describe(server)["ContributorInsightsStatus"] == "DISABLED"
    (entry,) = listed(server)
    assert entry["IndexName"] == "by-state"
    for name in ("local", "none"):
        fault, text = server.refused("UpdateContributorInsights", **ENABLE, IndexName=name)
        assert fault.name == "RESOURCE_NOT_FOUND"
        assert text == f"Requested resource not found: Index: {name} not found for table: a-table"


def test_an_index_that_is_made_again_has_no_setting(server):
    update(server, ENABLE, INDEX)
    server.update(GlobalSecondaryIndexUpdates=[{"Delete": INDEX}])
    assert [each.get("IndexName") for each in listed(server)] == ["by-state"]
    server.later(SHOWN_MS)
    server.index()
    assert listed(server) == []
    create = SORTED["GlobalSecondaryIndexes"][0]
    attributes = SORTED["AttributeDefinitions"]
    server.update(AttributeDefinitions=attributes, GlobalSecondaryIndexUpdates=[{"Create": create}])
    _, text = server.refused("UpdateContributorInsights", **ENABLE, **INDEX)
    assert text.endswith("Insights: IndexStatus must be ACTIVE to enable ContributorInsights.")
    server.later(SHOWN_MS)
    server.index()
    assert describe(server, **INDEX)["ContributorInsightsStatus"] == "DISABLED"


def test_a_table_that_is_creating(server):
    server.perform("CreateTable", **{**SORTED, "TableName": "new"})
    _, text = server.refused("UpdateContributorInsights", **ENABLE, TableName="new")
    assert text == (
        "Table or Index is not in a valid state to update Key Access Insights: "
        "TableStatus must be ACTIVE to enable ContributorInsights."
    )


# Without a table a page goes through all tables and indexes; of one table none is empty.
def test_pages(server):
    server.perform("CreateTable", **{**SORTED, "TableName": "b-table"})
    server.later(SHOWN_MS)
    for more in ({}, INDEX):
        update(server, ENABLE, more, TableName="b-table")

    def pages(**request):
        found, token = [], {}
        while True:
            page = server.call("ListContributorInsights", MaxResults=1, **request, **token)
            entries = page["ContributorInsightsSummaries"]
            found.append([each.get("IndexName", "") for each in entries])
            if "NextToken" not in page:
                return found
            token = {"NextToken": page["NextToken"]}

    assert pages(TableName="b-table") == [[""], ["by-state"]]
    assert pages(TableName=None) == [[], [], [""], ["by-state"]]
    _, text = server.refused("ListContributorInsights", NextToken="bm9uZQ==")
    assert text == "Invalid Request: Provided nextToken is invalid: bm9uZQ=="


class CountingServer(ThrottledServer):
    """A server that throttles and counts keys."""

    def __init__(self):
        super().__init__()
        (pipeline, _) = self.processes[0]
        gate = pipeline.admission
        self.counting = KeyCounting(gate, self.now_ms, pipeline.limit)
        self.catalog.on_open = self.counting.opened

    def counts(self, rule, index=""):
        """The counts of keys in the present minute."""
        return {
            tuple(json.loads(each.key)): each.count
            for report in self.counting.reports()
            if (report.rule, report.index, report.minutes) == (rule, index, 0)
            for each in report.keys
        }


@pytest.fixture
def counted():
    made = CountingServer()
    made.create(**SORTED)
    update(made, ENABLE)
    yield made
    made.end()


STATE = {"state": {"S": "OPEN"}}
WIDE = {"pad": {"S": "x" * 1500}}


def test_items_count_three_times_their_write_units_and_their_read_units(counted):
    counted.call("PutItem", Item={**key("a", 1), **WIDE})
    counted.call("GetItem", Key=key("a", 1), ConsistentRead=True)
    counted.call("GetItem", Key=key("a", 2))
    counted.call("UpdateItem", Key=key("b", 1), UpdateExpression="SET x = pk")
    counted.call("DeleteItem", Key=key("b", 1))
    assert counted.counts("SKC") == {("a", "1"): 7.0, ("a", "2"): 0.5, ("b", "1"): 6.0}
    assert counted.counts("PKC") == {("a",): 7.5, ("b",): 6.0}


def test_batches_and_transactions_count_each_item(counted):
    puts = [{"PutRequest": {"Item": key("a", number)}} for number in (1, 2)]
    counted.call("BatchWriteItem", RequestItems={"a-table": puts})
    keys = {"Keys": [key("a", 1), key("b", 1)]}
    counted.call("BatchGetItem", RequestItems={"a-table": keys})
    put = {"Put": {"TableName": "a-table", "Item": key("a", 1)}}
    counted.call("TransactWriteItems", TransactItems=[put])
    get = {"Get": {"TableName": "a-table", "Key": key("a", 2)}}
    counted.call("TransactGetItems", TransactItems=[get])
    assert counted.counts("SKC") == {("a", "1"): 3 + 0.5 + 6, ("a", "2"): 3 + 2, ("b", "1"): 0.5}


# A query is one access to its partition key; statements of PartiQL and scans are not seen.
def test_queries_count_their_partition_key_and_statements_do_not(counted):
    query = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}}
    counted.call("Query", **query)
    counted.call("Scan")
    counted.call("ExecuteStatement", Statement="SELECT * FROM \"a-table\" WHERE pk = 'a'")
    assert counted.counts("PKC") == {("a",): 0.5}
    assert counted.counts("SKC") == {}


def test_entries_count_for_their_index_and_local_ones_for_the_table(counted):
    update(counted, ENABLE, INDEX)
    counted.call("PutItem", Item={**key("a", 1), **STATE})
    assert counted.counts("PKC", "by-state") == {("OPEN",): 3.0}
    assert counted.counts("PKC") == {("a",): 6.0}, "the item, and its local entry"
    counted.call("PutItem", Item={**key("a", 1), "state": {"S": "DONE"}})
    assert counted.counts("PKC", "by-state") == {("OPEN",): 6.0, ("DONE",): 3.0}
    query = {
        "KeyConditionExpression": "#s = :s",
        "ExpressionAttributeNames": {"#s": "state"},
        "ExpressionAttributeValues": {":s": {"S": "DONE"}},
    }
    counted.call("Query", **query, **INDEX)
    assert counted.counts("PKC", "by-state")["DONE",] == 3.5


def test_a_failed_condition_is_an_access(counted):
    counted.refused("PutItem", Item=key("a", 1), ConditionExpression="attribute_exists(pk)")
    assert counted.counts("PKC") == {("a",): 3.0}


def test_throttled_requests_and_items_are_counted(counted):
    while counted.put_sorted("star", 1, 300):
        pass
    assert counted.counts("SKT") == {("star", "1"): 1.0}
    puts = [{"PutRequest": {"Item": key(pk, 2)}} for pk in ("star", "else")]
    counted.call("BatchWriteItem", RequestItems={"a-table": puts})
    assert counted.counts("PKT") == {("star",): 2.0}


def test_only_throttled_keys_are_counted_on_request(counted):
    update(counted, ENABLE, ContributorInsightsMode=THROTTLED)
    while counted.put_sorted("star", 1, 300):
        pass
    assert counted.counts("PKC") == {}
    assert counted.counts("PKT") == {("star",): 1.0}


def test_writes_that_wait_for_an_index_are_not_counted():
    server = CountingServer()
    units = {"ProvisionedThroughput": {"ReadCapacityUnits": 9, "WriteCapacityUnits": 900}}
    few = {"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}
    (index,) = SORTED["GlobalSecondaryIndexes"]
    provisioned = {**SORTED, "BillingMode": "PROVISIONED", **units}
    server.create(**{**provisioned, "GlobalSecondaryIndexes": [{**index, **few}]})
    update(server, ENABLE)
    server.call("PutItem", Item={**key("a", 1), **STATE, "pad": {"S": "x" * 5000}})
    assert not server.is_admitted("PutItem", Item=key("b", 1))
    assert server.counts("PKT") == {}
    server.end()


# Off costs nothing: without a table that has insights the pipeline does not know of them.
def test_the_pipeline_counts_only_while_there_is_something_to_count(counted):
    (pipeline, _) = counted.processes[0]
    counted.call("GetItem", Key=key("a", 1))
    assert pipeline.admission is counted.counting
    update(counted, DISABLE)
    counted.call("GetItem", Key=key("a", 1))
    assert pipeline.admission is not counted.counting
    assert counted.counting.reports() == []


def test_long_keys_are_cut_and_stay_apart(counted):
    for end in ("x", "y"):
        counted.call("GetItem", Key=key("k" * 1000 + end, 1))
    keys = [pk for (pk,) in counted.counts("PKC")]
    assert len(set(keys)) == 2
    assert max(map(len, keys)) < 450
