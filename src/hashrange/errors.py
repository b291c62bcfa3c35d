"""The table of all faults, and the exception that carries a fault to the client.

A fault is an error code of the API; its text comes from `hashrange.messages`. Any other exception
is internal: it is logged, and the client gets `Fault.INTERNAL`.

Source: the model of the DynamoDB API and captures of its JSON errors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Self

_MODEL: Final = "com.amazonaws.dynamodb.v20120810#"
_VALIDATE: Final = "com.amazon.coral.validate#"
_SERVICE: Final = "com.amazon.coral.service#"
_CLOUDTRAIL: Final = "com.amazonaws.cloudtrail.v20131101#"
_AVAILABILITY: Final = "com.amazon.coral.availability#"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A fault: its name on the wire, its HTTP status, and the JSON member of its text."""

    wire_name: str
    status: int = 400
    message_member: str = "message"


class Fault(Enum):
    """The error codes that clients can get."""

    VALIDATION = _Row(wire_name=_VALIDATE + "ValidationException")
    SERIALIZATION = _Row(wire_name=_SERVICE + "SerializationException", message_member="Message")
    SEARCH_SERIALIZATION = _Row(wire_name=_SERVICE + "SerializationException")
    """Of a body of SearchVectors, which has another parser. Source: measured by users, 2026."""
    UNKNOWN_OPERATION = _Row(wire_name=_SERVICE + "UnknownOperationException")
    MISSING_AUTHENTICATION_TOKEN = _Row(wire_name=_SERVICE + "MissingAuthenticationTokenException")
    INCOMPLETE_SIGNATURE = _Row(wire_name=_SERVICE + "IncompleteSignatureException")
    INVALID_SIGNATURE = _Row(wire_name=_SERVICE + "InvalidSignatureException")
    UNRECOGNIZED_CLIENT = _Row(wire_name=_SERVICE + "UnrecognizedClientException")
    EXPIRED_TOKEN = _Row(wire_name=_SERVICE + "ExpiredTokenException")
    FORBIDDEN = _Row(
        wire_name=_SERVICE + "AccessDeniedException", status=403, message_member="Message"
    )
    """Our own status: a web page, or a name of the server, that is not allowed."""
    ACCESS_DENIED = _Row(
        wire_name=_SERVICE + "AccessDeniedException", status=400, message_member="Message"
    )
    """Policies do not allow the request."""
    RESOURCE_NOT_FOUND = _Row(wire_name=_MODEL + "ResourceNotFoundException")
    RESOURCE_IN_USE = _Row(wire_name=_MODEL + "ResourceInUseException")
    LIMIT_EXCEEDED = _Row(wire_name=_MODEL + "LimitExceededException")
    TABLE_NOT_FOUND = _Row(wire_name=_MODEL + "TableNotFoundException")
    GLOBAL_TABLE_NOT_FOUND = _Row(wire_name=_MODEL + "GlobalTableNotFoundException")
    BACKUP_NOT_FOUND = _Row(wire_name=_MODEL + "BackupNotFoundException")
    BACKUP_IN_USE = _Row(wire_name=_MODEL + "BackupInUseException")
    TABLE_EXISTS = _Row(wire_name=_MODEL + "TableAlreadyExistsException")
    TABLE_IN_USE = _Row(wire_name=_MODEL + "TableInUseException")
    RECOVERY_UNAVAILABLE = _Row(wire_name=_MODEL + "PointInTimeRecoveryUnavailableException")
    BACKUPS_UNAVAILABLE = _Row(wire_name=_MODEL + "ContinuousBackupsUnavailableException")
    INVALID_RESTORE_TIME = _Row(wire_name=_MODEL + "InvalidRestoreTimeException")
    EXPORT_CONFLICT = _Row(wire_name=_MODEL + "ExportConflictException")
    INVALID_EXPORT_TIME = _Row(wire_name=_MODEL + "InvalidExportTimeException")
    EXPORT_NOT_FOUND = _Row(wire_name=_MODEL + "ExportNotFoundException")
    IMPORT_NOT_FOUND = _Row(wire_name=_MODEL + "ImportNotFoundException")
    IMPORT_CONFLICT = _Row(wire_name=_MODEL + "ImportConflictException")
    POLICY_NOT_FOUND = _Row(wire_name=_MODEL + "PolicyNotFoundException")
    CONDITION_FAILED = _Row(wire_name=_MODEL + "ConditionalCheckFailedException")
    DUPLICATE_ITEM = _Row(wire_name=_MODEL + "DuplicateItemException")
    COLLECTION_TOO_LARGE = _Row(wire_name=_MODEL + "ItemCollectionSizeLimitExceededException")
    TRANSACTION_CANCELLED = _Row(
        wire_name=_MODEL + "TransactionCanceledException", message_member="Message"
    )
    TRANSACTION_CONFLICT = _Row(wire_name=_MODEL + "TransactionConflictException")
    TRANSACTION_IN_PROGRESS = _Row(
        wire_name=_MODEL + "TransactionInProgressException", message_member="Message"
    )
    REPLICATED_WRITE_CONFLICT = _Row(wire_name=_MODEL + "ReplicatedWriteConflictException")
    """Another region writes the item of a strong table. SDKs retry it."""
    IDEMPOTENT_PARAMETER_MISMATCH = _Row(
        wire_name=_MODEL + "IdempotentParameterMismatchException", message_member="Message"
    )
    THROUGHPUT_EXCEEDED = _Row(wire_name=_MODEL + "ProvisionedThroughputExceededException")
    REQUEST_LIMIT_EXCEEDED = _Row(wire_name=_MODEL + "RequestLimitExceeded")
    THROTTLED = _Row(wire_name=_AVAILABILITY + "ThrottlingException")
    EXPIRED_ITERATOR = _Row(wire_name=_MODEL + "ExpiredIteratorException")
    TRIMMED_DATA = _Row(wire_name=_MODEL + "TrimmedDataAccessException")
    INVALID_LOOKUP_ATTRIBUTES = _Row(wire_name=_CLOUDTRAIL + "InvalidLookupAttributesException")
    INVALID_TIME_RANGE = _Row(wire_name=_CLOUDTRAIL + "InvalidTimeRangeException")
    INVALID_MAX_RESULTS = _Row(wire_name=_CLOUDTRAIL + "InvalidMaxResultsException")
    INVALID_NEXT_TOKEN = _Row(wire_name=_CLOUDTRAIL + "InvalidNextTokenException")
    INVALID_EVENT_CATEGORY = _Row(wire_name=_CLOUDTRAIL + "InvalidEventCategoryException")
    INTERNAL = _Row(wire_name=_MODEL + "InternalServerError", status=500)
    UNAVAILABLE = _Row(wire_name=_MODEL + "ServiceUnavailable", status=503)

    @property
    def wire_name(self) -> str:
        """Namespace and name: the value of `__type` in the body."""
        return self.value.wire_name

    @property
    def code(self) -> str:
        """The name without its namespace, as SDKs have it."""
        return self.wire_name.rpartition("#")[2]

    @property
    def status(self) -> int:
        """HTTP status code."""
        return self.value.status

    @property
    def message_member(self) -> str:
        """The JSON member that carries the text: `message` or `Message`."""
        return self.value.message_member


