"""Structures of requests have the names of the API's model, which error texts show as classes."""

import botocore.session
import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.wire.member_types import ListOf, MapOf, Structure, structure_of


@pytest.fixture(scope="module")
def models():
    session = botocore.session.get_session()
    services = [session.get_service_model(name) for name in ("dynamodb", "dynamodbstreams")]
    return {
        name: service.operation_model(name)
        for service in services
        for name in service.operation_names
    }


def differences(member_type, shape, path):
    """What is not as in the model, below a path."""
    match member_type:
        case ListOf(element=element):
            yield from differences(element, shape.member, f"{path}[]")
        case MapOf(value=value):
            yield from differences(value, shape.value, f"{path}{{}}")
        case Structure(name="AttributeValue"):  # contains itself
            if shape.name != "AttributeValue":
                yield f"{path}: {shape.name}"
        case Structure(name=name, members=members):
            if name != shape.name:
                yield f"{path}: {name}, not {shape.name}"
            for member, inner in members.items():
                if member not in shape.members:
                    yield f"{path}.{member}"
                    continue
                yield from differences(inner, shape.members[member], f"{path}.{member}")
        case _:
            if shape.type_name in {"structure", "list", "map"}:
                yield f"{path}: {shape.name}"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_names(models, operation):
    shape, structure = models[operation].input_shape, structure_of(OPERATIONS[operation].request)
    found = [
        each
        for name, member in structure.members.items()
        for each in differences(member, shape.members[name], name)
    ]
    assert found == []
