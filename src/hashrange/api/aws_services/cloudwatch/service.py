"""CloudWatch as a service: its protocols, its errors, its operations."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from hashrange.errors import ApiError, DynamoError, Fault
from hashrange.messages import cloudwatch as messages
from hashrange.wire.answers import JSON_1_0
from hashrange.wire.exchange import SERVICE_PATHS
from hashrange.wire.json_protocol import JsonProtocol
from hashrange.wire.service import (
    Service,
    ServiceProtocol,
    operations_of,
    short_named,
    unknown_operation,
)

VERSION: Final = "2010-08-01"
_NAME: Final = b"GraniteServiceVersion20100801"
_PATH: Final = SERVICE_PATHS + _NAME + b"/operation/"

_CODES: Final = {
    "DashboardNotFoundError": "ResourceNotFound",
    "ExpiredTokenException": "ExpiredToken",
    "IncompleteSignatureException": "IncompleteSignature",
    "InternalServiceFault": "InternalServiceError",
    "InvalidFormatFault": "InvalidFormat",
    "InvalidNextToken": "InvalidNextToken",
    "InvalidParameterCombinationException": "InvalidParameterCombination",
    "InvalidParameterValueException": "InvalidParameterValue",
    "InvalidSignatureException": "SignatureDoesNotMatch",
    "LimitExceededFault": "LimitExceeded",
    "MissingAuthenticationTokenException": "MissingAuthenticationToken",
    "MissingRequiredParameterException": "MissingParameter",
    "UnrecognizedClientException": "InvalidClientTokenId",
    "ValidationException": "ValidationError",
}
"""The codes of the query protocol by the names of the API's model and of the services' faults."""


def refusal(name: str, text: str, *, status: int = 400) -> ApiError:
    """A refusal, with its code in the query protocol."""
    return ApiError(name, text, status=status, code=_CODES.get(name))


def invalid_value(text: str) -> ApiError:
    """An InvalidParameterValueException."""
    return refusal("InvalidParameterValueException", text)


def contradictory(text: str) -> ApiError:
    """An InvalidParameterCombinationException."""
    return refusal("InvalidParameterCombinationException", text)


def missing(text: str) -> ApiError:
    """A MissingRequiredParameterException."""
    return refusal("MissingRequiredParameterException", text)


def invalid(text: str) -> ApiError:
    """A ValidationException: of metric math, and of what is not built."""
    return refusal("ValidationException", text)


def _denied(text: str) -> ApiError:
    return ApiError("AccessDeniedException", text, status=403, code="AccessDenied")


def _of_fault(error: DynamoError) -> ApiError:
    """A fault as CloudWatch reports it."""
    if error.fault is Fault.VALIDATION:
        return invalid(error.message or "")
    found = short_named(error)
    return refusal(found.name, found.text or "", status=found.status)


@cache
def _further() -> Sequence[ServiceProtocol]:
    from hashrange.limits import cloudwatch as limits  # noqa: PLC0415 - with the first request
    from hashrange.wire.forms import FormBounds  # noqa: PLC0415
    from hashrange.wire.query_protocol import QueryProtocol  # noqa: PLC0415
    from hashrange.wire.rpc_cbor_protocol import RpcCborProtocol  # noqa: PLC0415

    forms = FormBounds(
        bytes_max=limits.FORM_BYTES_MAX,
        fields_max=limits.FORM_FIELDS_MAX,
        levels_max=limits.FORM_LEVELS_MAX,
        list_max=limits.FORM_FIELDS_MAX,
    )
    return (
        RpcCborProtocol(
            path=_PATH, namespace="com.amazonaws.cloudwatch", items_max=limits.CBOR_ITEMS_MAX
        ),
        QueryProtocol(
            namespace=f"http://monitoring.amazonaws.com/doc/{VERSION}/",
            version=VERSION,
            bounds=forms,
            checks_members=False,
        ),
    )


CLOUDWATCH: Final = Service(
    name="monitoring",
    actions="cloudwatch",
    version=VERSION,
    protocols=(JsonProtocol(target=_NAME, content_type=JSON_1_0),),
    further=_further,
    path=_PATH,
    has_forms=True,
    operations=operations_of(
        "hashrange.api.aws_services.cloudwatch",
        "metrics",
        "metric_statistics",
        "data",
        "dashboards",
        "alarms",
        "composite_alarms",
        "alarm_lists",
        "alarm_history",
        "tags",
        "insight_rules",
        "insight_reports",
    ),
    data_operations=frozenset(
        ("GetMetricData", "GetMetricStatistics", "ListMetrics", "PutMetricData")
    ),
    unknown=unknown_operation(messages.unknown_operation),
    denied=_denied,
    of_fault=_of_fault,
    internal=refusal("InternalServiceFault", messages.internal(), status=500),
)
