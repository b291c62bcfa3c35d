"""What TransactWriteItems says of a request, and what it looks at first.

Source of all, where nothing else is said: captures of the service, June and October 2026, made by
users in us-east-1.
"""

import pytest

from tests.api.items import INVALID, NOT_VALID, answer, names, padding, stored, values
from tests.api.refusals import VALIDATION, absent, breaks, refusal, violated
from tests.api.transactions import FAILED, check, delete, invalid, put, reasons, update

BOGUS_CAPACITY = breaks(
    "BOGUS", "returnConsumedCapacity", "satisfy enum value set: [INDEXES, TOTAL, NONE]"
)
BOGUS_METRICS = breaks(
    "BOGUS2", "returnItemCollectionMetrics", "satisfy enum value set: [SIZE, NONE]"
)
NESTING = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
SYNTAX = 'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "("'
EMPTY = "Invalid ConditionExpression: The expression can not be empty;"
UNUSED = "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"
EMPTY_KEY = (
    NOT_VALID
    + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"
)
V = values(v={"S": "x"})


@pytest.fixture
def refused(dynamodb):
    """The refusal of a transaction of some actions."""

    def told(*actions, **request):
        return refusal(dynamodb.transact_write_items, TransactItems=list(actions), **request)

    return told


def deep(levels):
    value = {"S": "leaf"}
    for _ in range(levels):
        value = {"M": {"n": value}}
    return value


# Members of the request itself: all that are broken, in this order. Catalogue 19 and 21.
def test_members(refused, simple, key, dynamodb):
    action = put(simple, key)
    assert refused(action, ReturnConsumedCapacity="BOGUS") == violated(BOGUS_CAPACITY)
    told = refused(action, ReturnConsumedCapacity="BOGUS", ReturnItemCollectionMetrics="BOGUS2")
    assert told == violated(BOGUS_CAPACITY, BOGUS_METRICS)
    token = "x" * 37
    long = breaks(token, "clientRequestToken", "have length less than or equal to 36")
    told = refused(action, ClientRequestToken=token, ReturnConsumedCapacity="BOGUS")
    assert told == violated(long, BOGUS_CAPACITY)
    short = breaks("", "clientRequestToken", "have length greater than or equal to 1")
    assert refused(action, ClientRequestToken="") == violated(short)
    few = breaks("[]", "transactItems", "have length greater than or equal to 1")
    assert refused() == violated(few)
    assert refusal(dynamodb.transact_write_items) == violated(absent("transactItems"))


# Members come before what else is wrong: a table that is missing, an item twice.
def test_members_first(refused, simple, key):
    twice = [put(simple, key), delete(simple, key)]
    assert refused(*twice, ReturnConsumedCapacity="BOGUS") == violated(BOGUS_CAPACITY)
    missing = put("never-made", key)
    assert refused(missing, ReturnConsumedCapacity="BOGUS") == violated(BOGUS_CAPACITY)


# The path of a member names the position and the kind of its action.
@pytest.mark.parametrize(
    ("action", "path"),
    [
        (put("bad!name", {"pk": {"S": "a"}}), "put"),
        (update("bad!name", {"pk": {"S": "a"}}, "SET a = :v"), "update"),
        (delete("bad!name", {"pk": {"S": "a"}}), "delete"),
        (check("bad!name", {"pk": {"S": "a"}}, "a = :v"), "conditionCheck"),
    ],
)
def test_names_of_tables(refused, simple, key, dynamodb, action, path):
    arn = dynamodb.describe_table(TableName=simple)["Table"]["TableArn"]
    told = refused(put(arn, key), action)
    pattern = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    assert told == violated(breaks("bad!name", f"transactItems.2.member.{path}.tableName", pattern))


# What an action must have. The order within an action is not known of the service.
@pytest.mark.parametrize(
    ("action", "missing"),
    [
        ({"Put": {}}, ["put.tableName", "put.item"]),
        ({"Delete": {}}, ["delete.tableName", "delete.key"]),
        ({"Update": {}}, ["update.tableName", "update.key", "update.updateExpression"]),
        (
            {"ConditionCheck": {}},
            [
                "conditionCheck.tableName",
                "conditionCheck.key",
                "conditionCheck.conditionExpression",
            ],
        ),
    ],
)
def test_absent_members(refused, simple, key, action, missing):
    violations = [absent(f"transactItems.2.member.{path}") for path in missing]
    assert refused(put(simple, key), action) == violated(*violations)


# An enum of an action is told with its path. Source: public emulators.
def test_enum_of_an_action(refused, simple, key):
    told = refused(put(simple, key, ReturnValuesOnConditionCheckFailure="BOGUS"))
    path = "transactItems.1.member.put.returnValuesOnConditionCheckFailure"
    assert told == violated(breaks("BOGUS", path, "satisfy enum value set: [ALL_OLD, NONE]"))


