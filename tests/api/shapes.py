"""Answers against the API's published model: what no SDK would understand is no answer.

`assert_shape` looks at one answer, raw JSON or parsed by an SDK. `watch` makes a client look at the
raw JSON of every answer that it gets, before the SDK has dropped what it does not know.
"""

import functools
import json
from base64 import b64decode
from datetime import datetime
from typing import Any

import botocore.session
from botocore.client import BaseClient
from botocore.model import OperationModel, ServiceModel, Shape

METADATA = "ResponseMetadata"
"""What SDKs add to an answer."""
ERROR_MEMBERS = {"__type", "message", "Message"}
UNMODELLED = {
    ("TableDescription", "TableThroughputModeSummary"),
    ("VectorCapacity", "VectorSearchUnits"),
}
"""Members, by structure, that the service answers and its model does not have."""


@functools.cache
def service_model(service: str) -> ServiceModel:
    """Read once: a session reads half a megabyte of JSON again for each model."""
    return botocore.session.get_session().get_service_model(service)


@functools.cache
def operation_model(operation: str, service: str = "dynamodb") -> OperationModel:
    return service_model(service).operation_model(operation)


def assert_shape(operation: str, answer: dict[str, Any], service: str = "dynamodb") -> None:
    """No member that the model does not have, none missing that it requires, all of their types."""
    shape = operation_model(operation, service).output_shape
    members = {name: value for name, value in answer.items() if name != METADATA}
    if shape is None:
        assert not members, f"{operation} answers nothing"
        return
    faults = list(_faults(shape, members, operation))
    assert not faults, "; ".join(faults)


def assert_error_shape(operation: str, error: dict[str, Any], service: str = "dynamodb") -> None:
    """The members of a modelled error are those of the model; all errors have a type."""
    assert isinstance(error.get("__type"), str)
    name = error["__type"].rpartition("#")[2]
    modelled = {shape.name: shape for shape in operation_model(operation, service).error_shapes}
    # An SDK reads the text in either spelling; the model's is in the error's own tests.
    others = {key: value for key, value in error.items() if key not in ERROR_MEMBERS}
    if name in modelled:
        faults = list(_faults(modelled[name], others, f"{operation}!{name}"))
        assert not faults, "; ".join(faults)
    else:
        assert not others, f"{name} with {sorted(others)}"


def watch(client: BaseClient) -> BaseClient:
    """The client, which from now on checks every answer that it gets."""

    def look(event_name: str, response_dict: dict[str, Any] | None, **_: Any) -> None:
        if response_dict is None or not response_dict["body"]:
            return
        service, operation = client.meta.service_model.service_name, event_name.rpartition(".")[2]
        answer = json.loads(response_dict["body"])
        if response_dict["status_code"] == 200:
            assert_shape(operation, answer, service)
        else:
            assert_error_shape(operation, answer, service)

    event = f"response-received.{client.meta.service_model.service_id.hyphenize()}"
    client.meta.events.register_last(event, look)
    return client


def _faults(shape: Shape, value: Any, path: str):
    match shape.type_name:
        case "structure":
            yield from _structure_faults(shape, value, path)
        case "list" if isinstance(value, list):
            for index, element in enumerate(value):
                yield from _faults(shape.member, element, f"{path}[{index}]")
        case "map" if isinstance(value, dict):
            for key, element in value.items():
                yield from _faults(shape.value, element, f"{path}{{{key}}}")
        case "list" | "map":
            yield f"{path} is no {shape.type_name}: {value!r}"
        case _:
            yield from _scalar_faults(shape, value, path)


def _structure_faults(shape: Shape, value: Any, path: str):
    if not isinstance(value, dict):
        yield f"{path} is no structure: {value!r}"
        return
    for name in shape.required_members:
        if name not in value:
            yield f"{path}.{name} is missing"
    for name, member in value.items():
        if name in shape.members:
            yield from _faults(shape.members[name], member, f"{path}.{name}")
        elif (shape.name, name) not in UNMODELLED:
            yield f"{path}.{name} is unknown"
    if shape.name == "AttributeValue" and len(value) != 1:
        yield f"{path} is not of one type: {sorted(value)}"


def _scalar_faults(shape: Shape, value: Any, path: str):
    if not _is_of_type(shape.type_name, value):
        yield f"{path} is no {shape.type_name}: {value!r}"
    elif shape.type_name == "string" and shape.enum and value not in shape.enum:
        yield f"{path} is none of {shape.enum}: {value!r}"


def _is_of_type(type_name: str, value: Any) -> bool:
    match type_name:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer" | "long":
            return type(value) is int
        case "float" | "double":
            return type(value) in {int, float}
        case "timestamp":
            # Raw JSON has seconds since the epoch; what an SDK parsed from it is a datetime.
            return type(value) in {int, float, datetime}
        case "blob":
            return isinstance(value, bytes) or _is_base64(value)
        case _:
            raise AssertionError(f"the model has a type {type_name}")


def _is_base64(value: Any) -> bool:
    try:
        return isinstance(value, str) and b64decode(value, validate=True) is not None
    except ValueError:
        return False
