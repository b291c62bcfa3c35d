"""The types that IS can name, with the corresponding types of DynamoDB."""

from collections.abc import Mapping
from typing import Final

from hashrange.errors import invalid
from hashrange.expressions.partiql.tokens import Cursor, Kind
from hashrange.messages import partiql as messages
from hashrange.model.data_types import DATA_TYPES

_TYPES: Final[Mapping[str, tuple[str, ...]]] = {
    "MISSING": (),
    **{
        name: tuple(code for code, other in DATA_TYPES.items() if name in other.partiql)
        for each in DATA_TYPES.values()
        for name in each.partiql
    },
}
_SECOND_WORDS: Final = {"DOUBLE": "PRECISION", "CHARACTER": "VARYING"}
_WORDS: Final = frozenset({Kind.NAME, Kind.KEYWORD})


def type_named(cursor: Cursor) -> tuple[str, ...]:
    """Parse the name of a type: its types in DynamoDB, none for MISSING.

    Raises ValidationException: no name of a type comes next.
    """
    token = cursor.token
    name = token.value.upper()
    if token.kind not in _WORDS or name not in _TYPES:
        raise invalid(messages.expected_type_name())
    cursor.advance()
    second = _SECOND_WORDS.get(name)
    if second is not None and not cursor.take(second) and name == "DOUBLE":
        raise invalid(messages.expected_type_name())
    return _TYPES[name]
