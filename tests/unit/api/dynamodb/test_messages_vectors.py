"""Searches that are refused: in states that requests hardly meet, and for numbers of any text."""

import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hashrange.api.dynamodb.vectors.search_vectors import check, fit
from hashrange.errors import DynamoError
from hashrange.model.numbers import canonical_number
from hashrange.model.structures.dynamodb import SearchVectors
from hashrange.model.table import Index, Vector
from hashrange.model.wording import Wording
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


def single(text):
    """The 32-bit number of a valid text; None for any other."""
    try:
        return struct.unpack(
            "<f", struct.pack("<f", float(canonical_number(text, Wording.CURRENT)))
        )
    except (DynamoError, OverflowError):
        return None


def searched(*texts):
    """The numbers that are searched for; None if they are refused."""
    vector = Vector(attribute="v", dimensions=len(texts), distance="COSINE")
    index = Index(name="vix", number=1, partition=(), projection="ALL", vector=vector)
    request = SearchVectors(
        table_name="a-table",
        index_name="vix",
        search_vector=[{"N": each} for each in texts],
        top_k=1,
    )
    try:
        plan = fit(check(request), OpenTable(definition(vectors=(index,)), {}))
    except DynamoError:
        return None
    return tuple(plan.vectors.search.query.numbers)


TEXTS = st.text("019.-e,+E _\uff11", max_size=8) | st.builds(
    "{}{}.{}e{}".format,
    st.sampled_from(["", "-"]),
    st.integers(0, 10**40),
    st.text("0123456789", min_size=1, max_size=40),
    st.integers(-140, 140),
)


@given(TEXTS | st.floats(width=32).map(str) | st.floats().map(str))
@example("0." + "0" * 37 + "1")
@example("1" * 39)
@example("0." + "0" * 30 + "1e-99")
@example("1e-200")
@example("0e126")
def test_numbers_are_those_of_valid_texts(text):
    assert searched(text) == single(text)


def test_two_numbers_are_not_in_one_text():
    assert searched("1,2", "3") is None
    assert searched("1,2", "") is None
