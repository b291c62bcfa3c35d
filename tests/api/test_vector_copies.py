"""Copies of tables have vector indexes of their own: restores, imports and replicas."""

import random
import uuid

import pytest

from tests.api.backups import backed_up, restored
from tests.api.conftest import client_of
from tests.api.imports import begun, creation, ended, lines, put
from tests.api.indexes import attributes
from tests.api.refusals import refusal
from tests.api.replicas import NAME, active, described, in_regions, replicated
from tests.api.vectors import found, listed, made, search_schema, vector, vector_index
from tests.pace import until

INDEX = vector_index(**search_schema("kind"))
KIND = {"SearchConditionExpression": "kind = :k", "ExpressionAttributeValues": {":k": {"S": "a"}}}


def item(key, *numbers, kind="a"):
    return {"pk": {"S": str(key)}, "emb": listed(*numbers), "kind": {"S": kind}}


def test_a_restore_has_the_indexes_that_it_asks_for(dynamodb):
    table = made(dynamodb, INDEX, vector_index("other"), kind="S")
    for number in range(5):
        dynamodb.put_item(TableName=table, Item=item(number, number, 1, 0))
    arn = backed_up(dynamodb, table)
    details = dynamodb.describe_backup(BackupArn=arn)["BackupDescription"]
    indexes = details["SourceTableFeatureDetails"]["VectorIndexes"]
    assert indexes == [INDEX, vector_index("other")]
    for override, names in (
        ({}, ["vix", "other"]),
        ({"VectorIndexOverride": [INDEX]}, ["vix"]),
        ({"VectorIndexOverride": []}, []),
    ):
        target = f"r-{uuid.uuid4()}"
        dynamodb.restore_table_from_backup(TargetTableName=target, BackupArn=arn, **override)
        shown = restored(dynamodb, target).get("VectorIndexes", [])
        assert [(each["IndexName"], each["ItemCount"]) for each in shown] == [
            (name, 5) for name in names
        ]
        if names:
            keys = [key for key, _ in found(dynamodb, target, (4, 1, 0), **KIND, TopK=2)]
            assert keys == ["4", "3"]
        dynamodb.delete_table(TableName=target)
    other = {"VectorIndexOverride": [vector_index(Dimensions=4)]}
    code, text = refusal(
        dynamodb.restore_table_from_backup, TargetTableName="none", BackupArn=arn, **other
    )
    assert (code, "does not match a vector index" in text) == ("ValidationException", True)
    dynamodb.delete_backup(BackupArn=arn)
    dynamodb.delete_table(TableName=table)


@pytest.fixture(scope="module")
def bucket(tmp_path_factory):
    return tmp_path_factory.mktemp("bucket")


# As other imports it fails for an item that is refused, and has all the others.
def test_an_import_makes_the_entries(start_server, bucket):
    client, name = client_of(start_server(s3=f"bucket={bucket}")), f"t-{uuid.uuid4()}"
    items = [item(number, number, 1, 0) for number in range(300)]
    put(bucket, f"{name}/one.json", lines(*items, item("short", 1, 2)))
    parameters = creation(
        name, AttributeDefinitions=attributes(pk="S", kind="S"), VectorIndexes=[INDEX]
    )
    job = ended(client, begun(client, name, name, TableCreationParameters=parameters)["ImportArn"])
    assert (job["ImportStatus"], job["ImportedItemCount"], job["ErrorCount"]) == (
        "FAILED",
        300,
        1,
    )
    shown = client.describe_table(TableName=name)["Table"]
    (index,) = shown["VectorIndexes"]
    assert (index["IndexStatus"], index["ItemCount"]) == ("ACTIVE", 300)
    # The entries have all attributes, and vectors as the table counts them.
    assert shown["TableSizeBytes"] == index["IndexSizeBytes"]
    assert [key for key, _ in found(client, name, (0, 1, 0), **KIND, TopK=1)] == ["0"]


# Each region has an index of its own, of items that were written in any of them.
def test_replicas_have_the_index(start_server):
    endpoint = start_server(namespaces="separate", regions="us-east-1,eu-west-1,ap-south-1")
    clients = in_regions(endpoint, "100000000001")
    replicated(clients)
    first, second, third = clients
    first.update_table(
        TableName=NAME,
        AttributeDefinitions=attributes(kind="S"),
        VectorIndexUpdates=[{"Create": INDEX}],
    )
    until(
        lambda: all(
            active(each)
            and described(each).get("VectorIndexes", [{}])[0].get("IndexStatus") == "ACTIVE"
            for each in clients
        )
    )
    second.put_item(TableName=NAME, Item=item("1", 1, 0, 0))
    until(lambda: found(third, NAME, (1, 0, 0), **KIND) == [("1", 0.0)])


# Whatever is written, a search has the best of what Scan shows, at once.
def test_a_search_has_the_best_of_all_items(dynamodb):
    numbers = random.Random(38)
    table = made(
        dynamodb,
        vector_index(DistanceFunction="EUCLIDEAN", **search_schema(by="kind")),
        kind="S",
    )
    for _ in range(60):
        key = str(numbers.randrange(12))
        match numbers.randrange(4):
            case 0:
                dynamodb.delete_item(TableName=table, Key={"pk": {"S": key}})
            case 1:
                dynamodb.put_item(TableName=table, Item={"pk": {"S": key}})
            case _:
                drawn = [numbers.randrange(-3, 4) for _ in range(3)]
                new = item(key, *drawn, kind=numbers.choice("ab"))
                dynamodb.put_item(TableName=table, Item=new)
        query = [numbers.randrange(-3, 4) for _ in range(3)]
        squares = sorted(
            sum(
                (float(each["N"]) - at) ** 2
                for each, at in zip(one["emb"]["L"], query, strict=True)
            )
            for one in dynamodb.scan(TableName=table)["Items"]
            if one.get("kind") == {"S": "a"}
        )
        answer = dynamodb.search_vectors(
            TableName=table, IndexName="vix", SearchVector=vector(*query), TopK=3, **KIND
        )
        scores = [each["Score"] for each in answer["SearchResults"]]
        assert scores == [square**0.5 for square in squares[:3]]
    dynamodb.delete_table(TableName=table)
