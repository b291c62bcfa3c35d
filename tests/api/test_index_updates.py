"""UpdateTable of secondary indexes: what can be changed, and what not, of a table in use."""

import pytest

from tests.api.indexes import (
    attributes,
    create,
    delete,
    index_of,
    made,
    projected,
    sent,
    units,
    update,
)
from tests.api.refusals import NOT_FOUND, VALIDATION, absent, breaks, refusal, violated

INVALID = "One or more parameter values were invalid: "
LIMIT = "LimitExceededException"
ONE_ONLINE = (
    LIMIT,
    (
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously "
        "per table"
    ),
)
ONLY_MAXIMA = (
    "The only Updates for index: one when TableThroughputMode is PAY_PER_REQUEST can be to "
    "OnDemandThroughput, WarmThroughput"
)
ONE_UPDATE = (
    "Only one global secondary index update per index is allowed simultaneously. Index: one"
)
NO_UNITS = "You cannot create or delete index while updating table IOPS"
NO_UPDATES = "List of GlobalSecondaryIndexUpdates is empty"
NO_GHOST = (NOT_FOUND, "Requested resource not found: Index ghost for table {}")
EXISTS = (VALIDATION, "Attempting to create an index which already exists")
WORDS = (
    "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher "
    "limits."
)


@pytest.fixture(scope="module")
def on_demand(dynamodb):
    """A table on demand with a global index `one` and a local one; nobody changes it."""
    name = made(dynamodb, index_of("one", "a"))
    yield name
    dynamodb.delete_table(TableName=name)


@pytest.fixture(scope="module")
def provisioned(dynamodb):
    """The same with units: 5 and 5 of the table, 2 and 2 of its index."""
    name = made(
        dynamodb, index_of("one", "a", **units(2, 2)), BillingMode="PROVISIONED", **units(5, 5)
    )
    yield name
    dynamodb.delete_table(TableName=name)


def refused(dynamodb, name, *updates, **changes):
    return refusal(dynamodb.update_table, **sent(name, *updates, **changes))


