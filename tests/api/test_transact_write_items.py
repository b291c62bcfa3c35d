"""TransactWriteItems. Source of all, where nothing else is said: J.1."""

import pytest

from tests.api.indexes import index_of
from tests.api.items import NO_TABLE, answer, padding, stored, values
from tests.api.refusals import VALIDATION, refusal
from tests.api.transactions import FAILED, NONE, PAYLOAD, TWICE, check, delete, put, reasons, update
from tests.api.walks import within


@pytest.fixture
def keys(pk):
    """Four keys of the table `simple`."""
    return [{"pk": {"S": f"{pk}-{number}"}} for number in range(4)]


@pytest.fixture
def write(dynamodb):
    """Performs a transaction of some actions."""

    def transact(*actions, **request):
        return answer(dynamodb.transact_write_items, TransactItems=list(actions), **request)

    return transact


# All four actions, in one table.
def test_four_actions(dynamodb, simple, keys, write):
    for key in keys[1:]:
        dynamodb.put_item(TableName=simple, Item={**key, "n": {"N": "1"}})
    told = write(
        put(simple, {**keys[0], "a": {"S": "new"}}),
        update(simple, keys[1], "SET n = n + :n", ExpressionAttributeValues=values(n={"N": "2"})),
        delete(simple, keys[2]),
        check(simple, keys[3], "n = :n", ExpressionAttributeValues=values(n={"N": "1"})),
    )
    assert told == {}
    assert [stored(dynamodb, simple, key) for key in keys] == [
        {**keys[0], "a": {"S": "new"}},
        {**keys[1], "n": {"N": "3"}},
        None,
        {**keys[3], "n": {"N": "1"}},
    ]


# Across tables, by name and by ARN.
def test_several_tables(dynamodb, simple, composite, pk, keys, write):
    arn = dynamodb.describe_table(TableName=composite)["Table"]["TableArn"]
    row = {"pk": {"S": pk}, "sk": {"S": "a"}}
    assert write(put(simple, keys[0]), put(arn, row)) == {}
    assert stored(dynamodb, simple, keys[0]) == keys[0]
    assert dynamodb.query(TableName=composite, **within(pk))["Items"] == [row]


# One condition that fails, and nothing is written, wherever it stands.
@pytest.mark.parametrize("failing", [0, 1, 2])
def test_all_or_nothing(dynamodb, simple, keys, write, failing):
    dynamodb.put_item(TableName=simple, Item=keys[1])
    actions = [put(simple, keys[0]), delete(simple, keys[1])]
    actions.insert(failing, check(simple, keys[2], "attribute_exists(pk)"))
    expected = [NONE, NONE]
    expected.insert(failing, FAILED)
    assert reasons(dynamodb.transact_write_items, *actions) == expected
    assert [stored(dynamodb, simple, key) for key in keys] == [None, keys[1], None, None]


# Conditions see what there was before the transaction, not what its other actions make.
def test_conditions_see_the_state_before(dynamodb, simple, keys, write):
    missing = {"ConditionExpression": "attribute_not_exists(pk)"}
    assert write(*[put(simple, key, **missing) for key in keys]) == {}
    told = reasons(dynamodb.transact_write_items, *[put(simple, key, **missing) for key in keys])
    assert told == [FAILED] * 4


# A transaction may only check; it then says whether all is as expected, at one moment.
def test_only_checks(dynamodb, simple, keys, write):
    assert write(*[check(simple, key, "attribute_not_exists(pk)") for key in keys]) == {}
    assert [stored(dynamodb, simple, key) for key in keys] == [None] * 4


# The most that a transaction takes.
def test_hundred_actions(dynamodb, simple, composite, pk, write):
    made = [{"pk": {"S": pk}, "sk": {"S": f"{number:03}"}} for number in range(100)]
    assert write(*[put(composite, item) for item in made]) == {}
    assert dynamodb.query(TableName=composite, **within(pk))["Items"] == made
    rest = [delete(composite, key) for key in made[:99]]
    assert write(*rest, put(simple, {"pk": {"S": pk}})) == {}
    assert dynamodb.query(TableName=composite, **within(pk))["Items"] == made[99:]


# What is stored is canonical, as after a put; what is updated is, too.
def test_items_are_stored_canonical(dynamodb, simple, keys, write):
    number = values(n={"N": "+1.50"})
    write(
        put(simple, {**keys[0], "n": {"N": "01.50"}, "s": {"SS": ["b", "a"]}}),
        update(simple, keys[1], "SET n = :n", ExpressionAttributeValues=number),
    )
    told = stored(dynamodb, simple, keys[0])
    assert (told["n"], sorted(told["s"]["SS"])) == ({"N": "1.5"}, ["a", "b"])
    assert stored(dynamodb, simple, keys[1]) == {**keys[1], "n": {"N": "1.5"}}


# An update of no item makes it; one that only removes does not.
def test_updates_of_no_item(dynamodb, simple, keys, write):
    write(update(simple, keys[0], "SET a = pk"), update(simple, keys[1], "REMOVE a"))
    assert stored(dynamodb, simple, keys[0]) == {**keys[0], "a": keys[0]["pk"]}
    assert stored(dynamodb, simple, keys[1]) is None


