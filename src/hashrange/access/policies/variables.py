"""Policy variables: `${aws:username}`, with a default in quotes, and `${*}`, `${?}`, `${$}`. Pure.

Source: IAM User Guide, "IAM policy elements: Variables and tags".
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import msgspec

from hashrange.access.policies.wildcards import Pattern, Piece

Context: TypeAlias = Mapping[str, tuple[str, ...]]
"""The values of a request by condition keys, which are in lower case. No value is no key."""

MULTIVALUED: Final = frozenset(
    {
        "aws:principalorgpaths",
        "aws:principalservicenameslist",
        "aws:sourceorgpaths",
        "aws:tagkeys",
        "dynamodb:attributes",
        "dynamodb:firstpartitionkeyvalues",
        "dynamodb:fourthpartitionkeyvalues",
        "dynamodb:leadingkeys",
        "dynamodb:secondpartitionkeyvalues",
        "dynamodb:thirdpartitionkeyvalues",
    }
)
"""Keys that may have several values in one request; no variable may stand for them."""

_variables: Final = re.compile(r"\$\{([^{}]*)\}")
_with_default: Final = re.compile(r"([^,]+), '([^']*)'").fullmatch
_SPECIAL: Final = frozenset("*?$")


class Variable(msgspec.Struct, frozen=True):
    """A policy variable; `key` is in lower case."""

    key: str
    default: str | None = None


Template: TypeAlias = tuple[Piece | Variable, ...]


def template_of(text: str, *, has_variables: bool) -> Template:
    """The parts of a text of a policy."""
    if not has_variables or "${" not in text:
        return (Piece(text),)
    parts: list[Piece | Variable] = []
    end = 0
    for found in _variables.finditer(text):
        if found.start() > end:
            parts.append(Piece(text[end : found.start()]))
        parts.append(_part(found[1]))
        end = found.end()
    if end < len(text):
        parts.append(Piece(text[end:]))
    return tuple(parts)


def _part(body: str) -> Piece | Variable:
    if body in _SPECIAL:
        return Piece(body, literal=True)
    with_default = _with_default(body)
    if with_default is None:
        return Variable(body.lower())
    return Variable(with_default[1].lower(), with_default[2])


def resolved(template: Template, context: Context) -> Pattern | None:
    """The pattern with the values of a request; None if a variable has none.

    A default stands for a key without values only, not for one with several.
    """
    pieces = []
    for part in template:
        if isinstance(part, Piece):
            pieces.append(part)
            continue
        values = context.get(part.key, ())
        if not values and part.default is not None:
            values = (part.default,)
        elif part.key in MULTIVALUED:
            return None
        if len(values) != 1:
            return None
        pieces.append(Piece(values[0], literal=True))
    return tuple(pieces)


def keys_of(template: Template) -> set[str]:
    """The keys of its variables."""
    return {part.key for part in template if isinstance(part, Variable)}


def is_fixed(template: Template, fixes: Callable[[str], bool]) -> bool:
    """Whether all variables are of keys that are fixed; `fixes` says which keys are."""
    return all(isinstance(part, Piece) or fixes(part.key) for part in template)
