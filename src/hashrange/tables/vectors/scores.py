"""Scores of vectors, exact: the order in which numbers are summed cannot change them. Pure.

The product of two 32-bit numbers is exact in 64 bits, and `fsum` rounds the exact sum once.
"""

from collections.abc import Callable, Mapping, Sequence
from math import fsum, sqrt
from operator import mul
from typing import Final

import msgspec

from hashrange.model.table import DistanceFunction
from hashrange.model.values import AttributeValue

SCORE_MAX: Final = 3.4028234663852886e38
"""The greatest 32-bit number, which no score exceeds."""
_COSINE_MAX: Final = 2.0


class Query(msgspec.Struct, frozen=True):
    """A vector that is searched for: its numbers, of 32 bits, and the sum of their squares."""

    numbers: Sequence[float]
    square: float


def query_of(numbers: Sequence[float]) -> Query:
    """A query from its numbers."""
    return Query(numbers, fsum(map(mul, numbers, numbers)))


class Search(msgspec.Struct, frozen=True):
    """A query, the values that filter attributes must have, and how many entries are wanted."""

    distance: DistanceFunction
    query: Query
    required: Mapping[str, AttributeValue]
    top: int


def _cosine(query: Query, vector: Sequence[float]) -> float:
    square = fsum(map(mul, vector, vector))
    if not query.square or not square:
        return 1.0
    dot = fsum(map(mul, query.numbers, vector))
    # The root of the product is the square itself for two equal vectors.
    return min(max(1.0 - dot / sqrt(query.square * square), 0.0), _COSINE_MAX)


def _dot_product(query: Query, vector: Sequence[float]) -> float:
    return min(max(fsum(map(mul, query.numbers, vector)), -SCORE_MAX), SCORE_MAX)


def _euclidean(query: Query, vector: Sequence[float]) -> float:
    differences = [one - other for one, other in zip(query.numbers, vector, strict=True)]
    return min(sqrt(fsum(map(mul, differences, differences))), SCORE_MAX)


_SCORES: Final[Mapping[DistanceFunction, Callable[[Query, Sequence[float]], float]]] = {
    "COSINE": _cosine,
    "DOT_PRODUCT": _dot_product,
    "EUCLIDEAN": _euclidean,
}


def score(distance: DistanceFunction, query: Query, vector: Sequence[float]) -> float:
    """The score of a vector."""
    return _SCORES[distance](query, vector)


def rank(distance: DistanceFunction, found: float) -> float:
    """A number that is less for a better score."""
    return -found if distance == "DOT_PRODUCT" else found
