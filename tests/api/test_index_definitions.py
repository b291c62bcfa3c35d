"""CreateTable with secondary indexes: what they may be, and how they are described."""

import uuid

import pytest

from tests.api.indexes import attributes, index_of, projected, schema, units
from tests.api.refusals import table_request

KINDS = {"pk": "S", "sk": "S", "a": "S", "b": "N"}
BOTH = {"AttributeDefinitions": attributes(**KINDS), "KeySchema": schema("pk", sort=("sk",))}
PROVISIONED = {"BillingMode": "PROVISIONED", **units(1, 1)}


@pytest.fixture
def created(dynamodb):
    """Creates a table, which goes at the end of the test; gives its name and the answer."""
    names = []

    def create(**changes):
        name = f"t-{uuid.uuid4()}"
        answer = dynamodb.create_table(**table_request(TableName=name, **changes))
        names.append(name)
        return name, answer["TableDescription"]

    yield create
    for name in names:
        dynamodb.delete_table(TableName=name)


def test_indexes_are_described(dynamodb, created):
    first = index_of("g-z", "a", sort=("b",), **projected("INCLUDE", "zz", "aa", "mm", "sk"))
    second = index_of("g-a", "b", "pk", **projected("KEYS_ONLY"))
    local = index_of("l-a", "pk", sort=("a",))
    name, answer = created(
        **BOTH, GlobalSecondaryIndexes=[first, second], LocalSecondaryIndexes=[local]
    )
    table = dynamodb.describe_table(TableName=name)["Table"]
    # Indexes stand as they were given, what they include is sorted. Measured by users, 2026.
    sorted_first = {**first, **projected("INCLUDE", "aa", "mm", "sk", "zz")}
    counts = {"IndexSizeBytes": 0, "ItemCount": 0}
    assert table["GlobalSecondaryIndexes"] == [
        {
            **index,
            **counts,
            "IndexStatus": "ACTIVE",
            "IndexArn": f"{table['TableArn']}/index/{index['IndexName']}",
            "ProvisionedThroughput": {
                "NumberOfDecreasesToday": 0,
                "ReadCapacityUnits": 0,
                "WriteCapacityUnits": 0,
            },
            "WarmThroughput": {
                "ReadUnitsPerSecond": 12_000,
                "WriteUnitsPerSecond": 4_000,
                "Status": "ACTIVE",
            },
        }
        for index in (sorted_first, second)
    ]
    arn = f"{table['TableArn']}/index/l-a"
    assert table["LocalSecondaryIndexes"] == [{**local, **counts, "IndexArn": arn}]
    # The answer has no warm throughput, and no index says that it is being filled.
    for index in answer["GlobalSecondaryIndexes"]:
        assert index["IndexStatus"] == "CREATING"
        assert not {"WarmThroughput", "Backfilling"} & set(index)


# Provisioned values are what an index is prepared for; they are its own. Measured by users, 2026.
def test_throughput_of_an_index_is_its_own(dynamodb, created):
    name, _ = created(
        **BOTH | {"AttributeDefinitions": attributes(pk="S", sk="S", a="S")},
        **PROVISIONED,
        GlobalSecondaryIndexes=[index_of("by-a", "a", **units(7, 3))],
    )
    (index,) = dynamodb.describe_table(TableName=name)["Table"]["GlobalSecondaryIndexes"]
    assert index["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": 7,
        "WriteCapacityUnits": 3,
    }
    warm = {"ReadUnitsPerSecond": 7, "WriteUnitsPerSecond": 3, "Status": "ACTIVE"}
    assert index["WarmThroughput"] == warm


# One member is enough, and none is as good as no structure. Measured by users, 2026.
@pytest.mark.parametrize(
    ("asked", "limits", "warm"),
    [
        ({"OnDemandThroughput": {"MaxReadRequestUnits": 50}}, {"MaxReadRequestUnits": 50}, 12_000),
        ({"WarmThroughput": {"ReadUnitsPerSecond": 13_000}}, None, 13_000),
        ({"WarmThroughput": {}, "OnDemandThroughput": {}}, None, 12_000),
    ],
    ids=str,
)
def test_maxima_and_warm_throughput_of_an_index(dynamodb, created, asked, limits, warm):
    index = index_of("by-a", "a", **asked)
    definitions = attributes(pk="S", a="S")
    name, _ = created(AttributeDefinitions=definitions, GlobalSecondaryIndexes=[index])
    table = dynamodb.describe_table(TableName=name)["Table"]
    (index,) = table["GlobalSecondaryIndexes"]
    assert index.get("OnDemandThroughput") == limits
    assert index["WarmThroughput"]["ReadUnitsPerSecond"] == warm
    assert index["WarmThroughput"]["WriteUnitsPerSecond"] == 4_000
    assert "OnDemandThroughput" not in table


# Up to four of each. Measured by users, 2026.
def test_keys_of_eight_attributes(dynamodb, created):
    names = [f"{role}{number}" for role in "hr" for number in range(4)]
    index = index_of("wide", *names[:4], sort=tuple(names[4:]))
    definitions = attributes(pk="S", **dict.fromkeys(names, "N"))
    name, _ = created(AttributeDefinitions=definitions, GlobalSecondaryIndexes=[index])
    (shown,) = dynamodb.describe_table(TableName=name)["Table"]["GlobalSecondaryIndexes"]
    assert shown["KeySchema"] == index["KeySchema"]


# An index like the table, of the name of the table, and a local one with the table's sort key:
# all of that is allowed. Measured by users, 2026.
def test_indexes_that_look_like_the_table(dynamodb):
    name = f"t-{uuid.uuid4()}"
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        **BOTH | {"AttributeDefinitions": attributes(pk="S", sk="S")},
        GlobalSecondaryIndexes=[index_of(name, "pk", sort=("sk",))],
        LocalSecondaryIndexes=[index_of("local", "pk", sort=("sk",))],
    )
    item = {"pk": {"S": "p"}, "sk": {"S": "s"}}
    dynamodb.put_item(TableName=name, Item=item)
    for index in (name, "local"):
        assert dynamodb.scan(TableName=name, IndexName=index)["Items"] == [item]
    dynamodb.delete_table(TableName=name)
