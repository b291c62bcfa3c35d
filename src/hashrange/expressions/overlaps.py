"""Finds paths of one expression that overlap or conflict, in one pass over their elements."""

from collections.abc import Iterable

from hashrange.expressions.operands import Facts, path_text
from hashrange.expressions.syntax import Element, Path
from hashrange.messages.expressions import syntax as messages


class _Place:
    """A place in a document that paths lead to or through."""

    __slots__ = ("below", "end", "first", "first_of_kind")

    def __init__(self, first: Path) -> None:
        self.first = first
        """The first path that leads here or through here."""
        self.end: Path | None = None
        """The path that ends here."""
        self.below: dict[Element, _Place] = {}
        self.first_of_kind: dict[type, Path] = {}
        """The first path that continues here with a name (str), and with an index (int)."""


def check_overlaps(paths: Iterable[Path], facts: Facts) -> None:
    """Refuse a path that is a prefix of another, else two paths that need a map and a list.

    Takes time linear in the number of elements of all paths.

    Raises:
        DynamoError: the first pair that overlaps, else the first that conflicts.
    """
    roots: dict[Element, _Place] = {}
    conflict: tuple[Path, Path] | None = None
    for path in paths:
        below = roots
        place: _Place | None = None
        known = False
        for element in path.elements:
            if place is not None:
                conflict = conflict or _conflict(place, element, path)
            known = element in below
            place = below.setdefault(element, _Place(path))
            if place.end is not None:
                raise facts.refusal(_overlap(place.end, path))
            below = place.below
        assert place is not None, "a path has an element"
        if known:
            raise facts.refusal(_overlap(place.first, path))
        place.end = path
    if conflict is not None:
        one, two = conflict
        reason = messages.paths_conflict(path_text(one.elements), path_text(two.elements))
        raise facts.refusal(reason)


def _overlap(one: Path, two: Path) -> str:
    return messages.paths_overlap(path_text(one.elements), path_text(two.elements))


def _conflict(place: _Place, element: Element, path: Path) -> tuple[Path, Path] | None:
    """An earlier path that needs a list here where this one needs a map, or the reverse."""
    place.first_of_kind.setdefault(type(element), path)
    other = place.first_of_kind.get(str if isinstance(element, int) else int)
    return None if other is None else (other, path)
