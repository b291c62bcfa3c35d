"""The error codes of IAM and STS, with their HTTP statuses, and those of DynamoDB's faults."""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from hashrange.errors import ApiError, DynamoError, Fault


class Code(Enum):
    """The codes that clients can get, with the HTTP status."""

    ACCESS_DENIED = ("AccessDenied", 403)
    DELETE_CONFLICT = ("DeleteConflict", 409)
    ENTITY_EXISTS = ("EntityAlreadyExists", 409)
    EXPIRED_TOKEN = ("ExpiredToken", 403)
    INCOMPLETE_SIGNATURE = ("IncompleteSignature", 400)
    INTERNAL_FAILURE = ("InternalFailure", 500)
    INVALID_ACTION = ("InvalidAction", 400)
    INVALID_INPUT = ("InvalidInput", 400)
    INVALID_MESSAGE = ("InvalidAuthorizationMessageException", 400)
    INVALID_PARAMETER = ("InvalidParameterValue", 400)
    INVALID_TOKEN = ("InvalidClientTokenId", 403)
    LIMIT_EXCEEDED = ("LimitExceeded", 409)
    MALFORMED_POLICY = ("MalformedPolicyDocument", 400)
    MISSING_TOKEN = ("MissingAuthenticationToken", 403)
    NO_SUCH_ENTITY = ("NoSuchEntity", 404)
    PACKED_POLICY = ("PackedPolicyTooLarge", 400)
    SIGNATURE_MISMATCH = ("SignatureDoesNotMatch", 403)
    THROTTLING = ("Throttling", 400)
    UNAVAILABLE = ("ServiceUnavailable", 503)
    VALIDATION = ("ValidationError", 400)

    @property
    def wire_name(self) -> str:
        """As in the XML."""
        return self.value[0]

    @property
    def status(self) -> int:
        """HTTP status code."""
        return self.value[1]


class QueryError(ApiError):
    """A refusal of IAM or STS."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(code.wire_name, message, status=code.status)


_CODES: Final[Mapping[Fault, Code]] = {
    Fault.FORBIDDEN: Code.ACCESS_DENIED,
    Fault.INCOMPLETE_SIGNATURE: Code.INCOMPLETE_SIGNATURE,
    Fault.INVALID_SIGNATURE: Code.SIGNATURE_MISMATCH,
    Fault.MISSING_AUTHENTICATION_TOKEN: Code.MISSING_TOKEN,
    Fault.THROTTLED: Code.THROTTLING,
    Fault.UNAVAILABLE: Code.UNAVAILABLE,
    Fault.UNRECOGNIZED_CLIENT: Code.INVALID_TOKEN,
}


def of_fault(error: DynamoError) -> QueryError:
    """A refusal of the server, by host name or signature, as IAM and STS answer it."""
    code = _CODES.get(error.fault)
    if code is None:
        expired = error.fault.name == "EXPIRED_TOKEN"
        code = Code.EXPIRED_TOKEN if expired else Code.INTERNAL_FAILURE
        if error.fault.status < Code.INTERNAL_FAILURE.status and not expired:
            code = Code.ACCESS_DENIED
    return QueryError(code, error.message or code.wire_name)


def invalid(message: str) -> QueryError:
    """A ValidationError, the most frequent error."""
    return QueryError(Code.VALIDATION, message)
