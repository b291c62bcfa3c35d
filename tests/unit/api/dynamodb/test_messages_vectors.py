"""Texts about searches of indexes in states that requests hardly meet."""

import pytest

from hashrange.api.dynamodb.vectors.search_vectors import check, fit
from hashrange.errors import DynamoError
from hashrange.model.structures.dynamodb import SearchVectors
from hashrange.model.table import Index, Vector
from hashrange.tables.opened.open_table import OpenTable
from tests.unit.tables.definitions import definition

VECTOR = Vector(attribute="v", dimensions=1, distance="COSINE")


@pytest.mark.parametrize(
    ("number", "state", "text"),
    [
        (194, "BUILDING", "Cannot search backfilling vector index: vix"),
        (123, "DELETING", "The table does not have the specified index: vix"),
    ],
)
def test_an_index_is_searched_only_when_it_is_built(number, state, text):
    index = Index(name="vix", number=1, partition=(), projection="ALL", vector=VECTOR, state=state)
    request = SearchVectors(
        table_name="a-table", index_name="vix", search_vector=[{"N": "1"}], top_k=1
    )
    with pytest.raises(DynamoError) as refused:
        fit(check(request), OpenTable(definition(vectors=(index,)), {}))
    assert refused.value.message == text
