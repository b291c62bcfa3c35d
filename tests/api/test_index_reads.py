"""Reads of indexes of every projection: what they give, what they refuse, what they cost."""

import uuid

import pytest

from tests.api.indexes import attributes, index_of, projected, schema
from tests.api.refusals import VALIDATION, refusal
from tests.api.walks import walked

INVALID = "One or more parameter values were invalid: "
KEYS = {"pk": {"S": "p"}, "sk": {"S": "s"}}
INDEX_KEYS = {"g": {"S": "g"}, "n": {"N": "1"}}
REST = {"kept": {"S": "k"}, "left": {"S": "l"}}
ITEM = {**KEYS, **INDEX_KEYS, **REST}
PROJECTIONS = {
    "all": projected("ALL"),
    "keys": projected("KEYS_ONLY"),
    "some": projected("INCLUDE", "kept"),
}
SHOWN = {
    "all": ITEM,
    "keys": {**KEYS, **INDEX_KEYS},
    "some": {**KEYS, **INDEX_KEYS, "kept": {"S": "k"}},
}
"""What the entry of the item has."""
READS = ("query", "scan", "segments")


@pytest.fixture(scope="module")
def table(dynamodb):
    """A table of one item, with a local and a global index of each projection."""
    name = f"index-reads-{uuid.uuid4()}"
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=attributes(pk="S", sk="S", g="S", n="N"),
        KeySchema=schema("pk", sort=("sk",)),
        GlobalSecondaryIndexes=[
            index_of(f"global-{kind}", "g", sort=("n",), **projection)
            for kind, projection in PROJECTIONS.items()
        ],
        LocalSecondaryIndexes=[
            # Their entries have g only if it is projected.
            index_of(f"local-{kind}", "pk", sort=("n",), **projection)
            for kind, projection in PROJECTIONS.items()
        ],
    )
    dynamodb.put_item(TableName=name, Item=ITEM)
    yield name
    dynamodb.delete_table(TableName=name)


def shown(place, kind):
    """What an entry has; that of a local index has the global one's key only if it is included."""
    entry = SHOWN[kind]
    if place == "local" and kind != "all":
        return {name: value for name, value in entry.items() if name != "g"}
    return entry


def read(dynamodb, how, table, index, **more):
    """The items that an index gives in one of three ways."""
    request = {"TableName": table, "IndexName": index, **more}
    if how == "query":
        name, value = ("pk", "p") if index.startswith("local") else ("g", "g")
        values = {**more.get("ExpressionAttributeValues", {}), ":k": {"S": value}}
        request |= {"KeyConditionExpression": f"{name} = :k", "ExpressionAttributeValues": values}
        return walked(dynamodb.query, **request)
    if how == "scan":
        return walked(dynamodb.scan, **request)
    parts = [{"Segment": segment, "TotalSegments": 3} for segment in range(3)]
    return [item for part in parts for item in walked(dynamodb.scan, **request, **part)]


@pytest.mark.parametrize("how", READS)
@pytest.mark.parametrize("kind", PROJECTIONS)
@pytest.mark.parametrize("place", ["global", "local"])
def test_an_index_gives_what_it_projects(dynamodb, table, place, kind, how):
    index = f"{place}-{kind}"
    entry = shown(place, kind)
    assert read(dynamodb, how, table, index) == [entry]
    assert read(dynamodb, how, table, index, Select="ALL_PROJECTED_ATTRIBUTES") == [entry]
    assert read(dynamodb, how, table, index, ProjectionExpression="sk, n") == [
        {"sk": KEYS["sk"], "n": INDEX_KEYS["n"]}
    ]


# Strong reads are for the table and its local indexes. Catalogue 124.
@pytest.mark.parametrize("how", READS)
@pytest.mark.parametrize("kind", PROJECTIONS)
def test_consistent_reads_of_indexes(dynamodb, table, kind, how):
    local, index = f"local-{kind}", f"global-{kind}"
    assert read(dynamodb, how, table, local, ConsistentRead=True) == [shown("local", kind)]
    with pytest.raises(dynamodb.exceptions.ClientError) as error:
        read(dynamodb, how, table, index, ConsistentRead=True)
    text = "Consistent reads are not supported on global secondary indexes"
    assert error.value.response["Error"]["Message"] == text


# What a local index lacks is read from the table. Source: Developer Guide, "Local secondary
# indexes".
@pytest.mark.parametrize("how", READS)
@pytest.mark.parametrize("kind", PROJECTIONS)
def test_a_local_index_fetches_the_rest(dynamodb, table, kind, how):
    index = f"local-{kind}"
    assert read(dynamodb, how, table, index, Select="ALL_ATTRIBUTES") == [ITEM]
    parts = {name: ITEM[name] for name in ("left", "n")}
    assert read(
        dynamodb,
        how,
        table,
        index,
        ProjectionExpression="#l, n",
        ExpressionAttributeNames={"#l": "left"},
    ) == [parts]


