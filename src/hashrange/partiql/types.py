"""The types that IS can name, with the corresponding types of DynamoDB."""

from typing import Final

from hashrange.errors import invalid
from hashrange.messages.partiql import syntax as messages
from hashrange.partiql.tokens import Cursor, Kind

_NUMBER: Final = ("N",)
_STRING: Final = ("S",)
_TYPES: Final[dict[str, tuple[str, ...]]] = {
    "MISSING": (),
    "NULL": ("NULL",),
    "BOOL": ("BOOL",),
    "BOOLEAN": ("BOOL",),
    "BLOB": ("B",),
    "STRING": _STRING,
    "CHAR": _STRING,
    "CHARACTER": _STRING,
    "VARCHAR": _STRING,
    "SYMBOL": _STRING,
    "NUMERIC": _NUMBER,
    "DEC": _NUMBER,
    "DECIMAL": _NUMBER,
    "INT": _NUMBER,
    "INT2": _NUMBER,
    "INT4": _NUMBER,
    "INT8": _NUMBER,
    "INTEGER": _NUMBER,
    "INTEGER2": _NUMBER,
    "INTEGER4": _NUMBER,
    "INTEGER8": _NUMBER,
    "SMALLINT": _NUMBER,
    "BIGINT": _NUMBER,
    "FLOAT": _NUMBER,
    "REAL": _NUMBER,
    "DOUBLE": _NUMBER,
    "LIST": ("L",),
    "STRUCT": ("M",),
    "TUPLE": ("M",),
    "BAG": ("SS", "NS", "BS"),
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
