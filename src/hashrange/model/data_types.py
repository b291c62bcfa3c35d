"""DynamoDB's data types, a row each: all that is known of a type without one of its values.

Modules that convert values have a table of functions by type: `sizes`, `canonical`,
`dax.protocol.values` for CBOR, `backups.exports.ion_text` and `backups.imports.ion_text` for Ion,
`tools.copying.item_lines` for JSON. They make the functions of sets from those of scalars with
`of_sets`. `tests/unit/model/test_data_types.py` converts a value of each type by each of them.

Source: API Reference, "AttributeValue"; Developer Guide, "Data types".
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from hashrange.model.binary import decoded
from hashrange.model.numbers import sort_key

Scalar = TypeVar("Scalar")
OfSet = TypeVar("OfSet")


class DataType(msgspec.Struct, frozen=True):
    """A data type.

    Attributes:
        code: its descriptor, the member of an attribute value.
        content: the type of its JSON.
        name: in texts about operands of updates, which never name a set.
        member: the type of the members of a set; empty for other types.
        order: the sort key of the JSON of a value, if values have an order: keys can be of such
            types. Python orders text by code point, as UTF-8 bytes do.
        has_size: `size()` has a value.
        tag: the CBOR tag of a set in the protocol of DAX.
        partiql: the names by which IS tests for it.
    """

    code: str
    content: type
    name: str = ""
    member: str = ""
    order: Callable[[str], Any] | None = None
    has_size: bool = False
    tag: int = 0
    partiql: tuple[str, ...] = ()


_STRINGS: Final = ("STRING", "CHAR", "CHARACTER", "VARCHAR", "SYMBOL")
_NUMBERS: Final = (
    *("NUMERIC", "DEC", "DECIMAL", "INT", "INT2", "INT4", "INT8", "INTEGER", "INTEGER2"),
    *("INTEGER4", "INTEGER8", "SMALLINT", "BIGINT", "FLOAT", "REAL", "DOUBLE"),
)
_SET: Final = ("BAG",)

_ROWS: Final = (
    DataType("S", str, "STRING", order=str, has_size=True, partiql=_STRINGS),
    DataType("N", str, "NUMBER", order=sort_key, partiql=_NUMBERS),
    DataType("B", str, "BINARY", order=decoded, has_size=True, partiql=("BLOB",)),
    DataType("BOOL", bool, "BOOL", partiql=("BOOL", "BOOLEAN")),
    DataType("NULL", bool, "NULL", partiql=("NULL",)),
    DataType("SS", list, member="S", has_size=True, tag=3321, partiql=_SET),
    DataType("NS", list, member="N", has_size=True, tag=3322, partiql=_SET),
    DataType("BS", list, member="B", has_size=True, tag=3323, partiql=_SET),
    DataType("L", list, "LIST", has_size=True, partiql=("LIST",)),
    DataType("M", dict, "MAP", has_size=True, partiql=("STRUCT", "TUPLE")),
)
DATA_TYPES: Final[Mapping[str, DataType]] = {each.code: each for each in _ROWS}
"""By code."""
ORDER_KEYS: Final = {each.code: each.order for each in _ROWS if each.order is not None}
"""The sort key of each ordered type."""
KEY_TYPES: Final = tuple(ORDER_KEYS)
"""The types that keys can be of."""
MEMBER_OF_SET: Final[Mapping[str, str]] = {each.code: each.member for each in _ROWS if each.member}
"""The type of the members of each type of sets."""
SETS: Final = frozenset(MEMBER_OF_SET)
MODEL_ORDER: Final = ("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL")
"""All types in the order of the API's model."""


def of_sets(
    scalars: Mapping[str, Scalar], make: Callable[[str, Scalar], OfSet]
) -> dict[str, OfSet]:
    """Functions by type of set; `make` gets its code, and the function of its members' type."""
    return {code: make(code, scalars[member]) for code, member in MEMBER_OF_SET.items()}
