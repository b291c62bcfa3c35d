"""Operands compiled: functions that read a value out of an item, or of the request's constants.

A compiled operand answers None where the item has nothing; None is no value of DynamoDB's.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, assert_never

from hashrange.expressions.operands import Constants
from hashrange.expressions.syntax import Call, Constant, Element, Operand, Path, Undefined
from hashrange.model.binary import binary_bytes

Document: TypeAlias = Mapping[str, Any]
"""An item, or the members of a map in it; walked without looking at the types of its values."""

Read: TypeAlias = Callable[[Document, Constants], Any]
"""The value of an operand in an item, None if there is none."""


class Derivations:
    """What compiled code wants to know of constants, computed once for each request.

    Args:
        kinds: the types of the constants.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self.kinds = kinds
        self._made: list[tuple[int, Callable[[Any], object]]] = []

    def position(self, constant: int, derive: Callable[[Any], object]) -> int:
        """Where `derive(content of the constant)` will stand among the constants."""
        made = (constant, derive)
        if made not in self._made:
            self._made.append(made)
        return len(self.kinds) + self._made.index(made)

    def extend(self) -> Callable[[Constants], Constants] | None:
        """Appends what is derived to the constants of a request; None if nothing is."""
        if not self._made:
            return None
        made = [(position, self.kinds[position], derive) for position, derive in self._made]

        def extended(constants: Constants) -> Constants:
            return (
                *constants,
                *[derive(constants[position][kind]) for position, kind, derive in made],
            )

        return extended


def read(operand: Operand) -> Read:
    """An operand of a condition or an update; of functions only size has a value in both."""
    match operand:
        case Path(elements):
            return read_path(elements)
        case Constant(position):
            return lambda _, constants: constants[position]
        case Call("size", (measured,)):
            return _read_size(read(measured))
        case Call() | Undefined():
            raise AssertionError("refused by the checks")
        case _:
            assert_never(operand)


def read_path(elements: tuple[Element, ...]) -> Read:
    """A document path."""
    name, *below = elements
    assert isinstance(name, str), "a path begins with a name"
    if not below:
        return lambda item, _: item.get(name)
    steps = [_member(element) for element in below]

    def reads(item: Document, _: Constants) -> Any:
        value = item.get(name)
        for step in steps:
            if value is None:
                return None
            value = step(value)
        return value

    return reads


def _member(element: Element) -> Callable[[Any], Any]:
    """The value at an element of a path, None if there is none."""
    if isinstance(element, str):
        return lambda value: value["M"].get(element) if "M" in value else None
    return lambda value: value["L"][element] if element < len(value.get("L", ())) else None


def _read_size(measured: Read) -> Read:
    def reads(item: Document, constants: Constants) -> Any:
        value = measured(item, constants)
        if value is None:
            return None
        ((kind, content),) = value.items()
        size = _SIZES.get(kind)
        return None if size is None else {"N": str(size(content))}

    return reads


def _utf16_units(text: str) -> int:
    """Half of the bytes in UTF-16: characters beyond U+FFFF count twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


_SIZES: Final[dict[str, Callable[[Any], int]]] = {
    "S": _utf16_units,
    "B": binary_bytes,
    "SS": len,
    "NS": len,
    "BS": len,
    "L": len,
    "M": len,
}
"""What size() counts in each type that has a size."""
