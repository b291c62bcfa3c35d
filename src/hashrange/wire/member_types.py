"""The types of a request's members in the API's model, with their names in Java.

They are read from the request types, `model.structures`, whose names stand in error texts.
"""

from collections.abc import Hashable, Mapping
from enum import Enum
from functools import cache
from typing import Any, Final, TypeAlias, assert_never, cast

import msgspec
from msgspec import inspect

from hashrange.messages import wire as messages
from hashrange.model.structures.members import JAVA
from hashrange.model.values import AttributeValue


class Scalar(Enum):
    """Types without parts; the value is the Java class in error texts."""

    STRING = "java.lang.String"
    BLOB = "java.nio.ByteBuffer"
    BOOLEAN = "java.lang.Boolean"
    INTEGER = "java.lang.Integer"
    LONG = "java.lang.Long"
    DOUBLE = "java.lang.Double"
    DATE = "java.util.Date"

    @property
    def simple_name(self) -> str:
        """The Java class without its package."""
        return self.value.rpartition(".")[2]


class ListOf(msgspec.Struct, frozen=True, kw_only=True):
    """A list; `null_refusal` is the error text of a null element, None if it becomes empty."""

    element: "MemberType"
    null_refusal: str | None = None


class MapOf(msgspec.Struct, frozen=True, kw_only=True):
    """A map with text as keys."""

    value: "MemberType"


class Structure(msgspec.Struct, frozen=True, kw_only=True):
    """A structure; `attributes` are the names of the members in Python by their names in JSON."""

    name: str
    members: Mapping[str, "MemberType"]
    attributes: Mapping[str, str] = {}


MemberType: TypeAlias = Scalar | ListOf | MapOf | Structure


def _value_type() -> Structure:
    members: dict[str, MemberType] = {}
    value = Structure(name="AttributeValue", members=members)
    members.update(
        S=Scalar.STRING,
        N=Scalar.STRING,
        B=Scalar.BLOB,
        SS=ListOf(element=Scalar.STRING, null_refusal=messages.null_in_string_set()),
        NS=ListOf(element=Scalar.STRING),
        BS=ListOf(element=Scalar.BLOB, null_refusal=messages.null_in_binary_set()),
        BOOL=Scalar.BOOLEAN,
        NULL=Scalar.BOOLEAN,
        L=ListOf(element=value),
        M=MapOf(value=value),
    )
    return value


VALUE: Final = _value_type()
"""An attribute value: the only type that contains itself."""

_JAVA_SCALARS: Final = {"Integer": Scalar.INTEGER, "Long": Scalar.LONG, "Date": Scalar.DATE}
_SCALARS: Final[dict[type[inspect.Type], Scalar]] = {
    inspect.StrType: Scalar.STRING,
    inspect.BytesType: Scalar.BLOB,
    inspect.BoolType: Scalar.BOOLEAN,
    inspect.IntType: Scalar.LONG,
    inspect.FloatType: Scalar.DOUBLE,
}


def structure_of(request: type[Any]) -> Structure:
    """The type of a request, from its Struct; cached."""
    return _structure(cast("Hashable", request))


@cache
def _structure(request: Hashable) -> Structure:
    member_type = _member_type(inspect.type_info(request))
    assert isinstance(member_type, Structure), "requests are Structs"
    return member_type


def _member_type(kind: inspect.Type) -> MemberType:
    match kind:
        case inspect.UnionType(types=types):
            (present,) = (each for each in types if not isinstance(each, inspect.NoneType))
            member_type = _member_type(present)
        case inspect.Metadata(extra=extra):
            assert extra is not None, "only numbers and structures that are not read are annotated"
            java = extra[JAVA]
            member_type = _JAVA_SCALARS.get(java) or Structure(name=java, members={})
        case inspect.TypedDictType(cls=cls):
            assert cls is AttributeValue, "the only dict with named members"
            member_type = VALUE
        case inspect.StructType(cls=cls, fields=fields):
            member_type = Structure(
                name=cls.__name__,
                members={each.encode_name: _member_type(each.type) for each in fields},
                attributes={each.encode_name: each.name for each in fields},
            )
        case inspect.ListType(item_type=item):
            member_type = ListOf(element=_member_type(item))
        case inspect.DictType(value_type=value):
            member_type = MapOf(value=_member_type(value))
        case _:
            member_type = _SCALARS[type(kind)]
    return member_type


def java_type(member_type: MemberType) -> str:
    """The type as Java prints it: `class java.lang.String`, but lists and maps without `class`."""
    return (
        _generic(member_type)
        if isinstance(member_type, (ListOf, MapOf))
        else f"class {_generic(member_type)}"
    )


def _generic(member_type: MemberType) -> str:
    """The type as Java prints it between angle brackets."""
    match member_type:
        case Scalar():
            return member_type.value
        case ListOf(element=element):
            return f"java.util.List<{_generic(element)}>"
        case MapOf(value=value):
            return f"java.util.Map<java.lang.String, {_generic(value)}>"
        case Structure(name=name):
            return messages.qualified(name)
        case _:
            assert_never(member_type)
