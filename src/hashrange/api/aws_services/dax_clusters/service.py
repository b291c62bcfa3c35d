"""DAX clusters as a service: its protocol, its errors, its operations."""

from typing import Final

from hashrange.errors import ApiError
from hashrange.messages import dax as messages
from hashrange.wire.json_protocol import JsonProtocol
from hashrange.wire.service import (
    Service,
    access_denied,
    internal_failure,
    operations_of,
    short_named,
    unknown_operation,
)

DAX: Final = Service(
    name="dax",
    version="2017-04-19",
    protocols=(JsonProtocol(target=b"AmazonDAXV3"),),
    operations=operations_of(
        "hashrange.api.aws_services.dax_clusters",
        "clusters",
        "events",
        "nodes",
        "parameter_groups",
        "subnet_groups",
        "tags",
    ),
    unknown=unknown_operation(messages.unknown_operation),
    denied=access_denied,
    of_fault=short_named,
    internal=internal_failure("InternalFailure", messages.internal()),
)


INVALID_VALUE: Final = "InvalidParameterValueException"
INVALID_COMBINATION: Final = "InvalidParameterCombinationException"


class DaxError(ApiError):
    """A refusal of the API."""


def invalid(text: str) -> DaxError:
    """An InvalidParameterValueException."""
    return DaxError(INVALID_VALUE, text)


def contradictory(text: str) -> DaxError:
    """An InvalidParameterCombinationException."""
    return DaxError(INVALID_COMBINATION, text)
