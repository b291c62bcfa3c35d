"""Shapes of requests: the parts that two requests share if only their values differ.

Facts about a request that do not depend on values are computed once for a shape and cached. A shape
has every member of the request except those that its cache declares to carry values, so a member
that is added to a request type is part of the shape unless it is declared otherwise.
"""

from collections.abc import Callable, Hashable, Sequence
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.limits.requests import (
    EXPRESSION_SHAPE_CHARS_MAX,
    EXPRESSION_SHAPES_CHARS_MAX,
    EXPRESSION_SHAPES_MAX,
)
from hashrange.model.values import AttributeValue

V = TypeVar("V")

_NAMES: Final = "expression_attribute_names"
_ONE, _TWO = 1, 2


class ShapeCache(Generic[V]):
    """A cache of facts about the shapes of a request type.

    Nothing is cached for requests with legacy parameters, whose shapes are not hashable.

    Attributes:
        get: returns the facts about the shape of a request; None if they are not cached.

    Args:
        request: the request type.
        typed: one or two maps of attribute values; their names and types are in the shape.
        free: members that are not in the shape: they are checked for each request.
    """

    __slots__ = ("_cache", "_with_shape", "get")

    def __init__(
        self, request: type[msgspec.Struct], *, typed: Sequence[str], free: Sequence[str] = ()
    ) -> None:
        self._cache: BoundedCache[Hashable, V] = BoundedCache(
            entries_max=EXPRESSION_SHAPES_MAX,
            chars_max=EXPRESSION_SHAPES_CHARS_MAX,
            entry_chars_max=EXPRESSION_SHAPE_CHARS_MAX,
        )
        self._with_shape = _with_shape(request, typed, free, self._cache.get)
        self.get: Callable[[Any], V | None] = self._with_shape

    def __len__(self) -> int:
        return len(self._cache)

    def keep(self, request: object, facts: V) -> None:
        """Cache the facts about the shape of a request, if the shape is hashable."""
        shape = self._with_shape(request, tuple)
        try:
            self._cache.keep(shape, facts, chars_of(shape))
        except TypeError:
            return

    def clear(self) -> None:
        """Remove all shapes."""
        self._cache.clear()


def _with_shape(
    request: type[msgspec.Struct],
    typed: Sequence[str],
    free: Sequence[str],
    get: Callable[[Any], Any],
) -> Callable[..., Any]:
    """A function that calls `get`, or another function, with the shape of a request of the type.

    There is a function for one and for two typed values, since a loop over them would be slower.
    """
    carriers = {*typed, *free, _NAMES}
    others = attrgetter(*[each for each in request.__struct_fields__ if each not in carriers])
    maps = attrgetter(_NAMES, *typed)

    def with_one(sent: Any, use: Callable[[Any], Any] = get) -> Any:
        names, first = maps(sent)
        try:
            return use(
                (
                    others(sent),
                    names and tuple(names.items()),
                    first and (*first, *map(tuple, first.values())),
                )
            )
        except TypeError:
            return None

    def with_two(sent: Any, use: Callable[[Any], Any] = get) -> Any:
        names, first, second = maps(sent)
        try:
            return use(
                (
                    others(sent),
                    names and tuple(names.items()),
                    first and (*first, *map(tuple, first.values())),
                    second and (*second, *map(tuple, second.values())),
                )
            )
        except TypeError:
            return None

    return {_ONE: with_one, _TWO: with_two}[len(typed)]


def chars_of(shape: Any) -> int:
    """The characters of all texts in a shape, at any depth."""
    chars, rest = 0, [shape]
    while rest:
        each = rest.pop()
        if isinstance(each, str):
            chars += len(each)
        elif isinstance(each, tuple):
            rest.extend(each)
    return chars


def has_text_values(values: dict[str, AttributeValue]) -> bool:
    """Whether all values are strings, which are canonical as they are sent."""
    return set(map(tuple, values.values())) == {("S",)}
