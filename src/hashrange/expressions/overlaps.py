"""Finds paths of one expression that overlap or conflict, in one pass over their elements."""

from collections.abc import Iterable

from hashrange.expressions.operands import Facts, path_text
from hashrange.expressions.syntax import Element, Path
from hashrange.messages import expressions as messages


class _Node:
    """A node in a document that paths lead to or through."""

    __slots__ = ("below", "end", "first", "first_of_kind")

    def __init__(self, first: Path) -> None:
        self.first = first
        """The first path that leads here or through here."""
        self.end: Path | None = None
        """The path that ends here."""
        self.below: dict[Element, _Node] = {}
        self.first_of_kind: dict[type, Path] = {}
        """The first path that continues here with a name (str), and with an index (int)."""


def check_overlaps(paths: Iterable[Path], facts: Facts) -> None:
    """Refuse a path that is a prefix of another, else two paths that need a map and a list.

    Takes time linear in the number of elements of all paths.

    Raises:
        DynamoError: the first pair that overlaps, else the first that conflicts.
    """
    roots: dict[Element, _Node] = {}
    conflict: tuple[Path, Path] | None = None
    for path in paths:
        below = roots
        node: _Node | None = None
        known = False
        for element in path.elements:
            if node is not None:
                conflict = conflict or _conflict(node, element, path)
            known = element in below
            node = below.setdefault(element, _Node(path))
            if node.end is not None:
                raise facts.refusal(_overlap(node.end, path))
            below = node.below
        assert node is not None, "a path has an element"
        if known:
            raise facts.refusal(_overlap(node.first, path))
        node.end = path
    if conflict is not None:
        one, two = conflict
        reason = messages.paths_conflict(path_text(one.elements), path_text(two.elements))
        raise facts.refusal(reason)


def _overlap(one: Path, two: Path) -> str:
    return messages.paths_overlap(path_text(one.elements), path_text(two.elements))


def _conflict(node: _Node, element: Element, path: Path) -> tuple[Path, Path] | None:
    """An earlier path that needs a list here where this one needs a map, or the reverse."""
    node.first_of_kind.setdefault(type(element), path)
    other = node.first_of_kind.get(str if isinstance(element, int) else int)
    return None if other is None else (other, path)
