"""The vectors of a group in 16 bits a number, for numpy.

A vector is kept as whole numbers of steps: its greatest number has 32,639 of them. The upper bytes
of all vectors are one matrix, the lower bytes another. A search reads the upper matrix only: its
products with the query, rounded to bytes, are exact whole numbers. What rounding can have changed
is bounded for each vector, so each entry has a least and a greatest rank. An entry whose least rank
is above the greatest ranks of enough others cannot be among the best. The lower bytes narrow the
ranks of those that remain.

simsimd computes the products where it is installed. Numpy's are the same numbers.

Two threads share the blocks of a scan, and the bound that rules out vectors. Which of them scans a
block changes which vectors are compared exactly, and no answer.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Any, Final, TypeAlias

from hashrange.tables.vectors.scores import SCORE_MAX, Search

_BYTE_MAX: Final = 127
_BYTE_STEPS: Final = 256
_STEPS_MAX: Final = _BYTE_MAX * _BYTE_STEPS + _BYTE_MAX
_ROUNDING: Final = 2.0**-38
"""More than the relative errors of some sums in 64 bits, each of up to 4,096 numbers."""
_LEAST: Final = 5e-324
"""In place of 0 as a divisor; no other product of two lengths is as small."""
_BLOCK_ROWS: Final = 16_384
_FIRST_ROWS: Final = 256
_GROWTH: Final = 4
"""A few vectors show what the best of the others must reach."""
_PRODUCT_ROWS: Final = 512
_PRODUCT_NUMBERS: Final = 1024
"""So many products of two bytes have sums that are exact in 32-bit floats."""
_REFINED_ROWS: Final = 2048
_FREE_PART: Final = 8
"""A full matrix grows by an eighth."""
_SPARSE: Final = 4
"""Fewer than a quarter of all rows are copied before they are multiplied."""

Beside: TypeAlias = Callable[[Callable[[], None]], "Future[None]"]
"""Begins a call in another thread."""


class PackedVectors:
    """Vectors by their places; the methods are those of `PlainVectors`.

    Args:
        dimensions: of the vectors.
        np: numpy.
        simd: simsimd, if it is installed.
    """

    numbers_inline_max: Final = 1_000_000
    """So many numbers are searched in about the time that a thread takes to begin."""
    numbers_alone_max: Final = 4_000_000
    """More are searched by two threads: one has to pay for its begin."""

    def __init__(self, dimensions: int, np: Any, simd: Any) -> None:
        self.dimensions = dimensions
        self._np, self._simd = np, simd
        self._upper = np.empty((0, dimensions), dtype="i1")
        self._lower = np.empty((0, dimensions), dtype="i1")
        self._steps, self._norms, self._errors = (np.empty(0) for _ in range(3))
        self._count = 0

    @property
    def memory_bytes(self) -> int:
        """Of all vectors."""
        return sum(each.nbytes for each in self._arrays())

    def _arrays(self) -> Sequence[Any]:
        return (self._upper, self._lower, self._steps, self._norms, self._errors)

    def _set(self, arrays: Sequence[Any]) -> None:
        self._upper, self._lower, self._steps, self._norms, self._errors = arrays

    def columns(self) -> Sequence[Any]:
        """All vectors, for a file."""
        return [each[: self._count] for each in self._arrays()]

    def fill(self, columns: Sequence[memoryview]) -> None:
        """Take the vectors of other `columns` in place of those that are here."""
        pairs = zip(columns, self._arrays(), strict=True)
        arrays = [self._np.frombuffer(column, dtype=each.dtype) for column, each in pairs]
        self._set([*(each.reshape(-1, self.dimensions) for each in arrays[:2]), *arrays[2:]])
        self._count = len(self._steps)

    def put(self, places: Sequence[int], vectors: Sequence[bytes]) -> None:
        """Set the vectors of distinct places, which may continue those that are used."""
        np = self._np
        self._count = max(self._count, max(places) + 1)
        if self._count > len(self._steps):
            rows = self._count + self._count // _FREE_PART
            if not self._steps.flags.owndata:  # they are parts of a file's bytes
                self._set([each.copy() for each in self._arrays()])
            for each in self._arrays():
                each.resize((rows, *each.shape[1:]), refcheck=False)
        data = np.frombuffer(b"".join(vectors), dtype="<f4")
        numbers = data.reshape(len(places), -1).astype("f8")
        steps = np.abs(numbers).max(axis=1) / _STEPS_MAX
        steps[steps == 0] = 1.0
        whole = np.rint(numbers / steps[:, None])
        upper = np.floor((whole + _BYTE_STEPS // 2) / _BYTE_STEPS)
        self._upper[places] = upper
        self._lower[places] = whole - upper * _BYTE_STEPS
        self._steps[places] = steps
        self._norms[places] = _lengths(numbers, np)
        self._errors[places] = _lengths(numbers - upper * (_BYTE_STEPS * steps[:, None]), np)

    def move_last(self, place: int) -> None:
        """Move the vector of the last place to another one, and forget the last place."""
        self._count -= 1
        if place != self._count:
            for each in self._arrays():
                each[place] = each[self._count]

    def nearest(self, search: Search, places: Any, beside: Beside | None = None) -> list[int]:
        """The places of all vectors that can be among the best.

        Args:
            search: what is searched for.
            places: where to search, in ascending order; None for all.
            beside: begins what another thread can do; None for no other.
        """
        places, lows, most = self._scanned(search, places, beside)
        if len(places) > _REFINED_ROWS:
            # A few of the best show at once that many others are none.
            few = self._np.argpartition(lows, _REFINED_ROWS)[:_REFINED_ROWS]
            _, few_most = self._refined(search, places[few])
            is_kept = lows <= min(most, few_most)
            places = places[is_kept]
        lows, most = self._refined(search, places)
        return [int(place) for place in places[lows <= most]]

    def _scanned(
        self, search: Search, places: Any, beside: Beside | None
    ) -> tuple[Any, Any, float]:
        """Places by the upper bytes, their least ranks, and a rank that the best do not exceed."""
        np, query = self._np, self._np.asarray(search.query.numbers, dtype="f8")
        step = float(np.abs(query).max()) / _BYTE_MAX or 1.0
        whole = np.rint(query / step).astype("i1")
        norm, lost = search.query.square**0.5, float(_lengths((query - whole * step)[None], np)[0])
        step *= _BYTE_STEPS
        sparse = places is not None and len(places) * _SPARSE < self._count
        count = len(places) if sparse else self._count
        found = [(np.empty(0, dtype="q"), np.empty(0))]
        best, take = _Best(search.top, np), _taker(count)

        def scan() -> None:
            for start, end in iter(take, None):
                if sparse:
                    at = places[start:end]
                    products = self._product(self._upper[at], whole)
                else:
                    at, products = self._products(start, end, places, whole)
                dots, errors, norms = products * self._steps[at], self._errors[at], self._norms[at]
                block = dots, errors, norms
                near = np.flatnonzero(_near(search, best.last, (norm, lost, step), block))
                norms = norms[near]
                errors = errors[near] * (norm + lost) + norms * (lost + _ROUNDING * norm)
                lows, highs = _ranks(search, (dots[near] * step, errors, norms), np)
                best.add(highs)
                found.append((near + start if isinstance(at, slice) else at[near], lows))

        other = None if beside is None else beside(scan)
        try:
            scan()
        finally:
            if other is not None and not other.cancel():  # else it has not begun
                other.result()
        kept, lows = (np.concatenate(each) for each in zip(*found, strict=True))
        is_kept = lows <= best.last
        return kept[is_kept], lows[is_kept], best.last

    def _products(self, start: int, end: int, places: Any, whole: Any) -> tuple[Any, Any]:
        """The places of a block, and the products of their upper bytes with the query's."""
        block = slice(start, end)
        products = self._product(self._upper[block], whole)
        if places is None:
            return block, products
        first, last = self._np.searchsorted(places, (start, end))
        some = places[first:last]
        return some, products[some - start]

    def _product(self, rows: Any, whole: Any) -> Any:
        np = self._np
        if self._simd is not None and len(rows):
            return np.asarray(self._simd.cdist(whole[None], rows, "dot"), dtype="f8")[0]
        products, floats = np.zeros(len(rows)), whole.astype("f4")
        for first in range(0, len(rows), _PRODUCT_ROWS):
            part = rows[first : first + _PRODUCT_ROWS].astype("f4")
            for column in range(0, len(whole), _PRODUCT_NUMBERS):
                columns = slice(column, column + _PRODUCT_NUMBERS)
                products[first : first + _PRODUCT_ROWS] += part[:, columns] @ floats[columns]
        return products

    def _refined(self, search: Search, places: Any) -> tuple[Any, float]:
        """Least ranks by both bytes, and a rank that the best do not exceed."""
        np, query = self._np, self._np.asarray(search.query.numbers, dtype="f8")
        norm, half = search.query.square**0.5, len(query) ** 0.5 / 2
        lows_found, best = [np.empty(0)], _Best(search.top, np)
        for first in range(0, len(places), _REFINED_ROWS):
            at = places[first : first + _REFINED_ROWS]
            whole = self._upper[at].astype("f8") * _BYTE_STEPS + self._lower[at]
            steps, norms = self._steps[at], self._norms[at]
            errors = (steps * half + norms * _ROUNDING) * norm
            lows, highs = _ranks(search, (whole @ query * steps, errors, norms), np)
            best.add(highs)
            lows_found.append(lows)
        return np.concatenate(lows_found), best.last


