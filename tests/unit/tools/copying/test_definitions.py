import pytest

from hashrange.tools.copying.definitions import (
    creation,
    definition_of,
    differences,
    has_same_keys,
    not_copied,
    steps_left,
)

KEY = [{"AttributeName": "pk", "KeyType": "HASH"}]
OTHER_KEY = [{"AttributeName": "other", "KeyType": "HASH"}]
ALL = {"ProjectionType": "ALL"}
NO_EXPIRY = {"TimeToLiveStatus": "DISABLED"}
UNITS = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}


def attributes(*names):
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def shown(**members):
    """What DescribeTable shows."""
    table = {
        "TableName": "a-table",
        "KeySchema": KEY,
        "AttributeDefinitions": attributes("pk"),
        "TableStatus": "ACTIVE",
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0},
        "WarmThroughput": {"ReadUnitsPerSecond": 12000, "Status": "ACTIVE"},
    }
    return table | members


def index(name="an-index", key=OTHER_KEY, **members):
    return {
        "IndexName": name,
        "KeySchema": key,
        "Projection": ALL,
        "IndexStatus": "ACTIVE",
        "IndexArn": "arn:…",
        "ItemCount": 3,
        "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, **UNITS},
        **members,
    }


def definition(tags=(), expiry=NO_EXPIRY, **members):
    return definition_of(shown(**members), tags, expiry)


def created(**members):
    return creation("a-table", definition(**members))


def test_plain_table_is_made_of_its_keys():
    assert created() == {
        "TableName": "a-table",
        "KeySchema": KEY,
        "AttributeDefinitions": attributes("pk"),
        "BillingMode": "PAY_PER_REQUEST",
    }


# A table that never was on demand has no summary; older servers know none at all.
@pytest.mark.parametrize("summary", [None, {"BillingMode": "PROVISIONED"}])
def test_provisioned_table_keeps_its_units(summary):
    request = created(
        BillingModeSummary=summary,
        ProvisionedThroughput={"NumberOfDecreasesToday": 2, "LastDecreaseDateTime": 1.5, **UNITS},
        GlobalSecondaryIndexes=[index()],
        AttributeDefinitions=attributes("other", "pk"),
    )
    assert request["BillingMode"] == "PROVISIONED"
    assert request["ProvisionedThroughput"] == UNITS
    assert request["GlobalSecondaryIndexes"] == [
        {
            "IndexName": "an-index",
            "KeySchema": OTHER_KEY,
            "Projection": ALL,
            "ProvisionedThroughput": UNITS,
        }
    ]


def test_indexes_of_a_table_on_demand_have_limits_and_no_units():
    limits = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": -1}
    request = created(
        OnDemandThroughput=limits,
        GlobalSecondaryIndexes=[index(OnDemandThroughput=limits)],
        AttributeDefinitions=attributes("other", "pk"),
    )
    (made,) = request["GlobalSecondaryIndexes"]
    assert made["OnDemandThroughput"] == {"MaxReadRequestUnits": 10}
    assert request["OnDemandThroughput"] == {"MaxReadRequestUnits": 10}
    assert "ProvisionedThroughput" not in made
    assert "ProvisionedThroughput" not in request


def test_local_index_keeps_its_projection():
    projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["b", "a"]}
    request = created(
        LocalSecondaryIndexes=[index(Projection=projection)],
        AttributeDefinitions=attributes("other", "pk"),
    )
    (made,) = request["LocalSecondaryIndexes"]
    assert made == {
        "IndexName": "an-index",
        "KeySchema": OTHER_KEY,
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]},
    }


# Its attribute would be one too much: CreateTable refuses definitions that no key uses.
def test_index_that_is_being_deleted_is_left_out():
    request = created(
        GlobalSecondaryIndexes=[index(IndexStatus="DELETING")],
        AttributeDefinitions=attributes("other", "pk"),
    )
    assert "GlobalSecondaryIndexes" not in request
    assert request["AttributeDefinitions"] == attributes("pk")


