"""The optional parameters of a method: a map from numbers to values."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from hashrange.dax.protocol.expressions import (
    Placeholders,
    condition_text,
    path_text,
    projection_paths,
    update_text,
)
from hashrange.errors import invalid
from hashrange.expressions.program import Sources, bind
from hashrange.messages.dax import parameter_unreadable
from hashrange.model.structures.members import INTEGER_MAX
from hashrange.model.wording import Wording
from hashrange.wire.cbor.reader import Tagged

_PROJECTION, _CONSISTENT, _UPDATE = 0, 2, 8
CAPACITY, CONDITION, METRICS, RETURN_VALUES = 3, 4, 6, 7
START_KEY, FILTER, INDEX_NAME = 9, 10, 11
LIMIT, FORWARD, SELECT, SEGMENT, SEGMENTS = 13, 14, 15, 16, 17
TOKEN: Final = 19
"""The numbers of parameters."""

_NONE: Final = "NONE"
_CHOICES: Final = {
    CAPACITY: (_NONE, "TOTAL", "INDEXES"),
    METRICS: (_NONE, "SIZE"),
    RETURN_VALUES: (_NONE, _NONE, "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"),
    SELECT: (
        _NONE,
        "ALL_ATTRIBUTES",
        "ALL_PROJECTED_ATTRIBUTES",
        "COUNT",
        "SPECIFIC_ATTRIBUTES",
    ),
}

Paths: TypeAlias = list[list[str | int]]


class Parameters:
    """The parameters of one call, with the placeholders of its expressions."""

    def __init__(self, sent: Any) -> None:
        if not isinstance(sent, Mapping | None):
            raise invalid(parameter_unreadable())
        self._sent: Mapping[Any, Any] = {} if sent is None else sent
        self.placeholders = Placeholders()

    @property
    def names(self) -> dict[str, str] | None:
        """ExpressionAttributeNames of the texts that were made until now."""
        return self.placeholders.names or None

    @property
    def values(self) -> dict[str, Any] | None:
        """ExpressionAttributeValues of them."""
        return self.placeholders.values or None

    def consistent(self) -> bool | None:
        """ConsistentRead: a bool or an integer."""
        value = self._sent.get(_CONSISTENT)
        return None if value is None else bool(value)

    def choice(self, number: int) -> str | None:
        """A parameter that is one of some words; None if it is not set, or NONE."""
        choices, value = _CHOICES[number], self.integer(number)
        if value is None:
            return None
        if not 0 <= value < len(choices):
            raise invalid(parameter_unreadable())
        return None if choices[value] is _NONE else choices[value]

    def condition(self, number: int = CONDITION) -> str | None:
        """A ConditionExpression or FilterExpression."""
        data = self.data(number)
        return None if data is None else condition_text(data, self.placeholders)

    def update(self) -> str | None:
        """UpdateExpression."""
        data = self.data(_UPDATE)
        return None if data is None else update_text(data, self.placeholders)

    def projection(self) -> tuple[str | None, Paths | None]:
        """ProjectionExpression, and its paths: see `projection_of`."""
        return projection_of(self.data(_PROJECTION), self.placeholders)

    def data(self, number: int) -> bytes | None:
        """A parameter of bytes."""
        value = self._sent.get(number)
        if value is None or isinstance(value, bytes):
            return value
        raise invalid(parameter_unreadable())

    def integer(self, number: int) -> int | None:
        """A parameter that is an integer of 32 bits."""
        value = self._sent.get(number)
        if value is None or (isinstance(value, int) and -INTEGER_MAX - 1 <= value <= INTEGER_MAX):
            return value
        raise invalid(parameter_unreadable())

    def text(self, number: int) -> str | None:
        """A parameter that is a text, or the bytes of one."""
        value = self._sent.get(number)
        return None if value is None else text_of(value)


def text_of(value: object) -> str:
    """A name that was sent as a text or as bytes."""
    if isinstance(value, str):
        return value
    try:
        return bytes_of(value).decode()
    except UnicodeDecodeError as error:
        raise invalid(parameter_unreadable()) from error


def bytes_of(value: object) -> bytes:
    """An argument that must be bytes."""
    if isinstance(value, bytes):
        return value
    raise invalid(parameter_unreadable())


def list_of(value: object) -> list[Any]:
    """An argument that must be an array; one client sends the array of a set of texts."""
    if isinstance(value, Tagged):
        value = value.item
    if isinstance(value, list):
        return value
    raise invalid(parameter_unreadable())


def mapping_of(value: object) -> dict[Any, Any]:
    """An argument that must be a map."""
    if isinstance(value, dict):
        return value
    raise invalid(parameter_unreadable())


def projection_of(
    data: bytes | None, placeholders: Placeholders
) -> tuple[str | None, Paths | None]:
    """The text of a projection for the operation, and its paths for the answer.

    An element of a list cannot be found in a projected item, where lists have no gaps: in its place
    the whole list is projected, once all paths have passed the checks.
    """
    if data is None:
        return None, None
    paths = projection_paths(data)
    if any(isinstance(element, int) for path in paths for element in path):
        checked = Placeholders()
        text = ", ".join([path_text(path, checked) for path in paths])
        bind(Sources(projection=text), checked.names, None, wording=Wording.CURRENT)
    texts = [path_text(_before_lists(path), placeholders) for path in paths]
    return ", ".join(dict.fromkeys(texts)), paths


def _before_lists(path: list[str | int]) -> list[str | int]:
    for position, element in enumerate(path):
        if isinstance(element, int):
            return path[:position]
    return path
