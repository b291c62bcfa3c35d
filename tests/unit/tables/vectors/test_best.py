"""The best entries of a group: those of brute force, with numpy and without."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.table import Index, KeyAttribute, Vector
from hashrange.tables.opened.vector_entries import as_binary
from hashrange.tables.vectors.best import Search, best
from hashrange.tables.vectors.groups import Group
from hashrange.tables.vectors.scores import SCORE_MAX, query_of, score

DISTANCES = ("COSINE", "DOT_PRODUCT", "EUCLIDEAN")
NUMBERS = st.one_of(
    st.integers(-2, 2).map(float),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.floats(0.5, 1, width=32),
)
VECTORS = st.lists(NUMBERS, min_size=3, max_size=3)
CHANGES = st.lists(
    st.tuples(st.integers(0, 9), st.none() | VECTORS, st.sampled_from(["red", "blue", None])),
    max_size=40,
)


def index(distance="COSINE", dimensions=3):
    vector = Vector(
        attribute="v",
        dimensions=dimensions,
        distance=distance,
        filters=(KeyAttribute("colour", "S"),),
    )
    return Index(name="vix", number=1, partition=(), projection="ALL", vector=vector)


def entry(numbers, colour):
    data = struct.pack(f"<{len(numbers)}f", *numbers)
    return {"v": as_binary(data), **({} if colour is None else {"colour": {"S": colour}})}


def dot(one, other):
    return sum(Fraction(left) * Fraction(right) for left, right in zip(one, other, strict=True))


def expected(distance, query, numbers):
    """The score, by exact fractions."""
    if distance == "DOT_PRODUCT":
        return float(min(max(dot(query, numbers), Fraction(-SCORE_MAX)), Fraction(SCORE_MAX)))
    if distance == "EUCLIDEAN":
        square = dot(query, query) - 2 * dot(query, numbers) + dot(numbers, numbers)
        return min(math.sqrt(square), SCORE_MAX)
    square = dot(query, query) * dot(numbers, numbers)
    return 1 - float(dot(query, numbers)) / math.sqrt(square) if square else 1.0


# The order is that of scores, then keys, whatever was put, replaced and removed before.
@given(st.sampled_from(DISTANCES), CHANGES, VECTORS, st.integers(1, 5), st.booleans())
def test_the_best_are_those_of_all_entries(distance, changes, query, top, is_filtered):
    group, kept = Group(index(distance)), {}
    for number, numbers, colour in changes:
        key = b"%d" % number
        if numbers is None:
            group.remove(key)
            kept.pop(key, None)
        else:
            group.put(key, entry(numbers, colour))
            kept[key] = (numbers, colour)
    required = {"colour": {"S": "red"}} if is_filtered else {}
    search = Search(distance, query_of(query), required, top)
    ranked = sorted(
        (-value if distance == "DOT_PRODUCT" else value, key)
        for key, (numbers, colour) in kept.items()
        if colour == "red" or not is_filtered
        for value in [score(distance, search.query, numbers)]
    )
    for numbers_package in (None, np):
        found = best(group, search, numbers_package)
        assert [each.key for each in found] == [key for _, key in ranked[:top]]
        assert [each.score for each in found] == [
            score(distance, search.query, kept[each.key][0]) for each in found
        ]


@given(st.sampled_from(DISTANCES), VECTORS, VECTORS)
def test_scores_are_exact(distance, query, numbers):
    found = score(distance, query_of(query), numbers)
    assert found == pytest.approx(expected(distance, query, numbers), rel=1e-12, abs=1e-12)


# Measured against the service: of a vector and itself, and of a vector without length.
@given(VECTORS.filter(any))
def test_scores_of_a_vector_and_itself_are_exact(numbers):
    assert score("COSINE", query_of(numbers), numbers) == 0
    assert score("EUCLIDEAN", query_of(numbers), numbers) == 0
    assert score("COSINE", query_of(numbers), [0.0, 0.0, 0.0]) == 1
    assert score("COSINE", query_of([0.0, 0.0, 0.0]), numbers) == 1


# Many entries that differ by less than numbers of 32 bits show: numpy must look at all of them.
@pytest.mark.parametrize("distance", DISTANCES)
def test_entries_that_hardly_differ_are_told_apart(distance):
    group, query = Group(index(distance, 100)), [1.0 + number / 1000 for number in range(100)]
    for number in range(500):
        numbers = [*query]
        numbers[number % 100] += (number % 7) * 2.0**-20
        group.put(b"%04d" % number, entry(numbers, None))
    search = Search(distance, query_of(query), {}, 20)
    assert best(group, search, np) == best(group, search, None)
