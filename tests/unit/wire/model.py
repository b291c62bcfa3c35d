"""Request types for every operation, made from botocore's published model, and their decoders."""

import json
from functools import cache

import botocore.session
import msgspec
import pytest
from botocore import xform_name

from hashrange.errors import DynamoError, Fault
from hashrange.model.structures.members import Integer, Long, Timestamp
from hashrange.model.values import AttributeValue
from hashrange.wire.codec import Decoder

_SCALARS = {
    "string": str,
    "boolean": bool,
    "integer": Integer,
    "long": Long,
    "double": float,
    "float": float,
    "timestamp": Timestamp,
}


@cache
def model(service="dynamodb"):
    return botocore.session.get_session().get_service_model(service)


OPERATIONS = [
    (service, name)
    for service in ("dynamodb", "dynamodbstreams")
    for name in model(service).operation_names
]


@cache
def request_type(service, operation):
    """A frozen Struct as the operations declare theirs."""
    member_type = model(service).operation_model(operation).input_shape
    return _struct(member_type, operation)


@cache
def _struct(member_type, name):
    return msgspec.defstruct(
        name,
        [
            (xform_name(member), _type(inner) | None, None)
            for member, inner in member_type.members.items()
        ],
        rename={xform_name(member): member for member in member_type.members},
        frozen=True,
        kw_only=True,
    )


def _type(member_type):
    match member_type.type_name:
        case "structure" if member_type.name == "AttributeValue":
            return AttributeValue
        case "structure":
            return _struct(member_type, member_type.name)
        case "list":
            return list[_type(member_type.member)]
        case "map":
            return dict[str, _type(member_type.value)]
        case scalar:
            return _SCALARS[scalar]


def decoder(operation, service="dynamodb"):
    return Decoder(request_type(service, operation))


def decoded(operation, data):
    body = data if isinstance(data, bytes) else json.dumps(data).encode()
    return decoder(operation).decode(body)


def refusal(operation, data):
    with pytest.raises(DynamoError) as refused:
        decoded(operation, data)
    assert refused.value.fault is Fault.SERIALIZATION
    return refused.value.message