def _near(search: Search, most: float, query: Any, vectors: Any) -> Any:
    """A mask of the vectors whose least ranks are up to `most`, and of hardly any other.

    Each condition is that of `_ranks`, solved for the products: a few sums for each vector.

    Args:
        search: what is searched for.
        most: the rank.
        query: its length, what rounding took from it, and its step.
        vectors: products of their upper bytes with the query in steps of the vectors; what
            rounding took from them; and their lengths.
    """
    (norm, lost, step), (dots, errors, norms) = query, vectors
    if most >= (SCORE_MAX if search.distance == "DOT_PRODUCT" else SCORE_MAX**2):
        return norms >= 0  # all: ranks beyond these are one rank
    square, part = search.query.square, 1 - _ROUNDING
    of_norms, least = lost + _ROUNDING * norm, -most
    if search.distance == "COSINE":
        of_norms, least = of_norms - (part - most) * norm, 0.0
    elif search.distance == "EUCLIDEAN":
        least = (square * part - most) / 2
    reach = errors * ((norm + lost) / step)
    reach += dots
    reach += norms * (of_norms / step)
    if search.distance == "EUCLIDEAN":
        reach -= norms * norms * (part / 2 / step)
    return reach >= least / step


def _ranks(search: Search, vectors: Any, np: Any) -> tuple[Any, Any]:
    """The least and the greatest ranks that vectors can have.

    Args:
        search: what is searched for.
        vectors: about their products with the query; bounds of the errors of these; and their
            lengths.
        np: numpy.
    """
    dots, errors, norms = vectors
    if search.distance == "DOT_PRODUCT":
        # Greater scores are one score, SCORE_MAX; so are lesser ones.
        return np.minimum(-dots - errors, SCORE_MAX), np.maximum(-dots + errors, -SCORE_MAX)
    if search.distance == "EUCLIDEAN":
        both = norms * norms + search.query.square
        ranks, errors = both - 2 * dots, 2 * errors + both * _ROUNDING
        return np.minimum(ranks - errors, SCORE_MAX**2), ranks + errors
    lengths = np.maximum(norms * search.query.square**0.5, _LEAST)
    ranks, errors = 1 - dots / lengths, errors / lengths + _ROUNDING
    return ranks - errors, ranks + errors


