"""What a request's members are, read from its type: the API's shapes with their names in Java.

Request types are frozen Structs. Their nested Structs carry the API's shape names, because these
stand in texts; numbers are annotated as `Integer`, `Long` or `Timestamp`, for the same reason.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Annotated, Any, Final, TypeAlias, assert_never, cast

import msgspec
from msgspec import inspect

from hashrange.messages.requests import wire as messages
from hashrange.model.values import AttributeValue

INTEGER_MAX: Final = 2**31 - 1
LONG_MAX: Final = 2**63 - 1

_JAVA: Final = "java"

Integer: TypeAlias = Annotated[
    int, msgspec.Meta(ge=-INTEGER_MAX - 1, le=INTEGER_MAX, extra={_JAVA: "Integer"})
]
"""A number of 32 bits, as `Limit`."""
Long: TypeAlias = Annotated[int, msgspec.Meta(ge=-LONG_MAX - 1, le=LONG_MAX, extra={_JAVA: "Long"})]
"""A number of 64 bits, as capacity units; a plain `int` is taken for one."""
Timestamp: TypeAlias = Annotated[float, msgspec.Meta(extra={_JAVA: "Date"})]
"""Seconds since the epoch, with a fraction."""


class Scalar(Enum):
    """Members without parts; the value is the Java class that is named in texts."""

    STRING = "java.lang.String"
    BLOB = "java.nio.ByteBuffer"
    BOOLEAN = "java.lang.Boolean"
    INTEGER = "java.lang.Integer"
    LONG = "java.lang.Long"
    DOUBLE = "java.lang.Double"
    DATE = "java.util.Date"

    @property
    def simple_name(self) -> str:
        """The class without its package."""
        return self.value.rpartition(".")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf:
    """A list; `null_refusal` is what is said of a null in it, None where it is an empty element."""

    element: "Shape"
    null_refusal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MapOf:
    """A map with text as keys."""

    value: "Shape"


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """A structure; `attributes` are the names of the members in Python, by their names in JSON."""

    name: str
    members: Mapping[str, "Shape"]
    attributes: Mapping[str, str] = field(default_factory=dict)


Shape: TypeAlias = Scalar | ListOf | MapOf | Structure


def _value_shape() -> Structure:
    members: dict[str, Shape] = {}
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


VALUE: Final = _value_shape()
"""An attribute value: the one shape that contains itself."""

_JAVA_SCALARS: Final = {"Integer": Scalar.INTEGER, "Long": Scalar.LONG, "Date": Scalar.DATE}
_SCALARS: Final[dict[type[inspect.Type], Scalar]] = {
    inspect.StrType: Scalar.STRING,
    inspect.BoolType: Scalar.BOOLEAN,
    inspect.IntType: Scalar.LONG,
    inspect.FloatType: Scalar.DOUBLE,
}


def shape_of(request: type[Any]) -> Structure:
    """The shape of a Struct type."""
    return _structure(cast("Hashable", request))


@cache
def _structure(request: Hashable) -> Structure:
    shape = _shape(inspect.type_info(request))
    assert isinstance(shape, Structure), "requests are Structs"
    return shape


def _shape(kind: inspect.Type) -> Shape:
    match kind:
        case inspect.UnionType(types=types):
            (present,) = (each for each in types if not isinstance(each, inspect.NoneType))
            shape = _shape(present)
        case inspect.Metadata(extra=extra):
            assert extra is not None, "only the numbers of this module are annotated"
            shape = _JAVA_SCALARS[extra[_JAVA]]
        case inspect.TypedDictType(cls=cls):
            assert cls is AttributeValue, "the only dict with named members"
            shape = VALUE
        case inspect.StructType(cls=cls, fields=fields):
            shape = Structure(
                name=cls.__name__,
                members={each.encode_name: _shape(each.type) for each in fields},
                attributes={each.encode_name: each.name for each in fields},
            )
        case inspect.ListType(item_type=item):
            shape = ListOf(element=_shape(item))
        case inspect.DictType(value_type=inspect.AnyType()):
            # A structure of which only the presence is looked at; its name is not known here.
            shape = Structure(name="Structure", members={})
        case inspect.DictType(value_type=value):
            shape = MapOf(value=_shape(value))
        case _:
            shape = _SCALARS[type(kind)]
    return shape


def java_type(shape: Shape) -> str:
    """The type as Java prints it, e.g. `class java.lang.String`; maps print without `class`."""
    return _generic(shape) if isinstance(shape, (ListOf, MapOf)) else f"class {_generic(shape)}"


def _generic(shape: Shape) -> str:
    """The type as it stands between angle brackets."""
    match shape:
        case Scalar():
            return shape.value
        case ListOf(element=element):
            return f"java.util.List<{_generic(element)}>"
        case MapOf(value=value):
            return f"java.util.Map<java.lang.String, {_generic(value)}>"
        case Structure(name=name):
            return messages.qualified(name)
        case _:
            assert_never(shape)
