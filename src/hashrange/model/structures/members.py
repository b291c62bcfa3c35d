"""The base of the structures of requests and answers, and the types of their members."""

from typing import Annotated, Final, TypeAlias

import msgspec

INTEGER_MAX: Final = 2**31 - 1
LONG_MAX: Final = 2**63 - 1

JAVA: Final = "java"
"""Names the type in Java, which stands in error texts, in the metadata of a type."""

Integer: TypeAlias = Annotated[
    int, msgspec.Meta(ge=-INTEGER_MAX - 1, le=INTEGER_MAX, extra={JAVA: "Integer"})
]
"""An integer of 32 bits, for example `Limit`."""
Long: TypeAlias = Annotated[int, msgspec.Meta(ge=-LONG_MAX - 1, le=LONG_MAX, extra={JAVA: "Long"})]
"""An integer of 64 bits, for example capacity units; a plain `int` is one too."""
Timestamp: TypeAlias = Annotated[float, msgspec.Meta(extra={JAVA: "Date"})]
"""Seconds since the epoch, with a fraction."""


def unread(name: str) -> msgspec.Meta:
    """Annotates a dict that is a structure of the API whose members are not read."""
    return msgspec.Meta(extra={JAVA: name})


_SPELT: Final = {
    "size_estimate_range_gb": "SizeEstimateRangeGB",
    "sse_specification": "SSESpecification",
    "sse_specification_override": "SSESpecificationOverride",
    "sse_type": "SSEType",
    "sse_description": "SSEDescription",
    "kms_master_key_id": "KMSMasterKeyId",
    "kms_master_key_arn": "KMSMasterKeyArn",
    "event_id": "eventID",
    "event_name": "eventName",
    "event_version": "eventVersion",
    "event_source": "eventSource",
    "aws_region": "awsRegion",
    "dynamodb": "dynamodb",
    "user_identity": "userIdentity",
}


def api_name(field: str) -> str:
    """The name of a member in the API; some names begin with an abbreviation."""
    return _SPELT.get(field) or field.title().replace("_", "")


class Structure(msgspec.Struct, frozen=True, omit_defaults=True, rename=api_name):
    """A structure of a request or an answer, with the names of the API in JSON."""
