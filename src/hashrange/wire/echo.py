"""Prints values in errors as the service does: as Java prints objects, or as JSON."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.limits.requests import ECHO_CHARS_MAX
from hashrange.messages import wire as messages
from hashrange.model.data_types import MODEL_ORDER
from hashrange.wire.member_types import VALUE, ListOf, MapOf, MemberType, Scalar, Structure

_UNPUBLISHED: Final = {"PutRequest": "workloadProfileName"}
"""Members that the service prints and the API's model does not have, by structure.

Source: captures of the service, June and August 2026.
"""


_Part: TypeAlias = tuple[str, object, MemberType]
"""A part of a value: its label, the part itself, and its type."""


def as_java(value: object, member_type: MemberType) -> str:
    """A value as Java prints it, up to ECHO_CHARS_MAX characters.

    Lists are `[a, b]`, maps `{k=v}`, structures `Name(first=a, second=null)` with all of their
    members, also attribute values.

    Source: captures of the service in us-east-1 and eu-north-1, 2026. In some of them structures
    are printed as `Name@483470e1`, with their package and an arbitrary number.
    """
    return _bounded(_java(value, member_type))


def as_json(value: object) -> str:
    """A value as JSON without white space and null members, up to ECHO_CHARS_MAX characters."""
    return _bounded(_json(value))


def lower_first(name: str) -> str:
    """A member's name in lower camel case, as in texts of the model's form."""
    return name[:1].lower() + name[1:]


def _bounded(pieces: Iterator[str]) -> str:
    taken: list[str] = []
    left = ECHO_CHARS_MAX
    for piece in pieces:
        taken.append(piece[:left])
        left -= len(piece)
        if left <= 0:
            break
    return "".join(taken)


def _java(value: object, member_type: MemberType) -> Iterator[str]:
    # Not recursive: values may be as deep as JSON_DEPTH_MAX.
    opened: list[tuple[Iterator[_Part], str]] = [(iter([("", value, member_type)]), "")]
    while opened:
        parts, end = opened[-1]
        part = next(parts, None)
        if part is None:
            opened.pop()
            yield end
            continue
        label, inner, kind = part
        yield label
        if inner is None:
            yield "null"
        elif isinstance(kind, Scalar):
            yield _java_scalar(inner, kind)
        else:
            begin, parts, end = _java_parts(inner, kind)
            yield begin
            opened.append((_separated(parts), end))


def _java_parts(
    value: Any, member_type: Structure | ListOf | MapOf
) -> tuple[str, Iterator[_Part], str]:
    """The text before the parts of a value, the parts, and the text after them."""
    if isinstance(member_type, ListOf):
        return "[", (("", element, member_type.element) for element in value), "]"
    if isinstance(member_type, MapOf):
        return "{", ((f"{key}=", entry, member_type.value) for key, entry in value.items()), "}"
    if member_type is VALUE:
        members = ((name, value.get(name)) for name in MODEL_ORDER)
    else:
        members = ((name, getattr(value, field)) for name, field in member_type.attributes.items())
    unpublished = _UNPUBLISHED.get(member_type.name)
    return (
        f"{member_type.name}(",
        ((f"{lower_first(name)}=", member, member_type.members[name]) for name, member in members),
        ")" if unpublished is None else f", {unpublished}=null)",
    )


def _java_scalar(value: object, kind: Scalar) -> str:
    if kind is Scalar.BLOB and isinstance(value, str):
        return messages.byte_buffer(len(value) * 3 // 4 - value[-2:].count("="))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _separated(parts: Iterable[_Part]) -> Iterator[_Part]:
    """Parts with commas between them."""
    separator = ""
    for label, value, member_type in parts:
        yield separator + label, value, member_type
        separator = ", "


def _json(value: object) -> Iterator[str]:
    # Not recursive: values may be as deep as JSON_DEPTH_MAX.
    opened: list[tuple[Iterator[tuple[str, object]], str]] = [(iter([("", value)]), "")]
    while opened:
        parts, end = opened[-1]
        label, inner = next(parts, (None, None))
        if label is None:
            opened.pop()
            yield end
            continue
        match inner:
            case dict() | msgspec.Struct():
                opened.append((_listed(_members(inner)), "}"))
                yield label + "{"
            case list():
                opened.append((_listed(("", element) for element in inner), "]"))
                yield label + "["
            case _:
                yield label + _text(inner)


def _members(data: dict[str, object] | msgspec.Struct) -> Iterator[tuple[str, object]]:
    """The members that are present, each with its label."""
    if isinstance(data, dict):
        members = iter(data.items())
    else:
        kind = type(data)
        fields = zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)
        members = ((name, getattr(data, field)) for name, field in fields)
    return ((f"{_text(name)}:", value) for name, value in members if value is not None)


def _listed(parts: Iterable[tuple[str, object]]) -> Iterator[tuple[str, object]]:
    """Parts with commas between them."""
    separator = ""
    for label, value in parts:
        yield separator + label, value
        separator = ","


def _text(scalar: object) -> str:
    return msgspec.json.encode(scalar).decode()
