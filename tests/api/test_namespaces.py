"""Tables of one account and region are not those of another, where the operator wants it so."""

import time

import pytest
from botocore.exceptions import ClientError

from tests.api.conftest import client_of
from tests.api.indexes import index_of
from tests.api.refusals import VALIDATION, refusal
from tests.api.tables import keyed

ALICE, BOB = "111111111111", "222222222222"
TABLE = {"TableName": "a-table", **keyed(pk="S")}
INDEX = index_of("by-pk", "pk")
ITEM = {"pk": {"S": "a"}}


CALLERS = ((ALICE, "us-east-1"), (BOB, "us-east-1"), (ALICE, "eu-west-1"))


@pytest.fixture
def endpoint(start_server):
    return start_server(namespaces="separate")


def of_all(endpoint, service="dynamodb"):
    return [
        client_of(endpoint, service, aws_access_key_id=key, region_name=region)
        for key, region in CALLERS
    ]


@pytest.fixture
def clients(endpoint):
    """Two accounts, and the first one in another region, on a server of their own."""
    return of_all(endpoint)


# The same name is three tables, each in the account and region of who made it.
def test_accounts_and_regions_have_tables_of_their_own(clients):
    arns = [client.create_table(**TABLE)["TableDescription"]["TableArn"] for client in clients]
    assert arns == [
        f"arn:aws:dynamodb:{region}:{account}:table/a-table"
        for region, account in (("us-east-1", ALICE), ("us-east-1", BOB), ("eu-west-1", ALICE))
    ]
    alice, bob, elsewhere = clients
    alice.put_item(TableName="a-table", Item=ITEM)
    assert alice.scan(TableName="a-table")["Count"] == 1
    for other in (bob, elsewhere):
        assert other.scan(TableName="a-table")["Count"] == 0
    bob.delete_table(TableName="a-table")
    assert bob.list_tables()["TableNames"] == []
    for left in (alice, elsewhere):
        assert left.list_tables()["TableNames"] == ["a-table"]
        assert left.describe_table(TableName="a-table")["Table"]["TableStatus"] == "ACTIVE"


# A name that somebody else has must look like one that nobody has, for each kind of operation.
def test_tables_of_others_are_not_found(clients):
    alice, bob, _ = clients
    arn = alice.create_table(**TABLE)["TableDescription"]["TableArn"]
    calls = [
        lambda name: bob.describe_table(TableName=name),
        lambda name: bob.delete_table(TableName=name),
        lambda name: bob.update_table(TableName=name, DeletionProtectionEnabled=True),
        lambda name: bob.get_item(TableName=name, Key=ITEM),
        lambda name: bob.put_item(TableName=name, Item=ITEM),
        lambda name: bob.query(
            TableName=name,
            KeyConditionExpression="pk = :p",
            ExpressionAttributeValues={":p": {"S": "a"}},
        ),
        lambda name: bob.scan(TableName=name),
        lambda name: bob.batch_get_item(RequestItems={name: {"Keys": [ITEM]}}),
        lambda name: bob.batch_write_item(RequestItems={name: [{"PutRequest": {"Item": ITEM}}]}),
    ]
    for call in calls:
        for name in ("a-table", arn):
            with pytest.raises(bob.exceptions.ResourceNotFoundException):
                call(name)
    # An ARN must not lead to the caller's own table of that name.
    bob.create_table(**TABLE)
    for call in calls:
        with pytest.raises(bob.exceptions.ResourceNotFoundException):
            call(arn)


def test_tags_of_others_are_not_found(clients):
    alice, bob, _ = clients
    arn = alice.create_table(**TABLE)["TableDescription"]["TableArn"]
    bob.create_table(**TABLE)
    for call in (
        lambda: bob.tag_resource(ResourceArn=arn, Tags=[{"Key": "k", "Value": "v"}]),
        lambda: bob.untag_resource(ResourceArn=arn, TagKeys=["k"]),
        lambda: bob.list_tags_of_resource(ResourceArn=arn),
    ):
        with pytest.raises(ClientError, match=arn) as refused:
            call()
        assert refused.value.response["Error"]["Code"] == "ResourceNotFoundException"
    alice.tag_resource(ResourceArn=arn, Tags=[{"Key": "k", "Value": "v"}])
    assert alice.list_tags_of_resource(ResourceArn=arn)["Tags"] == [{"Key": "k", "Value": "v"}]


