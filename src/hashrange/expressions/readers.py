"""Compiles operands into functions that read a value from an item or from the constants.

A compiled operand returns None if the item has no such value.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, assert_never

import msgspec

from hashrange.expressions.operands import Constants
from hashrange.expressions.syntax import Call, Constant, Element, Operand, Path, Undefined
from hashrange.model.binary import binary_bytes
from hashrange.model.data_types import DATA_TYPES

Document: TypeAlias = Mapping[str, Any]
"""An item, or the members of a map in it, typed loosely for compiled code."""

Read: TypeAlias = Callable[[Document, Constants], Any]
"""Returns the value of an operand, None if there is none."""


class Derivations(msgspec.Struct):
    """Values that compiled code derives from constants, such as sort keys, once for each request.

    Attributes:
        kinds: the types of the constants.
        found: the position of a constant, and the function of its content; each pair once.
    """

    kinds: Sequence[str]
    found: list[tuple[int, Callable[[Any], object]]] = msgspec.field(default_factory=list)

    def position(self, constant: int, derive: Callable[[Any], object]) -> int:
        """The position that `derive(content of the constant)` will have among the constants."""
        derivation = (constant, derive)
        if derivation not in self.found:
            self.found.append(derivation)
        return len(self.kinds) + self.found.index(derivation)

    def extend(self) -> Callable[[Constants], Constants] | None:
        """A function that appends the derived values to the constants; None if there are none."""
        if not self.found:
            return None
        derivations = [(position, self.kinds[position], derive) for position, derive in self.found]

        def extended(constants: Constants) -> Constants:
            return (
                *constants,
                *[derive(constants[position][kind]) for position, kind, derive in derivations],
            )

        return extended


def read(operand: Operand) -> Read:
    """Compile an operand of a condition or an update; `size` is the only function among them."""
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
    """Compile a document path, whose first element is the name of an attribute."""
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
    **{code: len for code, kind in DATA_TYPES.items() if kind.has_size},
    "S": _utf16_units,
    "B": binary_bytes,
}
"""The function that computes size() for each type that has a size."""