class DynamoError(Exception):
    """An error that is answered to the client as DynamoDB answers it.

    Args:
        fault: the error code.
        message: the text; None if DynamoDB sends none.
        members: further members of the error's JSON body, in wire form.
        bare: never prefix the text with `1 validation error detected: `, as some operations do
            with their other texts.
    """

    def __init__(
        self,
        fault: Fault,
        message: str | None = None,
        *,
        members: Mapping[str, object] | None = None,
        bare: bool = False,
    ) -> None:
        super().__init__(fault.wire_name if message is None else message)
        self.fault = fault
        self.message = message
        self.members = members
        self.bare = bare

    def as_value(self) -> Self:
        """The error, to be kept and not raised: without the calls that it has passed.

        These refer to what keeps it, and the cycle would stay in memory until the next garbage
        collection, which is rare.
        """
        self.__cause__ = self.__context__ = self.__traceback__ = None
        return self


def invalid(message: str, *, bare: bool = False) -> DynamoError:
    """A ValidationException, the most frequent fault; `bare` as in `DynamoError`."""
    return DynamoError(Fault.VALIDATION, message, bare=bare)


class ApiError(Exception):
    """A refusal of an API beside DynamoDB's, whose names and bodies are not those of DynamoDB.

    Args:
        name: of the exception in the API's model, such as `ObjectNotFoundException`.
        text: the member of the message; None if there is none.
        members: further members of the body.
        status: of HTTP.
        code: in the query protocol, if it is not the name.
    """

    def __init__(
        self,
        name: str,
        text: str | None,
        members: Mapping[str, object] | None = None,
        *,
        status: int = 400,
        code: str | None = None,
    ) -> None:
        super().__init__(name if text is None else text)
        self.name = name
        self.text = text
        self.members = members or {}
        self.status = status
        self.code = code or name
