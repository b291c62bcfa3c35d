"""Requests on items to draw: right ones, and what differs from them in values or in members."""

from hypothesis import strategies as st

from tests.unit.api.dynamodb.alike_searches import DEFINITIONS, SEARCH, VECTORS, searches
from tests.unit.api.dynamodb.alike_statements import statement_requests


def s(text):
    return {"S": text}


def n(number):
    return {"N": number}


def table(name, kind, **more):
    """A table with a key p of that kind, and k."""
    kinds = {"p": kind, "k": "S", "g": "N"} if more else {"p": kind, "k": "S"}
    return {
        "TableName": name,
        "AttributeDefinitions": [
            {"AttributeName": attribute, "AttributeType": each} for attribute, each in kinds.items()
        ],
        "KeySchema": keys("p", "k"),
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }


def keys(*names):
    return [
        {"AttributeName": name, "KeyType": kind}
        for name, kind in zip(names, ("HASH", "RANGE"), strict=False)
    ]


ALL = {"ProjectionType": "ALL"}
TABLES = [
    table(
        "Texts",
        "S",
        GlobalSecondaryIndexes=[
            {"IndexName": "global", "KeySchema": keys("g", "p"), "Projection": ALL}
        ],
        LocalSecondaryIndexes=[
            {
                "IndexName": "local",
                "KeySchema": keys("p", "g"),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    ),
    table("Numbers", "N"),
    {**table("Vectors", "S", **VECTORS), "AttributeDefinitions": DEFINITIONS},
]
# Values of every kind, right and wrong; those of one kind are of one shape.
VALUES = [
    *map(s, ("a", "b", "", "é" * 512, "x" * 1025, "x" * 2049)),
    *map(n, ("1", "1.0", "-0", "1e2", "x", "", "9" * 39)),
    {"B": "YQ=="}, {"B": "?"}, {"B": ""}, {"BOOL": True}, {"NULL": True}, {"NULL": False},
    {"SS": ["b", "a"]}, {"SS": ["a", "a"]}, {"SS": []}, {"NS": ["1", "1.0"]}, {"L": []},
    {"L": [n("1.0"), s("a")]}, {"M": {"x": s("")}}, {"M": {"": s("a")}}, {"S": "a", "N": "1"}, {},
]  # fmt: skip
values = st.one_of(st.sampled_from(VALUES[:8]), st.sampled_from(VALUES))
KEY = {"p": s("a"), "k": s("a")}
items = st.one_of(
    st.fixed_dictionaries({"p": values, "k": values}),
    st.fixed_dictionaries({}, optional={"g": values, "a": values}).map(
        lambda item: {**KEY, **item}
    ),
    st.dictionaries(st.sampled_from(["p", "k", "g", "a", ""]), values, max_size=3),
    st.none(),
)
placeholders = st.one_of(
    st.fixed_dictionaries({":a": values, ":b": values}),
    st.fixed_dictionaries({":a": values}),
    st.dictionaries(st.sampled_from([":a", ":b", ":c", "a"]), values, max_size=3),
    st.none(),
)
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/Texts"
names = st.sampled_from([None, {"#a": "a"}, {"#a": "g"}, {"#a": "p", "#b": "b"}, {}, {"a": "a"}])
conditions = st.sampled_from(
    [None, "a = :a", "#a > :a", "g BETWEEN :a AND :b", "size(a) > :a", "p = :a", "a.b = :a",
     "begins_with(a, :a)", "attribute_type(a, :a)", "a IN (:a, :b)", "contains(a, :a)", "a =", ""]
)  # fmt: skip
flags = st.sampled_from([None, True, False])
comparisons = st.fixed_dictionaries(
    {"ComparisonOperator": st.sampled_from(["EQ", "GT", "BEGINS_WITH", "BETWEEN", "NULL", "X"])},
    optional={"AttributeValueList": st.lists(values, max_size=2)},
)
legacy_conditions = st.one_of(
    st.none(), st.dictionaries(st.sampled_from(["p", "k", "a"]), comparisons, max_size=2)
)
capacity = st.sampled_from([None, "TOTAL", "INDEXES", "NONE", "ALL"])
expected = st.one_of(
    st.none(),
    st.dictionaries(
        st.sampled_from(["a", "p", ""]),
        st.one_of(
            comparisons, st.fixed_dictionaries({"Value": values}), st.just({"Exists": False})
        ),
        max_size=2,
    ),
)
projections = st.sampled_from([None, "a", "#a", "p.a", "a, a.b", "g, a", "", "a ="])
attributes = st.sampled_from([None, ["a"], ["p", "g"], ["a", "a"], [], [""]])
limits = st.sampled_from([None, 1, 2, 0, -1])

ON_ONE = {
    "TableName": st.sampled_from(["Texts", "Numbers", ARN, "None", "a?", "", None]),
    "ReturnConsumedCapacity": capacity,
    "ExpressionAttributeNames": names,
}
WRITES = {
    **ON_ONE,
    "Expected": expected,
    "ConditionalOperator": st.sampled_from([None, "AND", "OR", "XOR"]),
    "ConditionExpression": conditions,
    "ExpressionAttributeValues": placeholders,
    "ReturnValues": st.sampled_from(
        [None, "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW", "X"]
    ),
    "ReturnItemCollectionMetrics": st.sampled_from([None, "SIZE", "NONE", "X"]),
    "ReturnValuesOnConditionCheckFailure": st.sampled_from([None, "ALL_OLD", "NONE", "X"]),
}
READS = {
    **ON_ONE,
    "AttributesToGet": attributes,
    "ConsistentRead": flags,
    "ProjectionExpression": projections,
}
PAGES = {
    **READS,
    "IndexName": st.sampled_from([None, "global", "local", "none", "?"]),
    "Select": st.sampled_from(
        [None, "COUNT", "ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "X"]
    ),
    "Limit": limits,
    "FilterExpression": conditions,
    "ConditionalOperator": st.sampled_from([None, "AND", "OR"]),
    "ExclusiveStartKey": st.one_of(st.none(), items),
    "ExpressionAttributeValues": placeholders,
}
OF_A_BATCH = {
    name: drawn
    for name, drawn in READS.items()
    if name not in {"TableName", "ReturnConsumedCapacity"}
}
UPDATES = st.sampled_from(
    [None, "SET a = :a", "SET #a = :a", "REMOVE a", "ADD a :a", "SET a = a + :a", "SET p = :a",
     "SET a = if_not_exists(a, :a), b = :b", "DELETE a :a", "SET a.b = :a", "SET", ""]
)  # fmt: skip
action = {"TableName": ON_ONE["TableName"], "ExpressionAttributeNames": names}
conditional = {
    **action,
    "ConditionExpression": conditions,
    "ExpressionAttributeValues": placeholders,
    "ReturnValuesOnConditionCheckFailure": WRITES["ReturnValuesOnConditionCheckFailure"],
}


def merged(base, members):
    """A structure with members beside or instead of those of `base`; None for absent."""
    return st.lists(st.sampled_from(sorted(members)), min_size=1, max_size=2, unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({each: members[each] for each in chosen}).map(
            lambda drawn: {
                name: value for name, value in {**base, **drawn}.items() if value is not None
            }
        )
    )


TEXTS = {"TableName": "Texts"}
PUT = {**TEXTS, "Item": {**KEY, "a": s("a")}}
ACTIONS = st.one_of(
    st.builds(lambda each: {"Put": each}, merged(PUT, {**conditional, "Item": items})),
    st.builds(
        lambda each: {"Update": each},
        merged(
            {**TEXTS, "Key": KEY, "UpdateExpression": "REMOVE a"},
            {**conditional, "Key": items, "UpdateExpression": UPDATES},
        ),
    ),
    st.builds(
        lambda each: {"Delete": each}, merged({**TEXTS, "Key": KEY}, {**conditional, "Key": items})
    ),
    st.builds(
        lambda each: {"ConditionCheck": each},
        merged(
            {
                **TEXTS,
                "Key": KEY,
                "ConditionExpression": "a = :a",
                "ExpressionAttributeValues": {":a": s("a")},
            },
            {**conditional, "Key": items},
        ),
    ),
)
BATCHED = st.dictionaries(
    st.sampled_from(["Texts", "Numbers", ARN, "None"]),
    st.lists(
        st.one_of(
            items.map(lambda item: {"PutRequest": {"Item": item}}),
            items.map(lambda key: {"DeleteRequest": {"Key": key}}),
        ),
        max_size=2,
    ),
    max_size=2,
)
TOKENS = st.sampled_from([None, "token", ""])
# Of each operation what is right, and for every member what it may be instead.
KEYED = {"ExpressionAttributeValues": {":a": s("a")}}
REQUESTS = {
    "GetItem": ({**TEXTS, "Key": KEY}, {**READS, "Key": items}),
    "PutItem": (PUT, {**WRITES, "Item": items}),
    "DeleteItem": ({**TEXTS, "Key": KEY}, {**WRITES, "Key": items}),
    "UpdateItem": (
        {**TEXTS, "Key": KEY, "UpdateExpression": "SET a = :a", **KEYED},
        {
            **WRITES,
            "Key": items,
            "UpdateExpression": UPDATES,
            "AttributeUpdates": st.one_of(
                st.none(),
                st.dictionaries(
                    st.sampled_from(["a", "p", ""]),
                    st.fixed_dictionaries(
                        {"Action": st.sampled_from(["PUT", "ADD", "DELETE", "X"])},
                        optional={"Value": values},
                    ),
                    max_size=2,
                ),
            ),
        },
    ),
    "Query": (
        {**TEXTS, "KeyConditionExpression": "p = :a", **KEYED},
        {
            **PAGES,
            "KeyConditionExpression": st.sampled_from(
                [None, "p = :a", "p = :a AND k > :b", "k BETWEEN :b AND :a AND p = :a", "g = :a",
                 "p = :a AND begins_with(k, :b)", "p = :a AND k = :b", "g = :a AND p = :b",
                 "p > :a", "#a = :a", "p ="]
            ),
            "KeyConditions": legacy_conditions,
            "QueryFilter": legacy_conditions,
            "ScanIndexForward": flags,
        },
    ),
    "Scan": (
        TEXTS,
        {
            **PAGES,
            "ScanFilter": legacy_conditions,
            "Segment": st.sampled_from([None, 0, 1, 2]),
            "TotalSegments": st.sampled_from([None, 1, 2, 0]),
        },
    ),
    "SearchVectors": (SEARCH, searches(values, capacity)),
    "BatchGetItem": (
        {"RequestItems": {"Texts": {"Keys": [KEY]}}},
        {
            "RequestItems": st.dictionaries(
                st.sampled_from(["Texts", "Numbers", ARN, "None"]),
                merged(
                    {"Keys": [KEY]},
                    {
                        **OF_A_BATCH,
                        "Keys": st.lists(items, max_size=2),
                    },
                ),
                max_size=2,
            ),
            "ReturnConsumedCapacity": capacity,
        },
    ),
    "BatchWriteItem": (
        {"RequestItems": {"Texts": [{"PutRequest": {"Item": KEY}}]}},
        {
            "RequestItems": BATCHED,
            "ReturnConsumedCapacity": capacity,
            "ReturnItemCollectionMetrics": WRITES["ReturnItemCollectionMetrics"],
        },
    ),
    "TransactGetItems": (
        {"TransactItems": [{"Get": {**TEXTS, "Key": KEY}}]},
        {
            "TransactItems": st.lists(
                merged(
                    {**TEXTS, "Key": KEY},
                    {**action, "Key": items, "ProjectionExpression": projections},
                ).map(lambda get: {"Get": get}),
                max_size=2,
            ),
            "ReturnConsumedCapacity": capacity,
        },
    ),
    "TransactWriteItems": (
        {"TransactItems": [{"Put": PUT}]},
        {
            "TransactItems": st.lists(ACTIONS, max_size=2),
            "ReturnConsumedCapacity": capacity,
            "ReturnItemCollectionMetrics": WRITES["ReturnItemCollectionMetrics"],
            "ClientRequestToken": TOKENS,
        },
    ),
    **statement_requests(
        values,
        flags=flags,
        capacity=capacity,
        limits=limits,
        on_failure=WRITES["ReturnValuesOnConditionCheckFailure"],
        tokens=TOKENS,
    ),
}  # fmt: skip
AB = {"ExpressionAttributeValues": {":a": s("a"), ":b": s("b")}}
# Further requests that are right, of which others differ in one member or two.
NUMBERS = {"TableName": "Numbers", "Key": {"p": n("1"), "k": s("a")}}
MORE = {
    "GetItem": [
        {"ProjectionExpression": "a, k"},
        {"ProjectionExpression": "#a", "ExpressionAttributeNames": {"#a": "a"}},
        {"ReturnConsumedCapacity": "TOTAL"},
        NUMBERS,
    ],
    "PutItem": [{"ConditionExpression": "a = :a", **KEYED, "ReturnValues": "ALL_OLD"}],
    "DeleteItem": [{"ConditionExpression": "a > :a", **KEYED}, NUMBERS],
    "UpdateItem": [{"ConditionExpression": "a <> :b", **AB, "ReturnValues": "ALL_NEW"}, NUMBERS],
    "Query": [
        {"KeyConditionExpression": "p = :a AND k > :b", **AB, "Limit": 1, "ExclusiveStartKey": KEY},
        {"KeyConditionExpression": "p = :a AND k = :b", **AB, "Limit": 1},
        {"FilterExpression": "a = :b", **AB},
        {
            "TableName": "Numbers",
            "ExpressionAttributeValues": {":a": n("1")},
            "ExclusiveStartKey": NUMBERS["Key"],
        },
        {
            "KeyConditionExpression": "g = :a",
            "ExpressionAttributeValues": {":a": n("1")},
            "IndexName": "global",
        },
    ],
    "Scan": [{"FilterExpression": "a = :a", **KEYED}],
}
VALUE_MEMBERS = ("Key", "Item", "ExpressionAttributeValues", "ExclusiveStartKey")


def revalued(request):
    """The request with other values in the members that carry them: mostly of the same shape."""
    drawn = {
        member: st.fixed_dictionaries(
            {
                name: st.one_of(st.just(value), like(value), values)
                for name, value in request[member].items()
            }
        )
        for member in VALUE_MEMBERS
        if member in request
    }
    if "Limit" in request:
        drawn["Limit"] = limits.filter(lambda limit: limit is not None)
    return st.fixed_dictionaries(drawn).map(lambda found: {**request, **found})


def like(value):
    """Values of the same type."""
    return st.sampled_from([each for each in VALUES if each.keys() == value.keys()])


@st.composite
def alike(draw, operation):
    """A right request, and some that differ from it: in values, or in any member."""
    base, members = REQUESTS[operation]
    more = draw(st.sampled_from([{}, *MORE.get(operation, ())]))
    first = {**base, **more}
    others = st.one_of(revalued(first), revalued(first), merged(first, members))
    return [first, *draw(st.lists(others, min_size=10, max_size=20)), first]