def test_own_tables_are_found_by_their_arns(clients):
    for client in clients:
        arn = client.create_table(**TABLE)["TableDescription"]["TableArn"]
        client.put_item(TableName=arn, Item=ITEM)
        assert client.get_item(TableName=arn, Key=ITEM)["Item"] == ITEM
        assert client.describe_table(TableName=arn)["Table"]["TableArn"] == arn


# Indexes are built in the background, which must find the tables of all namespaces.
def test_index_is_built_in_each_namespace(clients):
    for client in clients:
        client.create_table(**TABLE)
        client.put_item(TableName="a-table", Item=ITEM)
        client.update_table(
            TableName="a-table",
            AttributeDefinitions=TABLE["AttributeDefinitions"],
            GlobalSecondaryIndexUpdates=[{"Create": INDEX}],
        )
        for _ in range(1000):
            (index,) = client.describe_table(TableName="a-table")["Table"]["GlobalSecondaryIndexes"]
            if index["IndexStatus"] == "ACTIVE":
                break
        assert client.scan(TableName="a-table", IndexName="by-pk")["Items"] == [ITEM]


# Access keys that are no account share one, as there is nothing to tell them apart by.
def test_other_access_keys_share_an_account(start_server):
    endpoint = start_server(namespaces="separate")
    client_of(endpoint, aws_access_key_id="somebody").create_table(**TABLE)
    other = client_of(endpoint, aws_access_key_id="AKIAIOSFODNN7EXAMPLE")
    assert other.list_tables()["TableNames"] == ["a-table"]


# ListTables goes on inside of the namespace, page after page.
def test_pages_of_names_stay_in_the_namespace(clients):
    alice, bob, _ = clients
    for name in ("one", "two", "three"):
        alice.create_table(**{**TABLE, "TableName": name})
        bob.create_table(**{**TABLE, "TableName": f"{name}-b"})
    pages = alice.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 2})
    assert [name for page in pages for name in page["TableNames"]] == ["one", "three", "two"]


# Each kind of operation has its words for what there is not, and no others for what is elsewhere's.
def test_tables_of_others_are_told_of_like_those_that_there_are_not(clients):
    alice, bob, _ = clients
    arn = alice.create_table(**TABLE)["TableDescription"]["TableArn"]
    none = arn.replace(ALICE, BOB)
    for call in (
        lambda name: bob.describe_table(TableName=name),
        lambda name: bob.delete_table(TableName=name),
        lambda name: bob.get_item(TableName=name, Key=ITEM),
        lambda name: bob.list_tags_of_resource(ResourceArn=name),
    ):
        told = [refusal(call, name=name) for name in (arn, none)]
        assert told[0] == (told[1][0], told[1][1].replace(none, arn))


