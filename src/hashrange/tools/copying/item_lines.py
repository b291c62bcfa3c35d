"""Items as lines of JSON, in one of three forms. Pure.

The forms are DynamoDB-JSON, `{"pk": {"S": "a"}}`, the form of exports,
`{"Item": {"pk": {"S": "a"}}}`, and plain JSON, `{"pk": "a"}`. They are distinguished by the table's
key: a key is never a map, so an item whose key attribute is an object is DynamoDB-JSON.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn, TypeAlias

import msgspec

from hashrange.model.data_types import DATA_TYPES, SETS, of_sets

KINDS: Final = tuple(code for code in DATA_TYPES if code != "NULL")
"""The types that the operator can declare for an attribute."""
_EXPORTED: Final = "Item"
_is_json_number: Final = re.compile(
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII
).fullmatch

Item: TypeAlias = dict[str, dict[str, Any]]
"""An item in DynamoDB-JSON."""


class ItemError(ValueError):
    """A line has no valid item. The text is for the operator."""


class KnownTypes:
    """The key attributes of a table, and the declared types of its attributes.

    Args:
        keys: the names of the key attributes.
        fixed: the types of key attributes of the table and its indexes, by name.
        given: the types that the operator declares, by name.
    """

    def __init__(
        self,
        keys: Sequence[str],
        fixed: Mapping[str, str],
        given: Mapping[str, str] | None = None,
    ) -> None:
        self.keys = keys
        self.given = given or {}
        self.types = {**self.given, **fixed}

    def check_keys(self, names: Iterable[str]) -> None:
        """Refuse an item that lacks a key attribute. Raises ItemError."""
        missing = [key for key in self.keys if key not in names]
        if missing:
            raise ItemError(f"the key attribute {missing[0]} is missing")


class _Number:
    """A number of JSON as text, since a float would not keep 38 digits."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def item_of_line(line: bytes, known_types: KnownTypes) -> Item:
    """The item of a line of JSON. Raises ItemError."""
    members = parsed_json(line)
    if not isinstance(members, dict):
        raise ItemError("it is not a JSON object: each line has one item")
    if members.keys() == {_EXPORTED} and _EXPORTED not in known_types.keys:
        return _typed_item(members[_EXPORTED], known_types, "of the member Item ")
    known_types.check_keys(members)
    typed = [key for key in known_types.keys if isinstance(members[key], dict)]
    if not typed:
        return {
            name: typed_value(name, value, known_types.types) for name, value in members.items()
        }
    if _EXPORTED in typed and members.keys() == {_EXPORTED} and not _is_value(members[_EXPORTED]):
        return _typed_item(members[_EXPORTED], known_types, "of the member Item ")
    return _typed_item(members, known_types, "")


def parsed_json(text: bytes | str) -> Any:
    """Parsed JSON; numbers keep all their digits. Raises ItemError."""
    try:
        found = json.loads(
            text if isinstance(text, str) else text.decode("utf-8"),
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=_no_number,
            object_pairs_hook=_members,
        )
    except ItemError:
        raise
    except UnicodeDecodeError as error:
        raise ItemError(f"it is not UTF-8 at byte {error.start + 1} of the line") from error
    except RecursionError as error:
        raise ItemError("it is nested too deep") from error
    except ValueError as error:
        raise ItemError(f"it is not JSON: {error}") from error
    return found


def json_of(item: Item) -> bytes:
    """The DynamoDB-JSON of an item. Raises ItemError."""
    try:
        return msgspec.json.encode(item)
    except UnicodeEncodeError as error:
        raise ItemError("a text has half of a surrogate pair, which is no character") from error
    except RecursionError as error:
        raise ItemError("it is nested too deep") from error


def _no_number(text: str) -> NoReturn:
    raise ItemError(f"{text} is not a number of JSON, nor of DynamoDB")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ItemError(f"the name {twice} stands twice in one object")
    return members


def _typed_item(found: object, known_types: KnownTypes, where: str) -> Item:
    if not isinstance(found, dict):
        raise ItemError(f"the value {where}is not an object")
    known_types.check_keys(found)
    for name, value in found.items():
        if not _is_value(value):
            raise ItemError(
                f"the attribute {name} {where}is not DynamoDB-JSON like {{'S': 'text'}}"
            )
        (kind,) = value
        if known_types.types.get(name, kind) != kind:
            raise _mismatch(name, kind, known_types.types[name])
    return found


def is_typed(members: Mapping[str, object]) -> bool:
    """Whether each value of an object has the form of DynamoDB-JSON."""
    return all(map(_is_value, members.values()))


def looks_typed(members: Mapping[str, object]) -> bool:
    """Whether each value is an object with one member that is named like a type."""
    return all(
        isinstance(each, dict) and len(each) == 1 and each.keys() <= _FORMS.keys()
        for each in members.values()
    )


