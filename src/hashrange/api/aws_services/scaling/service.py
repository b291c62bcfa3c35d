"""Application Auto Scaling as a service: its protocol, its errors, its operations."""

from typing import Final

from hashrange.errors import ApiError
from hashrange.messages import scaling as messages
from hashrange.wire.json_protocol import JsonProtocol
from hashrange.wire.service import (
    Service,
    access_denied,
    internal_failure,
    operations_of,
    short_named,
    unknown_operation,
)

AUTO_SCALING: Final = Service(
    name="application-autoscaling",
    version="2016-02-06",
    protocols=(JsonProtocol(target=b"AnyScaleFrontendService", text_member="Message"),),
    operations=operations_of(
        "hashrange.api.aws_services.scaling", "actions", "activities", "policies", "tags", "targets"
    ),
    unknown=unknown_operation(messages.unknown_operation),
    denied=access_denied,
    of_fault=short_named,
    internal=internal_failure("InternalServiceException", messages.internal()),
)


class ScalingError(ApiError):
    """A refusal of the API."""


def invalid(text: str) -> ScalingError:
    """A ValidationException."""
    return ScalingError("ValidationException", text)


def not_found(text: str) -> ScalingError:
    """An ObjectNotFoundException."""
    return ScalingError("ObjectNotFoundException", text)


def limit_exceeded(text: str) -> ScalingError:
    """A LimitExceededException."""
    return ScalingError("LimitExceededException", text)
