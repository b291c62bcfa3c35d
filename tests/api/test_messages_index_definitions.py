"""Texts about the definitions of secondary indexes, by their numbers in the catalogue."""

import pytest

from tests.api.indexes import attributes, index_of, schema, units
from tests.api.items import INVALID
from tests.api.refusals import VALIDATION, breaks, brief, refusal, table_request, violated

GLOBAL, LOCAL = "GlobalSecondaryIndexes", "LocalSecondaryIndexes"
G = {"AttributeDefinitions": attributes(pk="S", g="S")}
KEYED = {
    "KeySchema": schema("pk", sort=("sk",)),
    "AttributeDefinitions": attributes(pk="S", sk="S", s="S"),
}
PROVISIONED = {"BillingMode": None, **units(1, 1)}
BY_G = index_of("by-g", "g")
TOO_MANY = 1_000_000_000_001


def projected(kind=None, *names):
    sent = {"ProjectionType": kind, "NonKeyAttributes": list(names) or None}
    return {"Projection": {name: value for name, value in sent.items() if value is not None}}


# With the table. Measured by users, 2026, where the catalogue is older.
@pytest.mark.parametrize(
    ("number", "changes", "text"),
    [
        (
            138,
            {GLOBAL: [BY_G]},
            (
                "Some index key attributes are not defined in AttributeDefinitions. "
                "Keys: [g], AttributeDefinitions: [pk]"
            ),
        ),
        (
            142,
            {
                LOCAL: [index_of("by-s", "pk", sort=("s",))],
                "AttributeDefinitions": attributes(pk="S", s="S"),
            },
            (
                "Table KeySchema does not have a range key, which is required when specifying a "
                "LocalSecondaryIndex"
            ),
        ),
        (
            143,
            {**KEYED, LOCAL: [index_of("by-s", "pk"), index_of("by-t", "pk", sort=("s",))]},
            "Index KeySchema does not have a range key for index: by-s",
        ),
        (
            143,
            {**KEYED, LOCAL: [index_of("by-s", "s", sort=("pk",))]},
            (
                "Index KeySchema does not have the same leading hash key as table KeySchema for "
                "index: by-s. index hash key: s, table hash key: pk"
            ),
        ),
        (144, {**G, GLOBAL: [BY_G, BY_G]}, "Duplicate index name: by-g"),
        (
            144,
            {
                **KEYED,
                GLOBAL: [index_of("by-s", "s")],
                LOCAL: [index_of("by-s", "pk", sort=("s",))],
            },
            "Duplicate index name: by-s",
        ),
        (144, {GLOBAL: []}, f"List of {GLOBAL} is empty"),
        (144, {LOCAL: []}, f"List of {LOCAL} is empty"),
        (
            145,
            {**KEYED, LOCAL: [index_of(f"by-{number}", "pk", sort=("s",)) for number in range(6)]},
            "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
        ),
        (
            145,
            {**G, GLOBAL: [index_of(f"by-{number}", "g") for number in range(21)]},
            "GlobalSecondaryIndex count exceeds the per-table limit of 20",
        ),
        (146, {**G, GLOBAL: [{**BY_G, **projected()}]}, "Unknown ProjectionType: null"),
        *(
            (
                146,
                {**G, GLOBAL: [{**BY_G, **projected(kind, "x")}]},
                f"ProjectionType is {kind}, but NonKeyAttributes is specified",
            )
            for kind in ("ALL", "KEYS_ONLY")
        ),
        (
            146,
            {**G, GLOBAL: [{**BY_G, **projected("INCLUDE")}]},
            "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
        ),
        (
            147,
            {**G, GLOBAL: [{**BY_G, **units(1, 1)}]},
            (
                "ProvisionedThroughput should not be specified for index: by-g when BillingMode "
                "is PAY_PER_REQUEST"
            ),
        ),
    ],
    ids=brief,
)
def test_create_table(dynamodb, number, changes, text):
    told = refusal(dynamodb.create_table, **table_request(**changes))
    assert told == (VALIDATION, INVALID + text)


# The same with texts that do not begin like the others.
@pytest.mark.parametrize(
    ("number", "changes", "told"),
    [
        (
            140,
            {**KEYED, LOCAL: [index_of("by-s", "pk", sort=("sk", "s"))]},
            violated(
                breaks(
                    "[KeySchemaElement(attributeName=pk, keyType=HASH), "
                    "KeySchemaElement(attributeName=sk, keyType=RANGE), "
                    "KeySchemaElement(attributeName=s, keyType=RANGE)]",
                    "localSecondaryIndexes.1.member.keySchema",
                    "have length less than or equal to 2",
                )
            ),
        ),
        (
            148,
            {**G, **PROVISIONED, GLOBAL: [{**BY_G, **units(TOO_MANY, 1)}]},
            (
                VALIDATION,
                f"Given value {TOO_MANY} for ReadCapacityUnits is out of bounds for index by-g",
            ),
        ),
    ],
    ids=brief,
)
def test_create_table_in_other_words(dynamodb, number, changes, told):
    assert refusal(dynamodb.create_table, **table_request(**changes)) == told
