"""Values as the service prints them back: as Java prints objects, or as JSON."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from zlib import crc32

import msgspec

from hashrange.limits import ECHO_CHARS_MAX
from hashrange.messages import wire as messages
from hashrange.wire.shapes import VALUE, ListOf, MapOf, Shape, Structure

_HASHED_CHARS: Final = 64


def as_java(value: object, shape: Shape) -> str:
    """A value as Java prints it, up to a bound of our own.

    Lists are `[a, b]`, maps `{k=v}`, structures `Name(first=a, second=null)` with all of their
    members. Attribute values are printed as objects without a text of their own, with a number
    that has no meaning but is the same for the same scalar.

    Source: captures of the service, October 2026.
    """
    return _bounded(_java(value, shape))


def as_json(value: object) -> str:
    """A value as JSON without white space and without null members, up to the same bound."""
    return _bounded(_json(value))


def lower_first(name: str) -> str:
    """A member's name as the model's layer prints it."""
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


def _java(value: Any, shape: Shape) -> Iterator[str]:
    if value is None:
        yield "null"
    elif shape is VALUE:
        yield f"{messages.qualified('AttributeValue')}@{_number(value):x}"
    elif isinstance(shape, Structure):
        yield f"{shape.name}("
        yield from _separated(
            (f"{lower_first(name)}=", getattr(value, attribute), shape.members[name])
            for name, attribute in shape.attributes.items()
        )
        yield ")"
    elif isinstance(shape, ListOf):
        yield "["
        yield from _separated(("", element, shape.element) for element in value)
        yield "]"
    elif isinstance(shape, MapOf):
        yield "{"
        yield from _separated((f"{key}=", entry, shape.value) for key, entry in value.items())
        yield "}"
    elif isinstance(value, bool):
        yield "true" if value else "false"
    else:
        yield str(value)


def _separated(parts: Iterable[tuple[str, object, Shape]]) -> Iterator[str]:
    separator = ""
    for label, value, shape in parts:
        yield separator + label
        yield from _java(value, shape)
        separator = ", "


def _number(value: Mapping[str, object]) -> int:
    """Stands for the identity that Java would print."""
    for kind, content in value.items():
        text = content[:_HASHED_CHARS] if isinstance(content, str) else ""
        return crc32(f"{kind}{text}".encode())
    return 0


def _json(value: object) -> Iterator[str]:
    # A stack of its own, for values may be as deep as JSON may be.
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
    """The members that are there, with what stands before each."""
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
