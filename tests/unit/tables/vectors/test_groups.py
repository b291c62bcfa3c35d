"""The candidates of a group: the best of brute force are among them, with and without numpy."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
import simsimd
from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.table import Index, KeyAttribute, Vector
from hashrange.tables.opened.vector_entries import as_binary
from hashrange.tables.vectors.groups import Group, Packages
from hashrange.tables.vectors.scores import SCORE_MAX, Search, query_of, rank, score

PACKAGES = (Packages(), Packages(np), Packages(np, simsimd))
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


def ranked(search, kept):
    """The keys of the best entries, in order, by the exact scores of all."""
    ranks = sorted(
        (rank(search.distance, score(search.distance, search.query, numbers)), key)
        for key, (numbers, colour) in kept.items()
        if not search.required or search.required["colour"]["S"] == colour
    )
    return [key for _, key in ranks[: search.top]]


def keys_of(group, search):
    return [each.key for each in group.candidates(search)]


# The order is that of scores, then keys, whatever was put, replaced and removed before.
@given(st.sampled_from(DISTANCES), CHANGES, VECTORS, st.integers(1, 5), st.booleans())
def test_the_best_are_those_of_all_entries(distance, changes, query, top, is_filtered):
    groups, kept = [Group(index(distance), each) for each in PACKAGES], {}
    for number, numbers, colour in changes:
        key = b"%d" % number
        for group in groups:
            if numbers is None:
                group.remove(key)
            else:
                group.put([(key, entry(numbers, colour))])
        if numbers is None:
            kept.pop(key, None)
        else:
            kept[key] = (numbers, colour)
    required = {"colour": {"S": "red"}} if is_filtered else {}
    search = Search(distance, query_of(query), required, top)
    found = [keys_of(group, search) for group in groups]
    for keys in found:
        assert set(ranked(search, kept)) <= set(keys) <= set(kept)
        assert keys == sorted(keys)
    assert found[1] == found[2]


# Several blocks, more candidates than are refined at once, and more numbers than one product has.
@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize(("count", "dimensions"), [(40_000, 2), (3_000, 6), (60, 2_500)])
def test_the_best_of_many_are_among_the_candidates(distance, count, dimensions):
    random = np.random.default_rng(count)
    numbers = (random.standard_normal((count, dimensions)) + 1).astype("f4")
    colours = [("red", "blue")[int(number > 0.9)] for number in random.random(count)]
    entries = [(b"%06d" % place, entry(row, colours[place])) for place, row in enumerate(numbers)]
    kept = {key: (row, colours[int(key)]) for (key, _), row in zip(entries, numbers, strict=True)}
    groups = [Group(index(distance, dimensions), each) for each in PACKAGES[1:]]
    for group in groups:
        for first in range(0, count, 1000):
            group.put(entries[first : first + 1000])
    query = query_of([float(number) for number in numbers[7] + numbers[8]])
    for colour in (None, "red", "blue"):
        required = {} if colour is None else {"colour": {"S": colour}}
        search = Search(distance, query, required, 10)
        found = [keys_of(group, search) for group in groups]
        assert set(ranked(search, kept)) <= set(found[0])
        assert found[0] == found[1]
        assert len(found[0]) < count / 2


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


# Many entries that differ by less than the bits that are kept: all of them are candidates.
@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("packages", PACKAGES, ids=["plain", "numpy", "simsimd"])
def test_entries_that_hardly_differ_are_told_apart(distance, packages):
    query, kept = [1.0 + number / 1000 for number in range(100)], {}
    group = Group(index(distance, 100), packages)
    for number in range(500):
        numbers = [*query]
        numbers[number % 100] += (number % 7) * 2.0**-20
        kept[b"%04d" % number] = (struct.unpack("<100f", struct.pack("<100f", *numbers)), None)
    group.put([(key, entry(numbers, None)) for key, (numbers, _) in kept.items()])
    search = Search(distance, query_of(query), {}, 20)
    assert set(ranked(search, kept)) <= set(keys_of(group, search))


# Of equal vectors, only as many as are wanted are read again.
@pytest.mark.parametrize("packages", PACKAGES, ids=["plain", "numpy", "simsimd"])
def test_of_equal_vectors_the_first_keys_are_candidates(packages):
    group = Group(index(), packages)
    group.put([(b"%04d" % number, entry([1, 2, 3], None)) for number in reversed(range(500))])
    search = Search("COSINE", query_of([3.0, 2.0, 1.0]), {}, 3)
    assert keys_of(group, search) == [b"0000", b"0001", b"0002"]
