"""The best entries of a group for a query: exact, and the same with and without numpy.

numpy computes all scores in 32 bits, with a bound of their errors. Only entries that can be among
the best are scored exactly, and their order decides; equal scores are in the order of keys.
"""

from array import array
from collections.abc import Mapping
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Final

import msgspec

from hashrange.model.table import DistanceFunction
from hashrange.model.values import AttributeValue
from hashrange.optional_packages import MissingPackageError, imported
from hashrange.tables.vectors.groups import Group, code_of
from hashrange.tables.vectors.scores import SCORE_MAX, Query, rank, score

if TYPE_CHECKING:
    from types import ModuleType

_ROUNDING: Final = 2.0**-24
"""The relative error of one operation in 32 bits."""
_UNDERFLOW: Final = 2.0**-125
"""The absolute error of one product in 32 bits, twice the least number."""
_ROUNDING_64: Final = 2.0**-40
"""More than the relative errors of sums in 64 bits, of up to 4,096 numbers."""
_SQUARES_AT_ONCE: Final = 4096
"""Our own: vectors that are in 64 bits at one time."""
_NORM_MAX: Final = 1e18
"""Products of longer vectors may exceed 32 bits."""


class Found(msgspec.Struct, frozen=True):
    """An entry: the end of its key, its score, and the vector that has this score."""

    key: bytes
    score: float
    vector: bytes


class Search(msgspec.Struct, frozen=True):
    """A query, the values that filter attributes must have, and how many entries are wanted."""

    distance: DistanceFunction
    query: Query
    required: Mapping[str, AttributeValue]
    top: int


def numpy() -> "ModuleType | None":
    """The module; None if it is not installed."""
    try:
        return imported("numpy", "numpy>=1.26", "Fast searches of vectors need numpy")
    except MissingPackageError:
        return None


def best(group: Group, search: Search, np: "ModuleType | None") -> list[Found]:
    """The best entries, best first.

    Args:
        group: the entries.
        search: what is searched for.
        np: numpy, if it is installed.
    """
    if not group.keys:
        return []
    places = group.matching(search.required) if np is None else _candidates(group, search, np)
    scores: dict[bytes, float] = {}
    found: list[tuple[float, bytes, int]] = []
    for place in places:
        data = group.vector(place)
        if data not in scores:
            numbers = array("f", data)
            scores[data] = score(search.distance, search.query, numbers)
        found.append((rank(search.distance, scores[data]), group.keys[place], place))
    return [
        Found(key, scores[group.vector(place)], group.vector(place))
        for _, key, place in nsmallest(search.top, found)
    ]


def _candidates(group: Group, search: Search, np: Any) -> list[int]:
    """The places of all entries that can be among the best."""
    count = len(group.keys)
    matrix = np.frombuffer(group.vectors, dtype="<f4").reshape(count, group.dimensions)
    squares = _squares(group, matrix, np)
    places = np.arange(count)
    if search.required:
        places = _matching(group, search, np)
        matrix, squares = matrix[places], squares[places]
    if len(places) <= search.top:
        return [int(place) for place in places]
    ranks, errors = _approximate(matrix, squares, search, np)
    most = np.partition(ranks + errors, search.top - 1)[search.top - 1]
    return [int(place) for place in places[ranks - errors <= most]]


def _matching(group: Group, search: Search, np: Any) -> Any:
    mask = np.ones(len(group.keys), dtype=bool)
    for name, value in search.required.items():
        mask &= np.frombuffer(group.codes[name], dtype="q") == code_of(value)
    return np.flatnonzero(mask)


def _squares(group: Group, matrix: Any, np: Any) -> Any:
    """The sums of the squares of all vectors; those that are not known yet are computed."""
    squares = np.frombuffer(group.squares, dtype="f8")
    unknown = np.flatnonzero(np.isnan(squares))
    for first in range(0, len(unknown), _SQUARES_AT_ONCE):
        places = unknown[first : first + _SQUARES_AT_ONCE]
        rows = matrix[places].astype("f8")
        squares[places] = np.einsum("ij,ij->i", rows, rows)
    return squares


def _approximate(matrix: Any, squares: Any, search: Search, np: Any) -> tuple[Any, Any]:
    """The ranks of vectors, and bounds of their errors."""
    query = np.asarray(search.query.numbers, dtype="<f4")
    norms, norm, size = np.sqrt(squares), search.query.square**0.5, len(query)
    if norm * float(norms.max()) < _NORM_MAX and norm < _NORM_MAX:
        dots = (matrix @ query).astype("f8")
        relative, absolute = 2 * size * _ROUNDING, size * _UNDERFLOW
    else:
        dots = matrix.astype("f8") @ query.astype("f8")
        relative, absolute = _ROUNDING_64, 0.0
    errors = relative * norms * norm + absolute
    if search.distance == "DOT_PRODUCT":
        return -np.clip(dots, -SCORE_MAX, SCORE_MAX), errors
    if search.distance == "EUCLIDEAN":
        both = squares + search.query.square
        return np.clip(both - 2 * dots, 0.0, SCORE_MAX**2), 2 * errors + both * _ROUNDING_64
    lengths = norms * norm
    with np.errstate(divide="ignore", invalid="ignore"):
        ranks = np.where(lengths > 0, np.clip(1 - dots / lengths, 0.0, 2.0), 1.0)
        errors = np.where(lengths > 0, errors / lengths, 0.0)
    return ranks, errors + _ROUNDING_64
