"""Searches in a vector index to draw, as `alike_requests` has other requests."""

from hypothesis import strategies as st

ONE, NONE = {"N": "1"}, {"N": "0"}
DEFINITIONS = [
    {"AttributeName": name, "AttributeType": kind}
    for name, kind in (("p", "S"), ("k", "S"), ("g", "N"))
]
VECTORS = {
    "VectorIndexes": [
        {
            "IndexName": "vectors",
            "VectorAttribute": {"AttributeName": "v"},
            "Dimensions": 2,
            "DistanceFunction": "COSINE",
            "Projection": {"ProjectionType": "ALL"},
            "SearchSchema": [{"AttributeName": "g", "SearchSchemaElementType": "HASH"}],
        }
    ]
}
SEARCH = {
    "TableName": "Vectors",
    "IndexName": "vectors",
    "SearchVector": [ONE, NONE],
    "TopK": 2,
    "SearchConditionExpression": "g = :a",
    "ExpressionAttributeValues": {":a": ONE},
}


def searches(values, capacity):
    """What each member may be instead; `values` are of items, `capacity` of its member."""
    return {
        "TableName": st.sampled_from(["Vectors", "Texts", None]),
        "IndexName": st.sampled_from(["vectors", "global", "a", None]),
        "SearchVector": st.lists(values, max_size=3),
        "TopK": st.sampled_from([0, 1, 100, 101, None]),
        "SearchConditionExpression": st.sampled_from(
            [None, "g = :a", ":a = g AND p = :b", "#a = :a", "g < :a", "g ="]
        ),
        "ProjectionExpression": st.sampled_from([None, "p, v", "#a", "v[0]"]),
        "ExpressionAttributeNames": st.sampled_from([None, {"#a": "g"}, {}]),
        "ExpressionAttributeValues": st.sampled_from(
            [None, {":a": ONE}, {":a": {"S": "a"}, ":b": {"S": "b"}}]
        ),
        "ReturnConsumedCapacity": capacity,
    }