def _lengths(rows: Any, np: Any) -> Any:
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))


class _Best:
    """The best ranks of those that threads add, and the last of them: no other can matter.

    `last` is infinity while there are not enough.
    """

    __slots__ = ("_lock", "_np", "_ranks", "_top", "last")

    def __init__(self, top: int, np: Any) -> None:
        self._top, self._np, self._ranks, self._lock = top, np, np.empty(0), Lock()
        self.last = float("inf")

    def add(self, ranks: Any) -> None:
        """Add ranks."""
        with self._lock:
            self._ranks = self._np.concatenate([self._ranks, ranks])
            if len(self._ranks) >= self._top:
                self._ranks = self._np.partition(self._ranks, self._top - 1)[: self._top]
                self.last = float(self._ranks.max())


def _taker(count: int) -> Callable[[], tuple[int, int] | None]:
    """Takes the start and the end of the next block of `count` vectors, for any thread."""
    starts, rows, lock = [0], _FIRST_ROWS, Lock()
    while starts[-1] + rows < count:
        starts.append(starts[-1] + rows)
        rows = min(rows * _GROWTH, _BLOCK_ROWS)
    blocks = zip(starts, [*starts[1:], count], strict=True)

    def take() -> tuple[int, int] | None:
        with lock:
            return next(blocks, None)

    return take