# A global one does not have it. Catalogue 128 and 129.
@pytest.mark.parametrize("kind", ["keys", "some"])
def test_a_global_index_refuses_the_rest(dynamodb, table, kind):
    index = f"global-{kind}"
    request = {"TableName": table, "IndexName": index}
    told = refusal(dynamodb.scan, **request, Select="ALL_ATTRIBUTES")
    assert told == (
        VALIDATION,
        (
            f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index "
            f"{index} because its projection type is not ALL"
        ),
    )
    names = {"#l": "left"}
    told = refusal(
        dynamodb.scan, **request, ProjectionExpression="#l, n", ExpressionAttributeNames=names
    )
    text = f"{INVALID}Global secondary index {index} does not project [left]"
    assert told == (VALIDATION, text)
    everything = dynamodb.scan(TableName=table, IndexName="global-all", Select="ALL_ATTRIBUTES")
    assert everything["Items"] == [ITEM]


# A filter of a scan looks at entries alone, of local indexes too, which may lack its attribute. It
# is refused where the attribute would have to be fetched. Catalogue 130.
@pytest.mark.parametrize("place", ["global", "local"])
def test_a_filter_needs_what_is_projected(dynamodb, table, place):
    values = {":v": {"S": "k"}}
    for kind, found in (("all", 1), ("some", 1), ("keys", 0)):
        request = {
            "TableName": table,
            "IndexName": f"{place}-{kind}",
            "FilterExpression": "kept = :v",
            "ExpressionAttributeValues": values,
        }
        assert dynamodb.scan(**request)["Count"] == found
    if place == "local":
        text = (
            f"{INVALID}Secondary index {place}-keys does not project one or more filter "
            "attributes: [kept]"
        )
        told = refusal(dynamodb.scan, **request, Select="ALL_ATTRIBUTES")
        assert told == (VALIDATION, text)


# Of an index its own arm, of what is fetched the table's: each item by itself.
@pytest.mark.parametrize("consistent", [False, True])
def test_what_reads_of_indexes_cost(dynamodb, new_table, consistent):
    name = new_table(
        sk="S",
        AttributeDefinitions=attributes(pk="S", sk="S", n="N"),
        LocalSecondaryIndexes=[index_of("local", "pk", sort=("n",), **projected("KEYS_ONLY"))],
        GlobalSecondaryIndexes=[index_of("global", "n", **projected("KEYS_ONLY"))],
    )
    for number in range(3):
        item = {
            "pk": {"S": "p"},
            "sk": {"S": str(number)},
            "n": {"N": "1"},
            "body": {"S": "x" * 5000 * number},
        }
        dynamodb.put_item(TableName=name, Item=item)
    full = 1.0 if consistent else 0.5
    request = {
        "TableName": name,
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "p"}},
        "IndexName": "local",
        "ConsistentRead": consistent,
        "ReturnConsumedCapacity": "INDEXES",
    }
    entries = dynamodb.query(**request)["ConsumedCapacity"]
    local = {"local": {"CapacityUnits": full}}
    assert entries == {
        "TableName": name,
        "CapacityUnits": full,
        "Table": {"CapacityUnits": 0.0},
        "LocalSecondaryIndexes": local,
    }
    # One unit each for the first two items of up to 4 KB and of 5,000 bytes: 1 + 2, and 3.
    whole = dynamodb.query(**request, Select="ALL_ATTRIBUTES")["ConsumedCapacity"]
    assert whole["Table"] == {"CapacityUnits": 6 * full}
    assert whole["LocalSecondaryIndexes"] == local
    assert whole["CapacityUnits"] == 7 * full
    if not consistent:
        scanned = dynamodb.scan(
            TableName=name, IndexName="global", ReturnConsumedCapacity="INDEXES"
        )["ConsumedCapacity"]
        assert scanned["GlobalSecondaryIndexes"] == {"global": {"CapacityUnits": 0.5}}
        assert scanned["CapacityUnits"] == 0.5


# 1 MB of items, not of entries: three items of 400 KB are two pages.
def test_a_page_ends_with_1_mb_of_what_is_fetched(dynamodb, new_table):
    name = new_table(
        sk="S",
        AttributeDefinitions=attributes(pk="S", sk="S", n="N"),
        LocalSecondaryIndexes=[index_of("local", "pk", sort=("n",), **projected("KEYS_ONLY"))],
    )
    for number in range(4):
        item = {"pk": {"S": "p"}, "sk": {"S": str(number)}, "n": {"N": str(number)}}
        dynamodb.put_item(TableName=name, Item={**item, "body": {"S": "x" * 400_000}})
    request = {"TableName": name, "IndexName": "local"}
    assert dynamodb.scan(**request)["Count"] == 4
    first = dynamodb.scan(**request, Select="ALL_ATTRIBUTES")
    assert (first["Count"], first["ScannedCount"]) == (3, 3)
    assert {name: first["LastEvaluatedKey"][name] for name in ("sk", "n")} == {
        "sk": {"S": "2"},
        "n": {"N": "2"},
    }
    rest = dynamodb.scan(
        **request, Select="ALL_ATTRIBUTES", ExclusiveStartKey=first["LastEvaluatedKey"]
    )
    assert [item["sk"] for item in rest["Items"]] == [{"S": "3"}]
    assert "LastEvaluatedKey" not in rest