# The counters of a table move with its items.
def test_table_counts_its_items(dynamodb, new_table, write):
    table = new_table()
    made = [{"pk": {"S": letter}} for letter in "abc"]
    write(*[put(table, key) for key in made])
    write(
        delete(table, made[0]),
        put(table, {**made[1], "n": {"N": "1"}}),
        check(table, made[2], "attribute_exists(pk)"),
    )
    told = dynamodb.describe_table(TableName=table)["Table"]
    assert (told["ItemCount"], told["TableSizeBytes"]) == (2, 3 + 3 + 3)


# Catalogue 201: one item, once, whatever is done with it, and however its key is written.
@pytest.mark.parametrize(
    "actions",
    [
        lambda table, key: [put(table, key), put(table, key)],
        lambda table, key: [put(table, key), delete(table, key)],
        lambda table, key: [
            check(table, key, "attribute_exists(pk)"),
            update(table, key, "SET a = pk"),
        ],
    ],
)
def test_one_item_twice(dynamodb, simple, keys, actions):
    told = refusal(dynamodb.transact_write_items, TransactItems=actions(simple, keys[0]))
    assert told == (VALIDATION, TWICE)


# Catalogue 201: numbers are compared by value, and a table has a name and an ARN.
def test_one_item_written_in_two_ways(dynamodb, new_table):
    table = new_table(pk="N")
    arn = dynamodb.describe_table(TableName=table)["Table"]["TableArn"]
    actions = [put(table, {"pk": {"N": "1"}}), put(arn, {"pk": {"N": "1.0"}})]
    told = refusal(dynamodb.transact_write_items, TransactItems=actions)
    assert told == (VALIDATION, TWICE)


# Each table must be there.
def test_no_table(dynamodb, simple, keys):
    actions = [put(simple, keys[0]), put("never-made", keys[1])]
    assert refusal(dynamodb.transact_write_items, TransactItems=actions) == NO_TABLE
    assert stored(dynamodb, simple, keys[0]) is None


# L, catalogue 202: 4 MB of what is sent, whatever is stored.
def test_four_megabytes(dynamodb, composite, pk, write):
    def item(number, size):
        key = {"pk": {"S": pk}, "sk": {"S": f"{number:02}"}}
        used = len(f"pk{pk}sk00a")
        return {**key, "a": padding(size - used)}

    def refused(*actions):
        return refusal(dynamodb.transact_write_items, TransactItems=list(actions))

    most = 4 * 1024 * 1024
    large = [put(composite, item(number, 400 * 1024)) for number in range(10)]
    rest = most - 10 * 400 * 1024
    assert write(*large, put(composite, item(10, rest))) == {}
    over = (VALIDATION, f"{PAYLOAD}: {PAYLOAD}{most + 1}")
    assert refused(*large, put(composite, item(10, rest + 1))) == over
    # The table is not asked for before.
    assert refused(*large, put("never-made", item(10, rest + 1))) == over
    keys = [{"pk": {"S": pk}, "sk": {"S": f"{number:02}"}} for number in range(12)]
    assert (
        write(
            *(check(composite, key, "attribute_exists(pk)") for key in keys[:10]),
            update(composite, keys[10], "SET b = pk"),
            put(composite, item(11, 400 * 1024)),
        )
        == {}
    )
    assert write(*(delete(composite, key) for key in keys)) == {}


# Keys and values of expressions are sent too; each value counts its placeholder, as an attribute
# its name.
@pytest.mark.parametrize("extra", [{"S": "é"}, {"N": "1"}, {"L": [{"S": "é"}]}])
def test_four_megabytes_of_values(dynamodb, composite, pk, write, extra):
    most = 4 * 1024 * 1024
    extra_bytes = {"S": 2, "N": 2, "L": 6}[next(iter(extra))]

    def actions(size):
        for number in range(11):
            key = {"pk": {"S": pk}, "sk": {"S": f"{number:02}"}}
            used = len(f"pk{pk}sk00:v:w") + extra_bytes
            length = (size - used) if number == 10 else 400 * 1000 - used
            values = {":v": padding(length), ":w": extra}
            condition = "attribute_not_exists(pk) OR NOT (a = :v AND b = :w)"
            yield check(composite, key, condition, ExpressionAttributeValues=values)

    rest = most - 10 * 400 * 1000
    assert write(*actions(rest)) == {}
    told = refusal(dynamodb.transact_write_items, TransactItems=list(actions(rest + 1)))
    assert told == (VALIDATION, f"{PAYLOAD}: {PAYLOAD}{most + 1}")


# Index entries go with their items.
def test_indexes_follow(dynamodb, new_table, write):
    table = new_table(
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")
        ],
        GlobalSecondaryIndexes=[index_of("by-g", "g")],
    )
    group = {"g": {"S": "x"}}
    made = [{"pk": {"S": letter}, **group} for letter in "abc"]

    def entries():
        told = dynamodb.query(
            TableName=table,
            IndexName="by-g",
            KeyConditionExpression="g = :g",
            ExpressionAttributeValues=values(g={"S": "x"}),
        )
        return sorted(item["pk"]["S"] for item in told["Items"])

    write(*[put(table, item) for item in made])
    assert entries() == ["a", "b", "c"]
    write(delete(table, {"pk": {"S": "a"}}), update(table, {"pk": {"S": "b"}}, "REMOVE g"))
    assert entries() == ["c"]
