"""Base64 in a decoded request: looked at where the request is refused for another reason.

The service refuses bad base64 while it decodes, so before all that is checked afterwards. Here it
is checked by whoever makes values canonical, which a refused request may never come to.
"""

from typing import Any, assert_never

from hashrange.model.binary import may_hold_binaries, walk_binaries
from hashrange.wire.shapes import VALUE, ListOf, MapOf, Scalar, Shape, Structure, shape_of


def check_binaries(request: object) -> None:
    """Refuse the first bad base64 within a Struct, in the order of its members.

    Raises:
        DynamoError: SerializationException.
    """
    if not may_hold_binaries(request):
        return
    # A stack of its own, for values may be as deep as JSON may be.
    rest: list[tuple[Any, Shape]] = [(request, shape_of(type(request)))]
    while rest:
        data, shape = rest.pop()
        if data is None:
            continue
        if shape is VALUE:
            walk_binaries(data)
            continue
        match shape:
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
                assert_never(shape)
