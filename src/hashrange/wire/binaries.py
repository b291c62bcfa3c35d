"""Checks the base64 of a decoded request that is about to be refused for another reason.

The service refuses malformed base64 while it decodes, before all other checks. Here base64 is
checked when values are made canonical, which a refused request may never reach.
"""

from typing import Any, assert_never

from hashrange.model.binary import may_hold_binaries, walk_binaries
from hashrange.wire.member_types import (
    VALUE,
    ListOf,
    MapOf,
    MemberType,
    Scalar,
    Structure,
    structure_of,
)


def check_binaries(request: object) -> None:
    """Refuse the first malformed base64 within a Struct, in the order of its members.

    Raises:
        DynamoError: SerializationException.
    """
    if not may_hold_binaries(request):
        return
    # Not recursive: values may be as deep as JSON_DEPTH_MAX.
    rest: list[tuple[Any, MemberType]] = [(request, structure_of(type(request)))]
    while rest:
        data, member_type = rest.pop()
        if data is None:
            continue
        if member_type is VALUE:
            walk_binaries(data)
            continue
        match member_type:
            case Scalar():
                continue
            case ListOf(element=element):
                rest += [(each, element) for each in reversed(data)]
            case MapOf(value=value):
                rest += [(each, value) for each in reversed(data.values())]
            case Structure(members=members, attributes=attributes):
                parts = [(getattr(data, attributes[name]), each) for name, each in members.items()]
                rest += reversed(parts)
            case _:
                assert_never(member_type)