def test_class_and_tags_come_with_the_table():
    tags = [{"Key": "b", "Value": "2"}, {"Key": "aws:x", "Value": "0"}, {"Key": "a", "Value": ""}]
    request = created(TableClassSummary={"TableClass": "STANDARD_INFREQUENT_ACCESS"}, tags=tags)
    assert request["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    # Only the service itself may set those of `aws:`.
    assert request["Tags"] == [{"Key": "a", "Value": ""}, {"Key": "b", "Value": "2"}]


STREAM = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
WHOLE = {
    "StreamSpecification": STREAM,
    "DeletionProtectionEnabled": True,
    "expiry": {"TimeToLiveStatus": "ENABLING", "AttributeName": "until"},
}


def test_what_comes_after_the_items_is_not_part_of_the_request():
    assert created(**WHOLE) == created()


def test_what_comes_after_the_items_has_its_order():
    expiry = {"Enabled": True, "AttributeName": "until"}
    name = {"TableName": "a-table"}
    assert steps_left("a-table", definition(**WHOLE), definition()) == [
        ("UpdateTable", name | {"StreamSpecification": STREAM}),
        ("UpdateTimeToLive", name | {"TimeToLiveSpecification": expiry}),
        ("UpdateTable", name | {"DeletionProtectionEnabled": True}),
    ]


# A copy that was stopped between two of them goes on with the rest.
def test_what_is_set_already_is_not_set_again():
    found = definition(StreamSpecification=STREAM)
    steps = steps_left("a-table", definition(**WHOLE), found)
    assert [operation for operation, _ in steps] == ["UpdateTimeToLive", "UpdateTable"]
    assert steps_left("a-table", definition(**WHOLE), definition(**WHOLE)) == []
    assert steps_left("a-table", definition(), definition()) == []


@pytest.mark.parametrize(
    "expiry", [NO_EXPIRY, {"TimeToLiveStatus": "DISABLING", "AttributeName": "until"}]
)
def test_expiry_that_ends_is_none(expiry):
    assert definition(expiry=expiry)["TimeToLive"] is None


def test_differences_name_the_members():
    found = definition(tags=[{"Key": "a", "Value": "1"}], DeletionProtectionEnabled=True)
    assert differences(definition(), found) == [
        "DeletionProtectionEnabled is true and not false",
        'Tags is [{"Key": "a", "Value": "1"}] and not []',
    ]
    assert differences(definition(**WHOLE), definition(**WHOLE)) == []


def test_order_in_a_description_is_no_difference():
    names = ["one-index", "two-index"]
    orders = [[index(name) for name in each] for each in (names, names[::-1])]
    found = [
        definition(
            GlobalSecondaryIndexes=indexes, AttributeDefinitions=attributes(*more, "pk", *less)
        )
        for indexes, more, less in zip(orders, (["other"], []), ([], ["other"]), strict=True)
    ]
    assert differences(*found) == []


# As much as must be the same for a table that may be gone on with.
@pytest.mark.parametrize(
    ("members", "same"),
    [
        ({}, True),
        ({"DeletionProtectionEnabled": True}, True),
        ({"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "N"}]}, False),
        ({"LocalSecondaryIndexes": [index(key=KEY)]}, False),
    ],
)
def test_keys_are_compared_alone(members, same):
    assert has_same_keys(definition(), definition(**members)) is same


def test_what_cannot_be_copied_is_told():
    encrypted = shown(SSEDescription={"Status": "ENABLED", "KMSMasterKeyArn": "arn"})
    assert not_copied(encrypted) == ["its encryption"]
    assert not_copied(encrypted, keeps_encryption=True) == []
    assert not_copied(shown(Replicas=[{"RegionName": "eu-west-1"}])) == ["its replicas"]
    assert not_copied(shown(Replicas=[])) == []
