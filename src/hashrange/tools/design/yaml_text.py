"""YAML of a CloudFormation template. Pure.

Only what templates contain: mappings, lists, texts, numbers and booleans, and functions in their
short form (`!Ref Table`). Texts that YAML could read as something else are quoted.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_SHORT: Final = {
    "Ref": "!Ref",
    "Condition": "!Condition",
    **{f"Fn::{name}": f"!{name}" for name in ("Sub", "If", "Equals", "Not", "GetAtt", "Join")},
}
_plain: Final = re.compile(r"[A-Za-z][A-Za-z0-9_/.]*(?:::?[A-Za-z][A-Za-z0-9_/.]*)*").fullmatch
"""Texts without quotes: no number, date, indicator, space or `: ` is among them."""
_KEYWORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_unprintable: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def yaml_of(template: Mapping[str, Any]) -> str:
    """The text of a template."""
    return "".join(f"{line}\n" for line in _lines(template))


def _lines(value: Any) -> Iterator[str]:
    """The lines of a mapping or a list that is not empty."""
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from _after(f"{_text(name)}:", member, indent="  ")
    else:
        for member in value:
            yield from _after("-", member, indent="  ")


def _after(head: str, value: Any, *, indent: str) -> Iterator[str]:
    """The lines of a value after the name of a member, the dash of a list, or a tag."""
    tag = _tag(value)
    if tag is not None:
        yield from _after(f"{head} {tag[0]}", tag[1], indent=indent)
    elif not isinstance(value, Mapping | list) or not value:
        yield f"{head} {_text(value)}"
    elif head == "-":
        first, *others = _lines(value)
        yield f"- {first}"
        yield from (f"{indent}{line}" for line in others)
    else:
        yield head
        yield from (f"{indent}{line}" for line in _lines(value))


def _tag(value: Any) -> tuple[str, Any] | None:
    """The short form of a function and its argument; None if the value is no function."""
    if isinstance(value, Mapping) and len(value) == 1:
        ((name, argument),) = value.items()
        is_name = name != "Condition" or isinstance(argument, str)
        if name in _SHORT and is_name:
            return _SHORT[name], argument
    return None


def _text(value: Any) -> str:
    """A scalar, or an empty mapping or list."""
    if not isinstance(value, str):
        return json.dumps(value)
    if _plain(value) and value.lower() not in _KEYWORDS:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return _unprintable.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