# Before it is known whether the table exists. Measured by users, 2026.
@pytest.mark.parametrize(
    ("number", "updates", "changes", "text"),
    [
        (
            155,
            [{}],
            {},
            (
                "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                "GlobalSecondaryIndexUpdate.Delete must not be null"
            ),
        ),
        (
            None,
            [{**update(), **delete()}],
            {},
            (
                "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate "
                "object"
            ),
        ),
        (155, [delete(), create("one", "a")], {}, ONE_UPDATE),
        (155, [update(), update()], {}, ONE_UPDATE),
        (
            None,
            [create("new", "a")],
            {"definitions": None},
            "AttributeDefinitions is not specified for index: new",
        ),
        (
            None,
            [create("new", "a", **projected("INCLUDE"))],
            {},
            "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
        ),
        (
            None,
            [create("new", "a", **projected("ALL", "b"))],
            {},
            "ProjectionType is ALL, but NonKeyAttributes is specified",
        ),
        (
            None,
            [update(WarmThroughput={})],
            {},
            (
                "WarmThroughput must have at least one of ReadUnitsPerSecond or "
                "WriteUnitsPerSecond specified for index: one"
            ),
        ),
        (
            None,
            [update(OnDemandThroughput={"MaxReadRequestUnits": -2})],
            {},
            (
                "Requested MaxReadRequestUnits for OnDemandThroughput for index : one is outside "
                "of valid range"
            ),
        ),
        (None, [create("new", "a")], units(1, 1), NO_UNITS),
        (None, [delete()], {"BillingMode": "PROVISIONED", **units(1, 1)}, NO_UNITS),
        (
            None,
            [create("new", "a")],
            {"StreamSpecification": {"StreamEnabled": False}},
            "You cannot create or delete index while changing stream status",
        ),
        (
            None,
            [create("new", "a")],
            {"WarmThroughput": {"ReadUnitsPerSecond": 13_000}},
            "Create global secondary index cannot be specified when updating WarmThroughput",
        ),
        (
            None,
            [delete()],
            {"WarmThroughput": {"ReadUnitsPerSecond": 13_000}},
            "WarmThroughput must be the only operation in the request",
        ),
        (
            None,
            [create("new", "a")],
            {"DeletionProtectionEnabled": True},
            "DeletionProtection modification must be the only operation in the request",
        ),
        (
            None,
            [create("new", "a")],
            {"TableClass": "STANDARD"},
            "TableClass modification must be the only operation in the request",
        ),
        (
            None,
            [create("new", "a")],
            {"OnDemandThroughput": {"MaxReadRequestUnits": 9}},
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ),
        (None, [], {"DeletionProtectionEnabled": True}, NO_UPDATES),
        (None, [], {"BillingMode": "PAY_PER_REQUEST"}, NO_UPDATES),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_refused_before_the_table_is_looked_up(dynamodb, number, updates, changes, text):
    assert refused(dynamodb, "no-such-table", *updates, **changes) == (VALIDATION, INVALID + text)


# An empty list by itself is as good as none. Measured by users, 2026.
def test_empty_list_alone_is_no_change(dynamodb):
    code, text = refused(dynamodb, "no-such-table")
    assert code == VALIDATION
    assert text.startswith("At least one of ProvisionedThroughput, BillingMode, ")


# The model's constraints; write units before read units. Measured by users, 2026.
def test_constraints(dynamodb):
    path = "globalSecondaryIndexUpdates"
    told = refused(
        dynamodb,
        "no-such-table",
        update(ProvisionedThroughput={}),
        {"Update": {}},
        {"Delete": {"IndexName": "a?"}},
    )
    pattern = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    assert told == violated(
        absent(f"{path}.1.member.update.provisionedThroughput.writeCapacityUnits"),
        absent(f"{path}.1.member.update.provisionedThroughput.readCapacityUnits"),
        absent(f"{path}.2.member.update.indexName"),
        breaks("a?", f"{path}.3.member.delete.indexName", "have length greater than or equal to 3"),
        breaks("a?", f"{path}.3.member.delete.indexName", pattern),
    )


# Measured by users, 2026; the two of local indexes, and that of an index that exists, without the
# words before the others.
@pytest.mark.parametrize(
    ("number", "updates", "told"),
    [
        (157, [update("ghost")], NO_GHOST),
        (157, [delete("ghost")], NO_GHOST),
        (
            None,
            [update("local")],
            (VALIDATION, "Cannot update an index that is not a GlobalSecondaryIndex: local"),
        ),
        (
            None,
            [delete("local")],
            (VALIDATION, "Cannot delete an index that is not a GlobalSecondaryIndex: local"),
        ),
        (157, [create("local", "a")], EXISTS),
        (157, [create("one", "a")], EXISTS),
        (141, [create("two", "a"), create("six", "b")], ONE_ONLINE),
        (141, [create("two", "a"), delete()], ONE_ONLINE),
    ],
    ids=str,
)
def test_refused_with_the_table(dynamodb, on_demand, number, updates, told):
    code, text = told
    assert refused(dynamodb, on_demand, *updates) == (code, text.format(on_demand))


# Of an index on demand nothing can be changed but its maxima and its warm throughput. Measured by
# users, 2026.
@pytest.mark.parametrize(
    ("number", "action", "text"),
    [
        (156, update(**units(1, 1)), ONLY_MAXIMA),
        (156, update(), ONLY_MAXIMA),
        (156, update(OnDemandThroughput={}), ONLY_MAXIMA),
        (
            159,
            update(WarmThroughput={"ReadUnitsPerSecond": 100}),
            (
                "Requested ReadUnitsPerSecond for WarmThroughput for index one is lower than "
                "current WarmThroughput, decreasing WarmThroughput is not supported"
            ),
        ),
        (
            147,
            create("new", "a", **units(1, 1)),
            (
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: "
                "new when BillingMode is PAY_PER_REQUEST"
            ),
        ),
        # The end of this one is our choice.
        (
            160,
            create("new", "b", sort=("a",)),
            (
                "Attributes cannot be redefined. Please check that your attribute has the same "
                "type as previously defined. Existing schema: Schema:[SchemaElement: "
                "key{pk:S:HASH, b:N:RANGE}] New schema: Schema:[SchemaElement: key{b:S:HASH, "
                "a:S:RANGE}]"
            ),
        ),
        (
            138,
            create("new", "q"),
            (
                "Some index key attributes are not defined in AttributeDefinitions. Keys: [q], "
                "AttributeDefinitions: [a, b]"
            ),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_refused_of_a_table_on_demand(dynamodb, on_demand, number, action, text):
    told = refused(dynamodb, on_demand, action, definitions=attributes(a="S", b="S"))
    assert told == (VALIDATION, INVALID + text)


# Measured by users, 2026.
@pytest.mark.parametrize(
    ("action", "text"),
    [
        (
            update(OnDemandThroughput={"MaxReadRequestUnits": 9}),
            (
                "MaxReadRequestUnits for OnDemandThroughput for index : one cannot be specified "
                "when the table BillingMode is PROVISIONED"
            ),
        ),
        (
            create("new", "a"),
            "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: new",
        ),
        (
            update(),
            "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: one",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_refused_of_a_provisioned_table(dynamodb, provisioned, action, text):
    assert refused(dynamodb, provisioned, action) == (VALIDATION, INVALID + text)


# Measured by users, 2026.
def test_units_that_an_index_has(dynamodb, provisioned):
    text = (
        "The provisioned throughput for the index one will not change. The requested value equals "
        "the current value. Current ReadCapacityUnits provisioned for index one: 2. Requested "
        "ReadCapacityUnits: 2. Current WriteCapacityUnits provisioned for index one: 2. Requested "
        f"WriteCapacityUnits: 2. {WORDS}"
    )
    assert refused(dynamodb, provisioned, update(**units(2, 2))) == (VALIDATION, text)


# Measured by users, 2026.
@pytest.mark.parametrize(
    ("action", "text"),
    [
        (
            update(**units(1, 40_001)),
            (
                "The requested WriteCapacityUnits for index one, 40001, is above the per index "
                f"maximum for the account in us-east-1. Per table maximum: 40000. {WORDS}"
            ),
        ),
        (
            update(WarmThroughput={"ReadUnitsPerSecond": 40_001}),
            (
                "Subscriber limit exceeded: Requested ReadUnitsPerSecond for WarmThroughput for "
                "index one exceeds TableMaxReadCapacityUnits of the account in region us-east-1"
            ),
        ),
    ],
    ids=["units", "warm"],
)
def test_more_than_an_index_may_have(dynamodb, provisioned, action, text):
    assert refused(dynamodb, provisioned, action) == (LIMIT, text)


# CreateTable says ValidationException, in words of its own. Measured by users, 2026.
def test_the_21st_index(dynamodb):
    indexes = [index_of(f"g{number:02}", "a") for number in range(20)]
    name = made(dynamodb, *indexes)
    text = (
        "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of "
        "20"
    )
    assert refused(dynamodb, name, create("g20", "a")) == (LIMIT, text)
    dynamodb.delete_table(TableName=name)


# The limit counts what all indexes of the table include.
def test_the_101st_attribute(dynamodb):
    names = [f"n{number}" for number in range(101)]
    indexes = [
        index_of(f"g{start}0", "a", **projected("INCLUDE", *names[start : start + 20]))
        for start in range(0, 100, 20)
    ]
    name = made(dynamodb, *indexes)
    action = create("more", "a", **projected("INCLUDE", names[100]))
    text = "Number of projected non-key attributes exceeds the limit of 100 per table"
    assert refused(dynamodb, name, action) == (VALIDATION, INVALID + text)
    dynamodb.delete_table(TableName=name)
