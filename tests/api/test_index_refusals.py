"""CreateTable with secondary indexes that cannot be."""

import pytest

from tests.api.indexes import attributes, index_of, projected, schema, units
from tests.api.refusals import VALIDATION, absent, breaks, refusal, table_request, violated

INVALID = "One or more parameter values were invalid: "
LIMIT = "LimitExceededException"
GUIDE = (
    "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher "
    "limits."
)
KINDS = {"pk": "S", "sk": "S", "a": "S", "b": "N"}
BOTH = {"AttributeDefinitions": attributes(**KINDS), "KeySchema": schema("pk", sort=("sk",))}
PROVISIONED = {"BillingMode": "PROVISIONED", **units(1, 1)}


def refused(dynamodb, *indexes, local=(), **changes):
    """The refusal of a table with pk and sk, whose definitions are those that its keys use."""
    used = {"pk", "sk"} | {
        element["AttributeName"]
        for index in (*indexes, *local)
        for element in index.get("KeySchema", ())
    }
    request = {
        **BOTH,
        "AttributeDefinitions": attributes(**{name: KINDS.get(name, "S") for name in sorted(used)}),
        **({"GlobalSecondaryIndexes": list(indexes)} if indexes else {}),
        **({"LocalSecondaryIndexes": list(local)} if local else {}),
        **changes,
    }
    return refusal(dynamodb.create_table, **table_request(**request))


NAMES = [f"n{number:02}" for number in range(21)]
TOO_MANY_NAMES = [f"n{number}" for number in range(101)]


