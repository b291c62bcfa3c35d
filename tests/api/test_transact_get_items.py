"""TransactGetItems. Source of all, where nothing else is said: J.2."""

import pytest

from tests.api.items import INVALID, NO_TABLE, NOT_VALID, SCHEMA, answer, names, padding
from tests.api.refusals import VALIDATION, absent, breaks, refusal, violated
from tests.api.transactions import NONE, READ_TOO_LARGE, TWICE, get, invalid, put, reasons


@pytest.fixture
def keys(pk):
    """Three keys of the table `simple`."""
    return [{"pk": {"S": f"{pk}-{number}"}} for number in range(3)]


@pytest.fixture
def read(dynamodb):
    """The responses of a transaction."""

    def transact(*gets, **request):
        return answer(dynamodb.transact_get_items, TransactItems=list(gets), **request)

    return transact


@pytest.fixture
def refused(dynamodb):
    def told(*gets, **request):
        return refusal(dynamodb.transact_get_items, TransactItems=list(gets), **request)

    return told


# In the order of the request; what is not there has an empty answer.
def test_items_of_several_tables(dynamodb, simple, composite, pk, keys, read):
    row = {"pk": {"S": pk}, "sk": {"S": "a"}}
    dynamodb.put_item(TableName=simple, Item={**keys[0], "n": {"N": "1"}})
    dynamodb.put_item(TableName=composite, Item=row)
    arn = dynamodb.describe_table(TableName=simple)["Table"]["TableArn"]
    told = read(get(composite, row), get(simple, keys[1]), get(arn, keys[0]))
    assert told == {"Responses": [{"Item": row}, {}, {"Item": {**keys[0], "n": {"N": "1"}}}]}


# A projection that leaves nothing is not the same as no item.
def test_projections(dynamodb, simple, keys, read):
    item = {**keys[0], "m": {"M": {"a": {"N": "1"}, "b": {"N": "2"}}}}
    dynamodb.put_item(TableName=simple, Item=item)
    dynamodb.put_item(TableName=simple, Item=keys[1])
    named = {"ProjectionExpression": "#m.a", "ExpressionAttributeNames": names("m")}
    told = read(*[get(simple, key, **named) for key in keys])
    responses = [{"Item": {"m": {"M": {"a": {"N": "1"}}}}}, {"Item": {}}, {}]
    assert told == {"Responses": responses}


# The most that a transaction reads.
def test_hundred_gets(dynamodb, composite, pk, read):
    made = [{"pk": {"S": pk}, "sk": {"S": f"{number:03}"}} for number in range(100)]
    for start in range(0, 100, 25):
        writes = [{"PutRequest": {"Item": item}} for item in made[start : start + 25]]
        dynamodb.batch_write_item(RequestItems={composite: writes})
    told = read(*[get(composite, key) for key in made])
    assert told == {"Responses": [{"Item": item} for item in made]}


# Catalogue 201. Source: public emulators that were run against the service.
def test_one_item_twice(simple, keys, refused):
    told = refused(get(simple, keys[0]), get(simple, keys[1]), get(simple, keys[0]))
    assert told == (VALIDATION, TWICE)


# 4 MB of items together, projected or not.
def test_four_megabytes(dynamodb, composite, pk, read, refused):
    keys = [{"pk": {"S": pk}, "sk": {"S": f"{number:02}"}} for number in range(11)]
    used = len(f"pk{pk}sk00a")
    sizes = [400 * 1024] * 10 + [4 * 1024 * 1024 - 10 * 400 * 1024]
    for key, size in zip(keys, sizes, strict=True):
        dynamodb.put_item(TableName=composite, Item={**key, "a": padding(size - used)})
    gets = [get(composite, key, ProjectionExpression="pk") for key in keys]
    assert len(read(*gets)["Responses"]) == 11
    one_more = {"pk": {"S": pk}, "sk": {"S": "11"}}
    dynamodb.put_item(TableName=composite, Item=one_more)
    told = refused(*gets, get(composite, one_more))
    assert told == (VALIDATION, READ_TOO_LARGE)


def test_no_table(simple, keys, refused):
    assert refused(get(simple, keys[0]), get("never-made", keys[1])) == NO_TABLE


# Captures of the service, October 2026: a key that does not fit cancels, and names its get.
@pytest.mark.parametrize("key", [{}, {"pk": {"N": "1"}}, {"pk": {"S": "a"}, "b": {"S": "c"}}])
def test_keys_that_do_not_fit(dynamodb, simple, keys, key):
    told = reasons(dynamodb.transact_get_items, get(simple, keys[0]), get(simple, key))
    assert told == [NONE, invalid(SCHEMA)]


# Captures of the service, June 2026, of writes: an empty key refuses the request.
def test_empty_key(simple, keys, refused):
    told = refused(get(simple, keys[0]), get(simple, {"pk": {"S": ""}}))
    text = "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"
    assert told == (VALIDATION, NOT_VALID + text)


# Members: all that are broken, before anything else is looked at.
def test_members(simple, keys, refused, dynamodb):
    capacity = breaks(
        "ALL", "returnConsumedCapacity", "satisfy enum value set: [INDEXES, TOTAL, NONE]"
    )
    few = breaks("[]", "transactItems", "have length greater than or equal to 1")
    assert refused() == violated(few)
    assert refused(ReturnConsumedCapacity="ALL") == violated(capacity, few)
    assert refusal(dynamodb.transact_get_items) == violated(absent("transactItems"))
    assert refused({}) == violated(absent("transactItems.1.member.get"))
    assert refused(get(simple, keys[0]), {"Get": {}}) == violated(
        absent("transactItems.2.member.get.tableName"), absent("transactItems.2.member.get.key")
    )
    assert refused(get(simple, keys[0]), get("bad!name", keys[0])) == violated(
        breaks(
            "bad!name",
            "transactItems.2.member.get.tableName",
            "satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        )
    )


# The list is shown as Java prints it.
def test_more_than_a_hundred(simple, pk, refused):
    code, text = refused(*[get(simple, {"pk": {"S": f"{pk}{number}"}}) for number in range(101)])
    shown = "1 validation error detected: Value '[TransactGetItem(get=Get(key={pk="
    end = "' at 'transactItems' failed to satisfy constraint: Member must have length less than "
    assert code == VALIDATION
    assert text.startswith(shown)
    assert text.endswith(end + "or equal to 100")


# Expressions and values of all gets are looked at, one after the other, before any table.
def test_expressions_before_tables(simple, keys, refused):
    missing = get("never-made", keys[0])
    syntax = get(simple, keys[1], ProjectionExpression="!!!")
    assert refused(missing, syntax) == (
        VALIDATION,
        'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"',
    )
    unused = get(simple, keys[1], ExpressionAttributeNames=names("a"))
    assert refused(missing, unused) == (
        VALIDATION,
        "ExpressionAttributeNames can only be specified when using expressions",
    )
    duplicate = get(simple, {"pk": {"SS": ["b", "a", "b"]}})
    assert refused(missing, duplicate, syntax) == (
        VALIDATION,
        INVALID + "Input collection [b, a, b] contains duplicates.",
    )


# What a transaction has written a transaction reads.
def test_reads_what_was_written(dynamodb, simple, keys, read):
    dynamodb.transact_write_items(TransactItems=[put(simple, key) for key in keys])
    told = read(*[get(simple, key) for key in keys])
    assert told == {"Responses": [{"Item": key} for key in keys]}