# As measured by users, October 2026: an ARN of another region is no valid one, whatever is there.
def test_arns_of_other_regions(clients):
    alice, _, elsewhere = clients
    arn = alice.create_table(**TABLE)["TableDescription"]["TableArn"]
    elsewhere.create_table(**TABLE)
    text = f"1 validation error detected: Invalid AWS region in '{arn}'"
    recovery = {"PointInTimeRecoveryEnabled": True}
    for told in (
        refusal(elsewhere.describe_table, TableName=arn),
        refusal(elsewhere.describe_continuous_backups, TableName=arn),
        refusal(
            elsewhere.update_continuous_backups,
            TableName=arn,
            PointInTimeRecoverySpecification=recovery,
        ),
        refusal(elsewhere.describe_time_to_live, TableName=arn),
        refusal(elsewhere.describe_contributor_insights, TableName=arn),
    ):
        assert told == (VALIDATION, text)
    text = (
        f"1 validation error detected: Value '{arn}' at 'tableName' failed to satisfy constraint: "
        "Invalid AWS region"
    )
    for told in (
        refusal(elsewhere.get_item, TableName=arn, Key=ITEM),
        refusal(elsewhere.put_item, TableName=arn, Item=ITEM),
        refusal(elsewhere.update_item, TableName=arn, Key=ITEM),
        refusal(elsewhere.delete_item, TableName=arn, Key=ITEM),
        refusal(elsewhere.scan, TableName=arn),
        refusal(
            elsewhere.query,
            TableName=arn,
            KeyConditionExpression="pk = :v",
            ExpressionAttributeValues={":v": {"S": "v"}},
        ),
    ):
        assert told == (VALIDATION, text)
    text = f"Invalid TableArn: Invalid ResourceArn provided as input {arn}"
    tags = [{"Key": "k", "Value": "v"}]
    assert refusal(elsewhere.list_tags_of_resource, ResourceArn=arn) == (VALIDATION, text)
    assert refusal(elsewhere.tag_resource, ResourceArn=arn, Tags=tags) == (VALIDATION, text)
    text = f"One or more parameter values were invalid: Invalid resource Arn: {arn}"
    assert refusal(elsewhere.get_resource_policy, ResourceArn=arn) == (VALIDATION, text)


# Streams have names of their own, which begin with those of their tables.
def test_streams_of_others_are_not_found(clients, endpoint):
    streams = of_all(endpoint, "dynamodbstreams")
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    arns = []
    for client in clients:
        client.create_table(**TABLE, StreamSpecification=stream)
        client.put_item(TableName="a-table", Item=ITEM)
        arns.append(client.describe_table(TableName="a-table")["Table"]["LatestStreamArn"])
    for mine, arn in zip(streams, arns, strict=True):
        assert [each["StreamArn"] for each in mine.list_streams()["Streams"]] == [arn]
        (shard,) = mine.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        begin = {"ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = mine.get_shard_iterator(StreamArn=arn, **begin)["ShardIterator"]
        assert len(mine.get_records(ShardIterator=iterator)["Records"]) == 1
        for other in set(arns) - {arn}:
            with pytest.raises(mine.exceptions.ResourceNotFoundException):
                mine.describe_stream(StreamArn=other)
            with pytest.raises(mine.exceptions.ResourceNotFoundException):
                mine.get_shard_iterator(StreamArn=other, **begin)


# Two tests that use one token must both write.
def test_tokens_of_transactions_are_the_callers(clients):
    for client in clients:
        client.create_table(**TABLE)
        put = {"Put": {"TableName": "a-table", "Item": ITEM}}
        client.transact_write_items(TransactItems=[put], ClientRequestToken="token")
        assert client.scan(TableName="a-table")["Count"] == 1


def test_transactions_do_not_reach_other_accounts(clients):
    alice, bob, _ = clients
    arn = alice.create_table(**TABLE)["TableDescription"]["TableArn"]
    bob.create_table(**TABLE)
    with pytest.raises(bob.exceptions.ResourceNotFoundException):
        bob.transact_write_items(TransactItems=[{"Put": {"TableName": arn, "Item": ITEM}}])
    with pytest.raises(bob.exceptions.ResourceNotFoundException):
        bob.transact_get_items(TransactItems=[{"Get": {"TableName": arn, "Key": ITEM}}])


# The deletion of what has expired works in the background, for all namespaces.
def test_items_expire_in_each_namespace(clients):
    for client in clients:
        client.create_table(**TABLE)
        enabled = {"Enabled": True, "AttributeName": "until"}
        client.update_time_to_live(TableName="a-table", TimeToLiveSpecification=enabled)
        past = {"until": {"N": str(int(time.time()) - 60)}}
        client.put_item(TableName="a-table", Item={**ITEM, **past})
    for client in clients:
        while client.scan(TableName="a-table")["Count"]:  # bound: the time of the test
            pass
