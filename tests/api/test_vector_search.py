"""SearchVectors: scores, filters, projections, and what it refuses."""

import json
import struct
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.api.refusals import refusal
from tests.api.vectors import found, listed, made, search_schema, vector, vector_index
from tests.crash.server import AUTHORIZATION

VALIDATION = "ValidationException"
DISTANCES = {"cosine": "COSINE", "euclidean": "EUCLIDEAN", "dot": "DOT_PRODUCT"}
ITEMS = {"a": (1, 0, 0), "b": (0, 1, 0), "c": (-1, 0, 0), "d": (0.6, 0.8, 0)}


def f32(number):
    """A number of 32 bits."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


@pytest.fixture(scope="module")
def plain(dynamodb):
    """A table with an index of each distance; nobody changes it."""
    name = made(
        dynamodb,
        *(vector_index(each, DistanceFunction=kind) for each, kind in DISTANCES.items()),
        vector_index("keys", Projection={"ProjectionType": "KEYS_ONLY"}),
    )
    for key, numbers in ITEMS.items():
        item = {"pk": {"S": key}, "label": {"S": f"item-{key}"}, "emb": listed(*numbers)}
        dynamodb.put_item(TableName=name, Item=item)
    yield name
    dynamodb.delete_table(TableName=name)


@pytest.fixture(scope="module")
def by_tenant(dynamodb):
    """A table with an index by tenant and with filters, and one without; nobody changes it."""
    schema = search_schema("category", "year", by="tenant")
    name = made(
        dynamodb,
        vector_index("plain"),
        vector_index("schema", **schema),
        tenant="S",
        category="S",
        year="N",
    )
    for key, tenant, category, year in (
        ("1", "x", "red", "2026"),
        ("2", "x", "blue", "2026"),
        ("3", "x", None, "2025"),
        ("4", "y", "red", "2026"),
        ("5", None, "red", "2026"),
    ):
        item = {"pk": {"S": key}, "year": {"N": year}, "emb": listed(key, 1, 0)}
        item |= {} if tenant is None else {"tenant": {"S": tenant}}
        item |= {} if category is None else {"category": {"S": category}}
        dynamodb.put_item(TableName=name, Item=item)
    yield name
    dynamodb.delete_table(TableName=name)


# Measured against the service with these vectors, August 2026.
@pytest.mark.parametrize(
    ("index", "scores"),
    [
        ("cosine", [("a", 0), ("d", 0.4), ("b", 1), ("c", 2)]),
        ("euclidean", [("a", 0), ("d", 0.8**0.5), ("b", 2**0.5), ("c", 2)]),
        ("dot", [("a", 1), ("d", 0.6), ("b", 0), ("c", -1)]),
    ],
)
def test_scores_are_those_of_the_distance_best_first(dynamodb, plain, index, scores):
    answer = found(dynamodb, plain, (1, 0, 0), index)
    assert [key for key, _ in answer] == [key for key, _ in scores]
    assert [score for _, score in answer] == pytest.approx([score for _, score in scores], abs=1e-6)


# The vector is answered only where it is projected and asked for, as numbers of 32 bits.
def test_a_vector_is_answered_if_the_projection_names_it(dynamodb, plain):
    request = {"TableName": plain, "SearchVector": vector(1, 0, 0), "TopK": 1}
    (result,) = dynamodb.search_vectors(IndexName="cosine", **request)["SearchResults"]
    assert result["Item"] == {"pk": {"S": "a"}, "label": {"S": "item-a"}}
    named = {"ProjectionExpression": "pk, emb, nothing"}
    (result,) = dynamodb.search_vectors(IndexName="cosine", **request, **named)["SearchResults"]
    assert result["Item"] == {"pk": {"S": "a"}, "emb": listed("1.0", "0.0", "0.0")}
    (result,) = dynamodb.search_vectors(IndexName="keys", **request, **named)["SearchResults"]
    assert result["Item"] == {"pk": {"S": "a"}}


# The table keeps the numbers as they were sent, the index has 32 bits of each.
def test_an_index_has_numbers_of_32_bits(dynamodb):
    sent = ("0.1", "16777217", "1.000000059604644775390625")
    name = made(dynamodb, vector_index())
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "1"}, "emb": listed(*sent)})
    kept = dynamodb.get_item(TableName=name, Key={"pk": {"S": "1"}})["Item"]["emb"]
    assert kept == listed(*sent)
    answer = dynamodb.search_vectors(
        TableName=name,
        IndexName="vix",
        SearchVector=vector(*sent),
        TopK=1,
        ProjectionExpression="emb",
    )
    (result,) = answer["SearchResults"]
    numbers = [each["N"] for each in result["Item"]["emb"]["L"]]
    assert numbers[:2] == ["0.1", "16777216.0"]
    assert [f32(float(each)) for each in numbers] == [f32(float(each)) for each in sent]
    assert result["Score"] == 0
    dynamodb.delete_table(TableName=name)


# A statement reads the vector of the table, in the numbers that were sent.
def test_a_statement_reads_the_vector(dynamodb, plain):
    (item,) = dynamodb.execute_statement(Statement=f"SELECT * FROM \"{plain}\" WHERE pk = 'd'")[
        "Items"
    ]
    assert item["emb"] == listed(0.6, 0.8, 0)


# HASH and filters narrow a search; an item without the HASH attribute is in no group.
@pytest.mark.parametrize(
    ("condition", "values", "keys"),
    [
        ("tenant = :t", {":t": {"S": "x"}}, ["3", "2", "1"]),
        ("(:t = tenant) AND (#c = :c)", {":t": {"S": "x"}, ":c": {"S": "red"}}, ["1"]),
        (
            "tenant = :t AND #c = :c AND #y = :y",
            {":t": {"S": "x"}, ":c": {"S": "blue"}, ":y": {"N": "2.026e3"}},
            ["2"],
        ),
        ("tenant = :t", {":t": {"S": "nobody"}}, []),
    ],
)
def test_conditions_narrow_a_search(dynamodb, by_tenant, condition, values, keys):
    names = {"#c": "category", "#y": "year"}
    used = {name: text for name, text in names.items() if name in condition}
    more = {
        "SearchConditionExpression": condition,
        "ExpressionAttributeValues": values,
        **({"ExpressionAttributeNames": used} if used else {}),
    }
    answer = found(dynamodb, by_tenant, (9, 1, 0), "schema", **more)
    assert [key for key, _ in answer] == keys


def test_an_item_without_hash_attribute_is_found_by_other_indexes(dynamodb, by_tenant):
    answer = found(dynamodb, by_tenant, (9, 1, 0), "plain")
    assert [key for key, _ in answer] == ["5", "4", "3", "2", "1"]


INVALID = "Invalid SearchConditionExpression: "
MODEL = "1 validation error detected: Value at '{}' failed to satisfy constraint: Member must "
NUMBERS = (
    "Search vector contains invalid values. All values in the search vector must be a 32-bit "
    "floating-point number attribute"
)


def condition(text, value=None, index="schema"):
    """A search with a condition on the value `:t`."""
    return {
        "IndexName": index,
        "SearchConditionExpression": text,
        "ExpressionAttributeValues": {":t": value or {"S": "x"}},
    }


REFUSALS = [
    (
        182,
        {"TopK": 101},
        (
            "Provided TopK value '101' is out of valid range. The value must be between 1 and 100 "
            "inclusive"
        ),
    ),
    (182, {"TopK": 0}, MODEL.format("TopK") + "have value greater than or equal to 1"),
    (
        183,
        {"IndexName": "ab"},
        MODEL.format("IndexName") + "have length greater than or equal to 3",
    ),
    (
        183,
        {"SearchVector": []},
        MODEL.format("SearchVector") + "have length greater than or equal to 1",
    ),
    (
        183,
        {"SearchVector": vector(*range(4097))},
        MODEL.format("SearchVector") + "have length less than or equal to 4096",
    ),
    (123, {"IndexName": "nobody"}, "The table does not have the specified index: nobody"),
    (
        184,
        {"IndexName": "schema"},
        "SearchConditionExpression must be provided when SearchSchema has a HASH key",
    ),
    (
        185,
        condition("category = :t"),
        INVALID
        + "SearchConditionExpression must have all HASH attributes in configured SearchSchema",
    ),
    *(
        (
            186,
            condition(f"tenant {each} :t"),
            INVALID + "Invalid comparator used in SearchConditionExpression",
        )
        for each in ("<", "<=", ">", ">=", "<>")
    ),
    *(
        (187, condition(each), INVALID + "Invalid operator used in SearchConditionExpression")
        for each in (
            "tenant IN (:t)",
            "NOT tenant = :t",
            "begins_with(tenant, :t)",
            "tenant = :t OR category = :t",
        )
    ),
    (
        188,
        condition("tenant = :t", index="plain"),
        (
            "SearchConditionExpression must not contain any attributes that is not in "
            "SearchSchema. Invalid attribute: tenant"
        ),
    ),
    (
        189,
        condition("tenant.a = :t"),
        INVALID + "SearchConditionExpression cannot have conditions on nested attributes",
    ),
    (
        190,
        condition("tenant = :t AND tenant = :t"),
        INVALID + "SearchConditionExpression must only contain one condition per attribute",
    ),
    (
        191,
        condition("tenant = :t", {"N": "1"}),
        (
            "Type of 'tenant' attribute in SearchConditionExpression (N) does not match type in "
            "search schema (S)"
        ),
    ),
    (
        54,
        condition("tenant = :t", {"S": ""}),
        (
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: tenant"
        ),
    ),
    *(
        (192, {"SearchVector": each}, NUMBERS)
        for each in (
            [{"L": vector(1, 0, 0)}],
            vector("NaN", 0),
            vector("3.5E+38", 0, 0),
            [{"N": "1", "S": "x"}],
        )
    ),
    (
        193,
        {"SearchVector": vector(1, 2)},
        "Input search vector dimension 2 does not match vector index dimension 3",
    ),
]


@pytest.mark.parametrize(("number", "changes", "text"), REFUSALS)
def test_refused(dynamodb, by_tenant, number, changes, text):
    request = {"IndexName": "plain", "SearchVector": vector(1, 0, 0), "TopK": 1, **changes}
    assert refusal(dynamodb.search_vectors, TableName=by_tenant, **request) == (VALIDATION, text)


# Syntax comes before the table, the table before the index.
def test_the_order_of_checks(dynamodb):
    request = {"TableName": "nobody", "IndexName": "nobody", "SearchVector": vector(1), "TopK": 1}
    assert refusal(dynamodb.search_vectors, **request) == (
        "ResourceNotFoundException",
        "Requested resource not found",
    )
    more = {"SearchConditionExpression": "a <> :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}
    code, text = refusal(dynamodb.search_vectors, **request, **more)
    assert (code, text) == (
        VALIDATION,
        INVALID + "Invalid comparator used in SearchConditionExpression",
    )


# Query, Scan and statements cannot read a vector index.
@pytest.mark.parametrize(
    ("number", "call", "verb", "request_of"),
    [
        (
            195,
            "query",
            "Query",
            lambda table: {
                "TableName": table,
                "IndexName": "cosine",
                "KeyConditionExpression": "pk = :a",
                "ExpressionAttributeValues": {":a": {"S": "a"}},
            },
        ),
        (195, "scan", "Scan", lambda table: {"TableName": table, "IndexName": "cosine"}),
        (
            195,
            "execute_statement",
            "Scan",
            lambda table: {"Statement": f'SELECT * FROM "{table}"."cosine"'},
        ),
    ],
)
def test_other_operations_refuse_vector_indexes(dynamodb, plain, number, call, verb, request_of):
    refused = refusal(getattr(dynamodb, call), **request_of(plain))
    assert refused == (VALIDATION, f"{verb} operation not supported on this index type.")


# Measured: bytes, and nothing of other operations' units; the same with TOTAL and INDEXES.
def test_searches_are_charged_in_bytes(dynamodb, plain):
    request = {"TableName": plain, "IndexName": "cosine", "SearchVector": vector(1, 0, 0)}
    consumed = [
        dynamodb.search_vectors(**request, TopK=1, ReturnConsumedCapacity=each)
        for each in ("NONE", "TOTAL", "INDEXES")
    ]
    assert [each.get("ConsumedCapacity") for each in consumed] == [
        None,
        {"VectorSearchRequestBytes": 1024.0},
        {"VectorSearchRequestBytes": 1024.0},
    ]


# The service has another parser for these bodies: their errors have `message`, not `Message`.
@pytest.mark.parametrize(
    ("number", "body", "name", "text"),
    [
        (
            196,
            b'{"TableName":null}',
            "com.amazon.coral.service#SerializationException",
            "invalid type: null, expected a string at line 1 column 17",
        ),
        (
            196,
            b'{"TableName":"t","IndexName":null}',
            "com.amazon.coral.service#SerializationException",
            "invalid type: null, expected a string at line 1 column 33",
        ),
        (
            196,
            b'{"TableName":"t","SearchVector":null}',
            "com.amazon.coral.service#SerializationException",
            "invalid type: null, expected a sequence at line 1 column 36",
        ),
        (
            196,
            b'{"TableName":"t","TopK":null}',
            "com.amazon.coral.service#SerializationException",
            "invalid type: null, expected i32 at line 1 column 28",
        ),
        (
            196,
            b'{"IndexName":"ab","SearchVector":[{"N":"1"}],"TopK":1}',
            "com.amazon.coral.validate#ValidationException",
            "missing field `TableName` at line 1 column 54",
        ),
        (
            196,
            b'{"TopK":3.5}',
            "com.amazon.coral.service#SerializationException",
            "invalid type: floating point `3.5`, expected i32 at line 1 column 11",
        ),
        (
            196,
            b"{}",
            "com.amazon.coral.validate#ValidationException",
            "missing field `TableName` at line 1 column 2",
        ),
    ],
)
def test_a_body_of_another_type_is_refused(dynamodb, number, body, name, text):
    headers = {
        "X-Amz-Target": "DynamoDB_20120810.SearchVectors",
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Date": "20260801T000000Z",
        "Authorization": AUTHORIZATION,
    }
    request = Request(dynamodb.meta.endpoint_url, body, headers)
    with pytest.raises(HTTPError) as raised:
        urlopen(request)
    with raised.value as answer:
        assert answer.code == 400
        assert json.load(answer) == {"__type": name, "message": text}