def _is_value(value: object) -> bool:
    """Whether a value has the form of DynamoDB-JSON; the server checks its content."""
    if not isinstance(value, dict) or len(value) != 1:
        return False
    ((kind, content),) = value.items()
    has_form = _FORMS.get(kind)
    return has_form is not None and has_form(content)


def _is_text(content: object) -> bool:
    return isinstance(content, str)


def _is_flag(content: object) -> bool:
    return isinstance(content, bool)


def _is_set(content: object) -> bool:
    return isinstance(content, list) and all(map(_is_text, content))


def _is_list(content: object) -> bool:
    return isinstance(content, list) and all(map(_is_value, content))


def _is_map(content: object) -> bool:
    return isinstance(content, dict) and all(map(_is_value, content.values()))


_FORMS: Final[Mapping[str, Callable[[object], bool]]] = {
    **dict.fromkeys(("S", "N", "B"), _is_text),
    **dict.fromkeys(("BOOL", "NULL"), _is_flag),
    **dict.fromkeys(SETS, _is_set),
    "L": _is_list,
    "M": _is_map,
}


def typed_value(name: str, value: object, types: Mapping[str, str]) -> dict[str, Any]:
    """A plain value as DynamoDB-JSON, of the type declared for the attribute, else of JSON's type.

    Args:
        name: the name of the attribute.
        value: a value of `parsed_json`.
        types: the declared types, by name.

    Raises:
        ItemError: the value cannot be of the declared type.
    """
    kind = types.get(name)
    if kind is None:
        return _plain(value)
    content = _AS_KIND[kind](value)
    if content is None:
        (found,) = _plain(value)
        raise _mismatch(name, found, kind)
    return {kind: content}


def _mismatch(name: str, found: str, wanted: str) -> ItemError:
    return ItemError(f"the attribute {name} is of type {found}, and {wanted} is wanted")


def _plain(value: object) -> dict[str, Any]:
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case str():
            return {"S": value}
        case _Number():
            return {"N": value.text}
        case list():
            return {"L": [_plain(each) for each in value]}
        case dict():
            return {"M": {name: _plain(each) for name, each in value.items()}}
        case _:
            raise AssertionError("JSON has no other values")


def _number(value: object) -> str | None:
    if isinstance(value, _Number):
        return value.text
    return _text(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _set_of(_: str, member: Callable[[object], str | None]) -> Callable[[object], list[str] | None]:
    def content(value: object) -> list[str] | None:
        if not isinstance(value, list):
            return None
        members = [member(each) for each in value]
        found = [each for each in members if each is not None]
        return found if len(found) == len(members) else None

    return content


_SCALARS: Final = {"S": _text, "N": _number, "B": _text}
_AS_KIND: Final[Mapping[str, Callable[[object], Any]]] = {
    **_SCALARS,
    **of_sets(_SCALARS, _set_of),
    "BOOL": lambda value: value if isinstance(value, bool) else None,
    "L": lambda value: _plain(value)["L"] if isinstance(value, list) else None,
    "M": lambda value: _plain(value)["M"] if isinstance(value, dict) else None,
}
"""Functions from a value of JSON to the content of each type; None if it has another type."""


def value_of_json(value: object) -> dict[str, Any]:
    """A value of `parsed_json` as DynamoDB-JSON: it has that form already, or is plain JSON."""
    if isinstance(value, dict) and len(value) == 1:
        ((kind, content),) = value.items()
        if kind == "N" and isinstance(content, _Number):
            return {kind: content.text}
    if isinstance(value, dict) and _is_value(value):
        return value
    return _plain(value)


def plain_json_of(item: Mapping[str, Mapping[str, Any]], *, keeps_types: bool = True) -> bytes:
    """An item in plain JSON.

    Args:
        item: in DynamoDB-JSON.
        keeps_types: refuse sets and binary values; if not, sets are arrays, and binary values are
            texts of base64.

    Raises:
        ItemError: it has a set or a binary value.
    """
    plain = {name: plain_of(name, value, keeps_types) for name, value in item.items()}
    return msgspec.json.encode(plain)


def plain_of(name: str, value: Mapping[str, Any], keeps_types: bool) -> Any:  # noqa: FBT001
    """A value in plain JSON, as `plain_json_of`; numbers are `msgspec.Raw` with all digits."""
    ((kind, content),) = value.items()
    plain: Any = content
    match kind:
        case "S" | "BOOL":
            pass
        case "NULL":
            plain = None
        case "N":
            plain = _json_number(content)
        case "L":
            plain = [plain_of(name, each, keeps_types) for each in content]
        case "M":
            plain = {inner: plain_of(name, each, keeps_types) for inner, each in content.items()}
        case _ if keeps_types:
            raise ItemError(f"the attribute {name} has type {kind}, which plain JSON does not have")
        case "NS":
            plain = [*map(_json_number, content)]
        case _:
            pass
    return plain


def _json_number(text: str) -> Any:
    # Other servers may store numbers as they were sent, such as +1, which is no number of JSON.
    return msgspec.Raw(text.encode()) if _is_json_number(text) else text
