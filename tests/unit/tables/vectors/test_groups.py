"""The candidates of a group: the best of brute force are among them, with and without numpy."""

import math
import struct
from concurrent.futures import Future, ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
import simsimd
from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.table import Index, KeyAttribute, Vector
from hashrange.tables.opened.vector_entries import as_binary
from hashrange.tables.vectors.groups import Group, Packages
from hashrange.tables.vectors.packed import PackedVectors
from hashrange.tables.vectors.scores import SCORE_MAX, Search, query_of, rank, score, scores

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
    return {
        "v": as_binary(packed(numbers)),
        **({} if colour is None else {"colour": {"S": colour}}),
    }


def packed(numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


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


def scales(random, count):
    """Lengths from the least number to the greatest."""
    return 10.0 ** random.uniform(-45, 38, (count, 1))


# What bytes keep badly, by rows of normal numbers: each is a part of them in place of all.
HARD = {
    "normal": lambda random, rows: rows,
    "alike": lambda random, rows: 1 + rows * 2.0**-20,
    "equal": lambda random, rows: rows[:1] + 0 * rows,
    "one great number": lambda random, rows: rows + 1e6 * (np.arange(rows.shape[1]) == 1),
    "one great number each": lambda random, rows: np.where(
        random.random(rows.shape) < 0.1, 1e30, rows
    ),
    "zeros": lambda random, rows: rows * (random.random((len(rows), 1)) < 0.1),
    "least numbers": lambda random, rows: rows * 1e-44,
    "greatest numbers": lambda random, rows: np.clip(rows, -1, 1) * SCORE_MAX,
    "all lengths": lambda random, rows: rows * scales(random, len(rows)),
}


# More vectors than are looked at before the others are compared with the best of them.
@given(
    st.sampled_from(DISTANCES),
    st.lists(st.sampled_from([*HARD]), min_size=1, max_size=2),
    st.sampled_from([*HARD]),
    st.integers(0, 2**32 - 1),
    st.integers(1, 20),
    st.none() | st.sampled_from([0.1, 0.5]),
)
def test_the_best_of_hard_vectors_are_among_the_candidates(
    distance, kinds, query_kind, seed, top, part
):
    random = np.random.default_rng(seed)
    dimensions = int(random.integers(2, 12))

    def made(kind, count):
        rows = HARD[kind](random, random.standard_normal((count, dimensions)))
        return np.clip(rows, -SCORE_MAX, SCORE_MAX).astype("f4")

    rows = random.permutation(np.concatenate([made(kind, 400) for kind in kinds for _ in range(2)]))
    colours = ["red" if part and each < part else None for each in random.random(len(rows))]
    keys = [b"%04d" % place for place in range(len(rows))]
    kept = {
        key: (row.tolist(), colour) for key, row, colour in zip(keys, rows, colours, strict=True)
    }
    groups = [Group(index(distance, dimensions), each) for each in PACKAGES[1:]]
    for group in groups:
        group.put([(key, entry(*each)) for key, each in kept.items()])
    required = {"colour": {"S": "red"}} if part else {}
    search = Search(distance, query_of(made(query_kind, 1)[0].tolist()), required, top)
    found = [keys_of(group, search) for group in groups]
    assert set(ranked(search, kept)) <= set(found[0])
    assert found[0] == found[1]


class Other:
    """Begins calls in another thread, before or after the first block of this one; or too late."""

    def __init__(self, when):
        self._when, self._pool, self.calls = when, ThreadPoolExecutor(1), 0

    def begin(self, call):
        self.calls += 1
        if self._when == "never":
            return Future()
        begun = self._pool.submit(call)
        if self._when == "before":
            begun.exception()  # it has ended
        return begun


# Two threads have the blocks of one scan, and rule out what one of them knows to be worse.
@given(
    st.sampled_from(DISTANCES),
    st.lists(st.sampled_from([*HARD]), min_size=1, max_size=2),
    st.integers(0, 2**32 - 1),
    st.integers(1, 20),
    st.none() | st.sampled_from([0.2, 0.6]),
    st.sampled_from(["before", "beside", "never"]),
)
def test_two_threads_find_the_candidates_of_one(distance, kinds, seed, top, part, when):
    random, other = np.random.default_rng(seed), Other(when)
    dimensions = int(random.integers(2, 12))
    rows = np.concatenate(
        [HARD[kind](random, random.standard_normal((700, dimensions))) for kind in kinds]
    )
    rows = random.permutation(np.clip(rows, -SCORE_MAX, SCORE_MAX).astype("f4"))
    search = Search(distance, query_of((rows[0] / 2 + rows[1] / 2).tolist()), {}, top)
    places = np.flatnonzero(random.random(len(rows)) < part) if part else None
    for simd in (None, simsimd):
        vectors = PackedVectors(dimensions, np, simd)
        vectors.put(range(len(rows)), [row.tobytes() for row in rows])
        alone = vectors.nearest(search, places)
        assert sorted(vectors.nearest(search, places, other.begin)) == sorted(alone)
    assert other.calls == 2


class Watched:
    """Numpy, and the names of all that is used of it."""

    def __init__(self):
        self.names = []

    def __getattr__(self, name):
        self.names.append(name)
        return getattr(np, name)


# Else so many are left that a few of them are looked at first.
def test_what_one_thread_knows_rules_out_the_vectors_of_the_other():
    rows = np.random.default_rng(57).standard_normal((6_000, 200)).astype("f4")
    search = Search("COSINE", query_of(rows[0].tolist()), {}, 10)
    watched = Watched()
    vectors = PackedVectors(200, watched, simsimd)
    vectors.put(range(len(rows)), [row.tobytes() for row in rows])
    assert 0 in vectors.nearest(search, None, Other("before").begin)
    assert "argpartition" not in watched.names


def test_a_fault_of_the_other_thread_is_raised():
    other, vectors = Other("before"), PackedVectors(2, np, None)
    vectors.put([0], [packed([1, 2])])

    def begin(call):
        return other.begin(lambda: call() or 1 / 0)

    with pytest.raises(ZeroDivisionError):
        vectors.nearest(Search("COSINE", query_of([1.0, 2.0]), {}, 1), None, begin)


FEW = [0.0038] * 99
"""Numbers that bytes do not have beside 1."""
FAR = -3e38
LATE = [
    *(
        (distance, [0.0, *[0.1] * 99], [0.97, 0.3, *[0.0] * 98], [1.0, *FEW])
        for distance in DISTANCES
    ),
    ("DOT_PRODUCT", [1.0, *FEW], [0.01, *[0.0] * 99], [0.0, *[0.1] * 99]),
    ("DOT_PRODUCT", [FAR, 1.0], [1e38, 0.0], [3e38, 0.0]),
    ("EUCLIDEAN", [FAR, FAR], [2e38, 2e38], [3e38, 3e38]),
]


# The vector or the query has lost what makes the last entry the best; or its rank is that of the
# others, as no score is greater, and its key is the first.
@pytest.mark.parametrize(("distance", "query", "others", "last"), LATE)
@pytest.mark.parametrize("packages", PACKAGES, ids=["plain", "numpy", "simsimd"])
def test_a_late_entry_is_found_whatever_rounding_took(packages, distance, query, others, last):
    group = Group(index(distance, len(query)), packages)
    group.put([(b"%04d" % place, entry(others, None)) for place in range(1, 500)])
    group.put([(b"0000", entry(last, None))])
    search = Search(distance, query_of(query), {}, 1)
    assert ranked(search, {b"0000": (last, None), b"0001": (others, None)}) == [b"0000"]
    assert b"0000" in keys_of(group, search)


@given(st.sampled_from(DISTANCES), VECTORS, VECTORS)
def test_scores_are_exact(distance, query, numbers):
    found = score(distance, query_of(query), numbers)
    assert found == pytest.approx(expected(distance, query, numbers), rel=1e-12, abs=1e-12)


@given(st.sampled_from(DISTANCES), VECTORS, st.lists(VECTORS, max_size=4))
def test_scores_of_numpy_are_those_without_it(distance, query, vectors):
    found = [
        list(scores(distance, query_of(query), [*map(packed, vectors)], each))
        for each in (np, None)
    ]
    assert found[0] == found[1]


@given(st.sampled_from(DISTANCES), st.integers(0, 2**32 - 1), st.integers(4, 300))
def test_scores_of_long_vectors_are_those_without_numpy(distance, seed, dimensions):
    random = np.random.default_rng(seed)
    rows = random.standard_normal((4, dimensions)) * 2.0 ** random.integers(
        -60, 60, (4, dimensions)
    )
    rows[3] = -rows[0] + rows[3] * 2.0**-20  # most of their sums cancel each other
    query, *vectors = rows.astype("f4")
    data = [vector.tobytes() for vector in vectors]
    found = [list(scores(distance, query_of(query.tolist()), data, each)) for each in (np, None)]
    assert found[0] == found[1]


# Behind half of the last bit stands a number that decides, beyond what a sum of 64 bits has.
def test_a_score_between_two_numbers_is_rounded_once():
    query, vector = query_of([1.0, 2.0**-50, 2.0**-100]), packed([1.0, 2.0**-3, 2.0**-10])
    assert list(scores("DOT_PRODUCT", query, [vector], np)) == [1 + 2.0**-52]


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


# A thread takes as long to begin as another one takes to scan some numbers.
@pytest.mark.parametrize(("count", "calls"), [(3_999, 0), (4_001, 1)])
def test_only_scans_of_many_numbers_have_a_second_thread(count, calls):
    group, other = Group(index(dimensions=1000), PACKAGES[2]), Other("beside")
    vector = entry([1.0] * 1000, "red")
    group.put([(b"%06d" % place, vector) for place in range(count)])
    search = Search("COSINE", query_of([1.0] * 1000), {}, 1)
    assert [each.key for each in group.candidates(search, other.begin)] == [b"000000"]
    assert other.calls == calls
    few = Search("COSINE", query_of([1.0] * 1000), {"colour": {"S": "blue"}}, 1)
    assert group.candidates(few, other.begin) == []
    assert other.calls == calls


# Of equal vectors, only as many as are wanted are read again.
@pytest.mark.parametrize("packages", PACKAGES, ids=["plain", "numpy", "simsimd"])
def test_of_equal_vectors_the_first_keys_are_candidates(packages):
    group = Group(index(), packages)
    group.put([(b"%04d" % number, entry([1, 2, 3], None)) for number in reversed(range(500))])
    search = Search("COSINE", query_of([3.0, 2.0, 1.0]), {}, 3)
    assert keys_of(group, search) == [b"0000", b"0001", b"0002"]