# Measured by users, 2026; most of them are in the catalogue, 142 to 146, too.
@pytest.mark.parametrize(
    ("indexes", "text"),
    [
        (
            [index_of("idx", "a", **projected("INCLUDE", "y", "x", "y", "x"))],
            "Duplicate element in NonKeyAttributes: y",
        ),
        (
            [index_of("idx", "a", "b", "c", "d", "e")],
            "The KeySchema exceeds the maximum allowed number of HASH key attributes",
        ),
        (
            [index_of("idx", "a", sort=("b", "c", "d", "e", "f"))],
            "The KeySchema exceeds the maximum allowed number of RANGE key attributes",
        ),
        (
            [{**index_of("idx"), "KeySchema": [*schema("a", sort=("b",)), *schema("c")]}],
            "All HASH key attributes must precede RANGE key attributes in the KeySchema",
        ),
        (
            [index_of("idx", "a", OnDemandThroughput={"MaxReadRequestUnits": 0})],
            (
                "Requested MaxReadRequestUnits for OnDemandThroughput for index : idx is outside "
                "of valid range"
            ),
        ),
        (
            [index_of("idx", "a", OnDemandThroughput={"MaxWriteRequestUnits": -1})],
            (
                "Requested MaxWriteRequestUnits for OnDemandThroughput for index: idx is "
                "outside of valid range"
            ),
        ),
        (
            [index_of("idx", "a", WarmThroughput={"WriteUnitsPerSecond": 3_999})],
            (
                "Requested WriteUnitsPerSecond for WarmThroughput for index idx is lower than "
                "initial throughput for OnDemand. See: "
                "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial"
            ),
        ),
        # The text of this one is our choice.
        (
            [
                index_of(name, "a", **projected("INCLUDE", *names))
                for name, names in (
                    (f"i{start:03}", TOO_MANY_NAMES[start : start + 20])
                    for start in range(0, 101, 20)
                )
            ],
            "Number of projected non-key attributes exceeds the limit of 100 per table",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_global_indexes_that_cannot_be(dynamodb, indexes, text):
    assert refused(dynamodb, *indexes) == (VALIDATION, INVALID + text)


# These stand without the words before the others. Measured by users, 2026.
@pytest.mark.parametrize(
    ("index", "text"),
    [
        (
            index_of("idx", "a", "a"),
            "The KeySchema contains multiple key attributes with the same name",
        ),
        (
            index_of("idx", sort=("a",)),
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
        ),
    ],
)
def test_keys_that_cannot_be(dynamodb, index, text):
    assert refused(dynamodb, index) == (VALIDATION, text)


# An attribute twice in a key of a global index is told before a definition that no key uses.
# Source: a public suite that passes on the service.
def test_one_name_twice_beside_unused_definitions(dynamodb):
    definitions = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "a", "b")]
    request = table_request(
        AttributeDefinitions=definitions, GlobalSecondaryIndexes=[index_of("idx", "a", "a")]
    )
    text = "The KeySchema contains multiple key attributes with the same name"
    assert refusal(dynamodb.create_table, **request) == (VALIDATION, text)


# Of the constraints of the model, those on global indexes are told first. Source: as before.
def test_names_of_both_kinds_of_indexes(dynamodb):
    index = index_of("x", "pk")
    request = table_request(GlobalSecondaryIndexes=[index], LocalSecondaryIndexes=[index])
    assert refusal(dynamodb.create_table, **request) == violated(
        *(
            breaks("x", f"{kind}.1.member.indexName", "have length greater than or equal to 3")
            for kind in ("globalSecondaryIndexes", "localSecondaryIndexes")
        )
    )


# Measured by users, 2026.
@pytest.mark.parametrize(
    ("index", "text"),
    [
        (index_of("idx", "a"), "ProvisionedThroughput is not specified for index: idx"),
        (
            index_of("idx", "a", **units(1, 1), OnDemandThroughput={"MaxReadRequestUnits": 5}),
            (
                "MaxReadRequestUnits for OnDemandThroughput for index: idx cannot be specified "
                "when table BillingMode is PROVISIONED."
            ),
        ),
        (
            index_of("idx", "a", **units(9, 1), WarmThroughput={"ReadUnitsPerSecond": 8}),
            (
                "Requested ReadUnitsPerSecond for WarmThroughput for index idx is lower than "
                "ReadCapacityUnits of ProvisionedThroughput"
            ),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_throughput_that_cannot_be(dynamodb, index, text):
    assert refused(dynamodb, index, **PROVISIONED) == (VALIDATION, INVALID + text)


# Catalogue 148.
def test_units_out_of_bounds(dynamodb):
    index = index_of("idx", "a", **units(1, 10**12 + 1))
    text = f"Given value {10**12 + 1} for WriteCapacityUnits is out of bounds for index idx"
    assert refused(dynamodb, index, **PROVISIONED) == (VALIDATION, text)


# Each index may have as much as a table. Measured by users, 2026.
@pytest.mark.parametrize(
    ("index", "changes", "text"),
    [
        (
            index_of("idx", "a", **units(40_001, 1)),
            PROVISIONED,
            (
                "The requested ReadCapacityUnits for index idx, 40001, is above the per index "
                f"maximum for the account in us-east-1. Per table maximum: 40000. {GUIDE}"
            ),
        ),
        (
            index_of("idx", "a", OnDemandThroughput={"MaxReadRequestUnits": 40_001}),
            {},
            (
                "Subscriber limit exceeded: Requested MaxReadRequestUnits for OnDemandThroughput "
                "for index : idx exceeds TableMaxReadCapacityUnits of the account in region "
                "us-east-1"
            ),
        ),
        (
            index_of("idx", "a", WarmThroughput={"WriteUnitsPerSecond": 40_001}),
            {},
            (
                "Subscriber limit exceeded: Requested WriteUnitsPerSecond for WarmThroughput for "
                "index idx exceeds TableMaxWriteCapacityUnits of the account in region us-east-1"
            ),
        ),
    ],
    ids=["units", "maxima", "warm"],
)
def test_more_than_an_index_may_have(dynamodb, index, changes, text):
    assert refused(dynamodb, index, **changes) == (LIMIT, text)


# Told before what else is wrong with an index: its name, its projection, its throughput. Measured
# by users, 2026.
def test_unused_definitions_hide_what_else_is_wrong(dynamodb):
    index = index_of("idx", "a", **projected("KEYS_ONLY", "x"), **units(1, 1))
    definitions = attributes(pk="S", sk="S", a="S", c="S")
    told = refused(dynamodb, index, AttributeDefinitions=definitions)
    text = (
        "Some AttributeDefinitions are not used. AttributeDefinitions: [pk, sk, a, c], "
        "keys used: [pk, sk, a]"
    )
    assert told == (VALIDATION, INVALID + text)


# Catalogue 138.
def test_key_without_definition(dynamodb):
    told = refused(dynamodb, index_of("idx", "q"), AttributeDefinitions=attributes(pk="S", sk="S"))
    text = (
        "Some index key attributes are not defined in AttributeDefinitions. Keys: [q], "
        "AttributeDefinitions: [pk, sk]"
    )
    assert told == (VALIDATION, INVALID + text)


# The model's constraints. Measured by users, 2026, for each of them.
def test_constraints(dynamodb):
    index = {
        "IndexName": "i!",
        "KeySchema": schema("a"),
        "Projection": {"ProjectionType": "all", "NonKeyAttributes": NAMES},
        "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
    }
    path = "globalSecondaryIndexes.1.member"
    pattern = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    assert refused(dynamodb, index) == violated(
        breaks("i!", f"{path}.indexName", "have length greater than or equal to 3"),
        breaks("i!", f"{path}.indexName", pattern),
        breaks(
            "all",
            f"{path}.projection.projectionType",
            "satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]",
        ),
        breaks(
            f"[{', '.join(NAMES)}]",
            f"{path}.projection.nonKeyAttributes",
            "have length less than or equal to 20",
        ),
        breaks(
            0,
            f"{path}.provisionedThroughput.writeCapacityUnits",
            "have value greater than or equal to 1",
        ),
        breaks(
            0,
            f"{path}.provisionedThroughput.readCapacityUnits",
            "have value greater than or equal to 1",
        ),
    )
    assert refused(dynamodb, {}) == violated(
        *(absent(f"{path}.{name}") for name in ("indexName", "keySchema", "projection"))
    )
