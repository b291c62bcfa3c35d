"""Answers as values of builtin types whose times are written as a protocol writes them. Pure."""

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from hashrange.wire.member_types import ListOf, MapOf, MemberType, Scalar, Structure, structure_of

WriteScalar: TypeAlias = Callable[[Any, Scalar], Any]
"""Makes of a scalar and its type what a protocol writes."""


class Entries(dict[str, Any]):
    """A written map, which XML distinguishes from a structure."""


def written(answer: msgspec.Struct, write: WriteScalar) -> dict[str, Any]:
    """The members of an answer with its scalars written; those that are None are left out."""
    members: dict[str, Any] = msgspec.to_builtins(answer, builtin_types=(bytes,))
    return _members(members, structure_of(type(answer)), write)


def _members(given: dict[str, Any], kind: Structure, write: WriteScalar) -> dict[str, Any]:
    return {
        name: _written(value, kind.members[name], write)
        for name, value in given.items()
        if value is not None
    }


def _written(value: Any, kind: MemberType, write: WriteScalar) -> Any:
    match kind:
        case Scalar():
            return write(value, kind)
        case ListOf(element=element):
            return [_written(each, element, write) for each in value]
        case MapOf(value=inner):
            return Entries((name, _written(each, inner, write)) for name, each in value.items())
        case Structure():
            return _members(value, kind, write)
