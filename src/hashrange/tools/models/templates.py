"""Templates of values: `CUSTOMER#{customerId}`, `{year:04}`. Pure."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

_PLACEHOLDER: Final = re.compile(r"\{([^{}:]+)(?::0?(\d{1,3}))?\}")


class Slot(msgspec.Struct, frozen=True):
    """A placeholder of a template.

    Attributes:
        name: the attribute.
        width: characters to which the value is padded with zeros; 0 for none.
    """

    name: str
    width: int = 0


@lru_cache(1024)
def parts_of(template: str) -> tuple[str | Slot, ...]:
    """The constant texts and the placeholders of a template, in order."""
    parts: list[str | Slot] = []
    end = 0
    for match in _PLACEHOLDER.finditer(template):
        if match.start() > end:
            parts.append(template[end : match.start()])
        parts.append(Slot(match[1], int(match[2] or 0)))
        end = match.end()
    if end < len(template):
        parts.append(template[end:])
    return tuple(parts)


def names_in(template: str) -> list[str]:
    """The attributes that a template is made of."""
    return [part.name for part in parts_of(template) if isinstance(part, Slot)]


def is_constant(template: str) -> bool:
    """Whether a template has no placeholder."""
    return not names_in(template)


def rendered(template: str, item: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The text of a template for an item in DynamoDB's JSON; None if an attribute is missing."""
    texts: list[str] = []
    for part in parts_of(template):
        if isinstance(part, str):
            texts.append(part)
            continue
        value = item.get(part.name)
        if value is None:
            return None
        ((kind, content),) = value.items()
        if kind not in {"S", "N", "B", "BOOL"}:
            return None
        text = str(content).lower() if kind == "BOOL" else str(content)
        texts.append(text.rjust(part.width, "0"))
    return "".join(texts)
