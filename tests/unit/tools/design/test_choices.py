import pytest

from hashrange.tools.definition import AutoScaling
from hashrange.tools.design.choices import Choices, DesignError, definition_of
from tests.rows import rows

KEYED = {"table_name": "shop", "partition_key": "pk:S"}
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 7}


def request_of(**chosen):
    return definition_of(Choices(**KEYED, **chosen)).request


def schema(*names):
    kinds = ("HASH", "RANGE")
    return [{"AttributeName": name, "KeyType": kinds[place]} for place, name in enumerate(names)]


def test_least_is_a_name_and_a_key():
    assert request_of() == {
        "TableName": "shop",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": schema("pk"),
        "BillingMode": "PAY_PER_REQUEST",
    }


INDEXES = [
    ("g:a:S", schema("a"), {"ProjectionType": "ALL"}),
    ("g:a:S:ALL", schema("a"), {"ProjectionType": "ALL"}),
    ("g:a:S:b:N:KEYS_ONLY", schema("a", "b"), {"ProjectionType": "KEYS_ONLY"}),
    (
        "g:a:S:b:N:INCLUDE:c,d",
        schema("a", "b"),
        {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["c", "d"]},
    ),
    ("g:ALL:S", schema("ALL"), {"ProjectionType": "ALL"}),
]


@rows("text, keys, projection", INDEXES)
def test_global_index(text, keys, projection):
    (index,) = request_of(gsi=(text,))["GlobalSecondaryIndexes"]
    assert index == {"IndexName": "g", "KeySchema": keys, "Projection": projection}


# Both are seen in scripts; the partition key can only be that of the table.
@pytest.mark.parametrize("text", ["l:at:N:KEYS_ONLY", "l:pk:S:at:N:KEYS_ONLY"])
def test_local_index(text):
    request = request_of(sort_key="sk:S", lsi=(text,))
    (index,) = request["LocalSecondaryIndexes"]
    assert index["KeySchema"] == schema("pk", "at")
    assert {"AttributeName": "at", "AttributeType": "N"} in request["AttributeDefinitions"]


def test_indexes_have_the_units_of_the_table():
    request = request_of(read_units=5, write_units=7, gsi=("g:a:S",))
    assert request["BillingMode"] == "PROVISIONED"
    assert request["ProvisionedThroughput"] == UNITS
    assert request["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] == UNITS


def test_scaling_begins_with_its_least_units():
    definition = definition_of(Choices(**KEYED, auto_scaling="5:50:80"))
    assert definition.scaling == AutoScaling(units_min=5, units_max=50, target_percent=80)
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    assert definition.request["ProvisionedThroughput"] == units


def test_production_has_everything():
    definition = definition_of(Choices(table_name="shop", production=True))
    assert [index["IndexName"] for index in definition.request["GlobalSecondaryIndexes"]] == [
        "GSI1",
        "GSI2",
    ]
    assert definition.request["StreamSpecification"]["StreamEnabled"]
    assert definition.request["DeletionProtectionEnabled"]
    assert (definition.time_to_live, definition.recovery_days) == ("ttl", 35)
    assert definition.insights
    assert definition.alarms
    assert definition.scaling == AutoScaling(units_min=5, units_max=500)


def test_production_keeps_what_is_chosen():
    chosen = Choices(**KEYED, gsi=("g:a:S",), read_units=20, ttl="at", pitr=3, production=True)
    definition = definition_of(chosen)
    assert definition.request["KeySchema"] == schema("pk")
    assert [each["IndexName"] for each in definition.request["GlobalSecondaryIndexes"]] == ["g"]
    assert (definition.time_to_live, definition.recovery_days) == ("at", 3)
    assert definition.scaling == AutoScaling(units_min=20, units_max=200)


REFUSED = [
    ({"partition_key": "pk"}, "--partition-key: 'pk' is not NAME:TYPE"),
    ({"sort_key": ":S"}, "--sort-key: ':S' is not NAME:TYPE"),
    ({"gsi": ("g",)}, "--gsi: 'g' is not NAME:KEY:TYPE"),
    ({"gsi": ("g:a",)}, "--gsi: 'g:a' is not NAME:KEY:TYPE"),
    ({"gsi": ("g:a:S:b",)}, "--gsi: 'g:a:S:b' is not NAME:KEY:TYPE"),
    ({"gsi": ("g:a::ALL",)}, "--gsi: 'g:a::ALL' is not NAME:KEY:TYPE"),
    ({"gsi": (":a:S",)}, "--gsi: ':a:S' is not NAME:KEY:TYPE"),
    ({"lsi": ("l",)}, "--lsi: 'l' is not NAME:"),
    ({"auto_scaling": "5"}, "--auto-scaling: '5' is not MIN:MAX"),
    ({"auto_scaling": "5:x:70"}, "--auto-scaling: '5:x:70' is not MIN:MAX"),
    ({"auto_scaling": "5:-1:70"}, "--auto-scaling: '5:-1:70' is not MIN:MAX"),
    ({"auto_scaling": f"5:{'9' * 5000}"}, "--auto-scaling"),
    ({"auto_scaling": "1:5", "billing_mode": "PAY_PER_REQUEST"}, "--auto-scaling needs"),
    ({"tags": ("a",)}, "--tags: 'a' is not KEY=VALUE"),
    ({"table_name": None}, "--table-name is missing"),
]


@rows("chosen, text", REFUSED)
def test_form_is_refused(chosen, text):
    with pytest.raises(DesignError) as refused:
        definition_of(Choices(**{**KEYED, **chosen}))
    assert str(refused.value).startswith(text)