# An entry has one action. Catalogue 203, and the words of us-east-1 for none.
def test_one_action_an_entry(refused, simple, key):
    assert refused({}) == (
        VALIDATION,
        "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request",
    )
    several = {**put(simple, key), **delete(simple, key)}
    assert refused(several) == (
        VALIDATION,
        "TransactItems can only contain one of Check, Put, Update or Delete",
    )


# Expressions are looked at before any table is.
@pytest.mark.parametrize(
    ("action", "text"),
    [
        (lambda t, k: put(t, k, ConditionExpression=""), EMPTY),
        (lambda t, k: delete(t, k, ConditionExpression=""), EMPTY),
        (lambda t, k: check(t, k, ""), EMPTY),
        (lambda t, k: check(t, k, "attribute_not_exists("), SYNTAX),
        (
            lambda t, k: update(t, k, ""),
            "Invalid UpdateExpression: The expression can not be empty;",
        ),
        (
            # The type set is told, as outside of transactions.
            lambda t, k: update(t, k, "ADD a :v", ExpressionAttributeValues=V),
            (
                "Invalid UpdateExpression: Incorrect operand type for operator or function; "
                "operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"
            ),
        ),
        (lambda t, k: check(t, k, "attribute_not_exists(pk)", ExpressionAttributeValues=V), UNUSED),
        (
            lambda t, k: put(
                t, k, ConditionExpression="attribute_exists(pk)", ExpressionAttributeValues=V
            ),
            UNUSED,
        ),
        (
            lambda t, k: delete(
                t, k, ConditionExpression="attribute_exists(pk)", ExpressionAttributeValues=V
            ),
            UNUSED,
        ),
        (
            lambda t, k: update(
                t, k, "SET a = :a", ExpressionAttributeValues={**V, ":a": {"S": "x"}}
            ),
            UNUSED,
        ),
        (
            lambda t, k: put(t, k, ExpressionAttributeNames=names("a")),
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            # Of the older layer; the words of a condition alone are those of single writes.
            lambda t, k: put(t, k, ExpressionAttributeValues=V),
            (
                "ExpressionAttributeValues can only be specified when using expressions: "
                "ConditionExpression is null"
            ),
        ),
        (
            lambda t, k: check(t, k, "a = b", ExpressionAttributeNames={}),
            "ExpressionAttributeNames must not be empty",
        ),
        (
            lambda t, k: check(t, k, "a = b", ExpressionAttributeValues={}),
            "ExpressionAttributeValues must not be empty",
        ),
    ],
)
def test_expressions_before_tables(refused, simple, key, dynamodb, action, text):
    missing = put("never-made", key)
    assert refused(missing, action(simple, key)) == (VALIDATION, text)
    assert refused(action(simple, key), missing) == (VALIDATION, text)
    assert refused(put(simple, key), action(simple, key)) == (VALIDATION, text)
    assert stored(dynamodb, simple, key) is None


# Values, in the older layer's words, up front: never a reason of a cancellation.
def test_values(refused, simple, key):
    number = {"N": "abc"}
    text = "The parameter cannot be converted to a numeric value: abc"
    wrapped = f"ExpressionAttributeValues contains invalid value: {text} for key :v"
    repeated = {"SS": ["b", "a", "b"]}
    repeats = INVALID + "Input collection [b, a, b] contains duplicates."
    missing = put("never-made", key)
    for value, plain, inside in (
        (number, text, wrapped),
        (
            repeated,
            repeats,
            f"ExpressionAttributeValues contains invalid value: {repeats} for key :v",
        ),
    ):
        v = values(v=value)
        assert refused(missing, put(simple, {**key, "a": value})) == (VALIDATION, plain)
        assert refused(missing, delete(simple, {"pk": value})) == (VALIDATION, plain)
        for action in (
            put(simple, key, ConditionExpression="a = :v", ExpressionAttributeValues=v),
            delete(simple, key, ConditionExpression="a = :v", ExpressionAttributeValues=v),
            check(simple, key, "a = :v", ExpressionAttributeValues=v),
            update(simple, key, "SET a = :v", ExpressionAttributeValues=v),
        ):
            assert refused(missing, action) == (VALIDATION, inside)


# Actions are looked at one after the other, and the first thing that is wrong is told.
def test_first_action_first(refused, simple, key):
    too_deep = put(simple, {**key, "d": deep(32)})
    syntax = check(simple, key, "attribute_not_exists(")
    no_name = put(simple, {**key, "": {"S": "x"}})
    for one, text in ((too_deep, NESTING), (syntax, SYNTAX), (no_name, "Empty attribute name")):
        for other in (too_deep, syntax, no_name, {}):
            assert refused(one, other) == (VALIDATION, text)


