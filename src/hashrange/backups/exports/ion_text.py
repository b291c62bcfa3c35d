"""Items as text of Amazon Ion, in the form of the service's exports. Pure.

Source: Developer Guide, "DynamoDB table export output format"; the specification of Ion 1.0.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from hashrange.model.data_types import of_sets
from hashrange.model.values import AttributeValue, Item

VERSION: Final = "$ion_1_0 "
"""Before each line."""
_KEYWORDS: Final = frozenset({"false", "nan", "null", "true"})
_is_identifier: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*").fullmatch
_is_symbol_id: Final = re.compile(r"\$[0-9]+").fullmatch
_is_plain: Final = re.compile(r'[^\x00-\x1f"\\\x7f-\x9f]*').fullmatch


def struct(fields: Mapping[str, str]) -> str:
    """A struct of fields whose values are Ion already."""
    return "{" + ",".join(f"{symbol(name)}:{value}" for name, value in fields.items()) + "}"


def item_text(item: Item) -> str:
    """The struct of an item."""
    return struct({name: value_text(value) for name, value in item.items()})


def symbol(name: str) -> str:
    """The name of a field, in quotes unless it is an identifier."""
    if _is_identifier(name) and name not in _KEYWORDS and not _is_symbol_id(name):
        return name
    return f"'{_escaped(name, chr(39))}'"


def value_text(value: AttributeValue) -> str:
    """The value of an attribute."""
    ((kind, content),) = value.items()
    return _WRITERS[kind](content)


def number_text(number: str) -> str:
    """A canonical number as a decimal without trailing zeros: `103.`, `6d2`, `1.5`."""
    if "E" in number:
        mantissa, _, exponent = number.partition("E")
        whole, _, fraction = mantissa.partition(".")
        return _decimal(whole + fraction, int(exponent) - len(fraction))
    if "." in number:
        return number
    return _decimal(number, 0)


def _decimal(digits: str, exponent: int) -> str:
    shown = digits.rstrip("0")
    if shown in {"", "-"}:
        return "0."
    exponent += len(digits) - len(shown)
    return f"{shown}d{exponent}" if exponent else f"{shown}."


def text(content: str) -> str:
    """A string."""
    return f'"{content}"' if _is_plain(content) else f'"{_escaped(content, chr(34))}"'


def _escaped(content: str, quote: str) -> str:
    """Characters that need it are escaped as JSON does, which Ion reads but for C1 controls."""
    shown = json.dumps(content, ensure_ascii=False)[1:-1].replace('\\"', '"')
    shown = shown.replace(quote, f"\\{quote}")
    return "".join(f"\\x{ord(each):02x}" if "\x7f" <= each <= "\x9f" else each for each in shown)


def _list(content: list[AttributeValue]) -> str:
    return "[" + ",".join(map(value_text, content)) + "]"


def _set(kind: str, write: Callable[[str], str]) -> Callable[[list[str]], str]:
    return lambda content: f"$dynamodb_{kind}::[" + ",".join(map(write, content)) + "]"


def _blob(content: str) -> str:
    return "{{" + content + "}}"


_SCALARS: Final = {"S": text, "N": number_text, "B": _blob}
_WRITERS: Final[Mapping[str, Callable[[Any], str]]] = {
    **_SCALARS,
    **of_sets(_SCALARS, _set),
    "BOOL": lambda content: "true" if content else "false",
    "NULL": lambda _: "null",
    "M": item_text,
    "L": _list,
}
