"""Requests for vector indexes, in short."""

import uuid
from collections.abc import Sequence
from typing import Any

from botocore.client import BaseClient

from tests.api.tables import keyed


def vector(*numbers: float | str) -> list[dict[str, str]]:
    """A vector as SearchVectors has it."""
    return [{"N": str(number)} for number in numbers]


def listed(*numbers: float | str) -> dict[str, Any]:
    """A vector as an item has it."""
    return {"L": vector(*numbers)}


def vector_index(name: str = "vix", **changes: Any) -> dict[str, Any]:
    """An index of the attribute `emb`, of three dimensions, but for what `changes` says."""
    return {
        "IndexName": name,
        "VectorAttribute": {"AttributeName": "emb"},
        "Dimensions": 3,
        "DistanceFunction": "COSINE",
        "Projection": {"ProjectionType": "ALL"},
        **changes,
    }


def search_schema(*filters: str, by: str | None = None) -> dict[str, Any]:
    """A SearchSchema member: the HASH attribute `by`, and filters."""
    first = [] if by is None else [{"AttributeName": by, "SearchSchemaElementType": "HASH"}]
    more = [{"AttributeName": each, "SearchSchemaElementType": "INLINE_FILTER"} for each in filters]
    return {"SearchSchema": [*first, *more]}


def made(dynamodb: BaseClient, *indexes: dict[str, Any], **types: str) -> str:
    """A new table with vector indexes; it is the caller's to delete."""
    request = keyed(pk="S")
    request["AttributeDefinitions"] += [
        {"AttributeName": name, "AttributeType": kind} for name, kind in types.items()
    ]
    name = f"t-{uuid.uuid4()}"
    if indexes:
        request["VectorIndexes"] = list(indexes)
    dynamodb.create_table(TableName=name, **request)
    return name


def found(
    dynamodb: BaseClient, table: str, query: Sequence[float], index: str = "vix", **more: Any
) -> list[tuple[str, float]]:
    """The keys and scores that a search finds, in order."""
    request = {"SearchVector": vector(*query), "TopK": 10, **more}
    answer = dynamodb.search_vectors(TableName=table, IndexName=index, **request)
    return [(each["Item"]["pk"]["S"], each["Score"]) for each in answer["SearchResults"]]