# Within an action its expressions come before its key.
def test_expressions_before_values(refused, simple, pk):
    key = {"pk": deep(100)}
    told = refused(delete(simple, key, ConditionExpression="a = = b"))
    syntax = 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"'
    assert told == (VALIDATION, syntax)
    large = "a = :v" + " AND a = :v" * 373
    told = refused(delete(simple, key, ConditionExpression=large, ExpressionAttributeValues=V))
    assert told == (
        VALIDATION,
        (
            "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; "
            "expression size: 4109"
        ),
    )


# Catalogue 43 and 44: what is put is measured up front.
def test_large_and_deep_puts(refused, simple, key, dynamodb):
    over = 400 * 1024 + 1 - len(f"pk{key['pk']['S']}a")
    told = refused(put("never-made", {**key, "a": padding(over)}))
    assert told == (VALIDATION, "Item size has exceeded the maximum allowed size")
    fits = put(simple, {**key, "a": padding(over - 1)})
    assert answer(dynamodb.transact_write_items, TransactItems=[fits]) == {}
    assert refused(put(simple, {**key, "d": deep(32)})) == (VALIDATION, NESTING)
    shallow = put(simple, {**key, "d": deep(31)})
    assert answer(dynamodb.transact_write_items, TransactItems=[shallow]) == {}


# Catalogue 43. A value of an expression may lie one level deeper than an item's: it is compared,
# and cancels where it would be written. Where between 32 and 40 the service stops is not known.
def test_deep_values_of_expressions(dynamodb, refused, simple, key):
    deepest, deeper = values(v=deep(32)), values(v=deep(33))
    dynamodb.put_item(TableName=simple, Item={**key, "m": {"M": {}}})
    call = dynamodb.transact_write_items
    actions = [
        lambda v: check(simple, key, "a = :v", ExpressionAttributeValues=v),
        lambda v: delete(simple, key, ConditionExpression="a = :v", ExpressionAttributeValues=v),
        lambda v: put(simple, key, ConditionExpression="a = :v", ExpressionAttributeValues=v),
        lambda v: update(
            simple,
            key,
            "SET b = :b",
            ConditionExpression="a = :v",
            ExpressionAttributeValues=values(b={"S": "x"}) | v,
        ),
    ]
    wrapped = f"ExpressionAttributeValues contains invalid value: {NESTING} for key :v"
    for action in actions:
        for _ in range(2):
            assert reasons(call, action(deepest)) == [FAILED]
            assert refused(action(deeper)) == (VALIDATION, wrapped)
            assert refused(action(values(v=deep(40)))) == (VALIDATION, wrapped)
    for expression in ("SET a = :v", "SET m.a = :v", "SET a = if_not_exists(b, :v)"):
        for _ in range(2):
            written = update(simple, key, expression, ExpressionAttributeValues=deepest)
            assert reasons(call, written) == [invalid(NESTING)]
    list_of = values(v={"L": [deep(31)]})
    written = update(simple, key, "SET a = list_append(:v, :v)", ExpressionAttributeValues=list_of)
    assert reasons(call, written) == [invalid(NESTING)]
    assert stored(dynamodb, simple, key) == {**key, "m": {"M": {}}}


# Levels are counted before names within values are looked at, but after those of attributes.
def test_deep_items_with_empty_names(refused, simple, key):
    within, top = {"m": {"M": {"": {"S": "x"}}}}, {"": {"S": "x"}}
    for item in ({**within, "d": deep(40)}, {"d": deep(40), **within}):
        assert refused(put(simple, {**key, **item})) == (VALIDATION, NESTING)
    for item in ({**top, "d": deep(40)}, {"d": deep(100), **top}, within):
        assert refused(put(simple, {**key, **item})) == (VALIDATION, "Empty attribute name")


# An empty value of a key refuses the request; it is no reason of its action.
@pytest.mark.parametrize(
    "action",
    [
        put,
        delete,
        lambda t, k: check(t, k, "attribute_exists(pk)"),
        lambda t, k: update(t, k, "SET a = :v", ExpressionAttributeValues=V),
    ],
)
def test_empty_keys(refused, simple, key, action):
    assert refused(put(simple, key), action(simple, {"pk": {"S": ""}})) == (VALIDATION, EMPTY_KEY)
    # Told before what would cancel an action in front of it.
    told = refused(put(simple, {"pk": {"N": "1"}}), action(simple, {"pk": {"S": ""}}))
    assert told == (VALIDATION, EMPTY_KEY)


# Empty binary keys likewise.
def test_empty_binary_keys(refused, new_table):
    table = new_table(pk="B")
    empty = {"pk": {"B": b""}}
    text = "The AttributeValue for a key attribute cannot contain an empty binary value. Key: pk"
    for action in (put(table, empty), delete(table, empty)):
        assert refused(action) == (VALIDATION, NOT_VALID + text)


# A path below a key is no path. Catalogue 122; that it refuses the request is assumed.
def test_paths_below_keys(refused, simple, key):
    told = refused(check(simple, key, "attribute_exists(pk.a)"))
    assert told == (
        VALIDATION,
        (
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
            "allowed: Key: pk"
        ),
    )
