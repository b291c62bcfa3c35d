"""STS: where this server differs from its model. Answers are dictionaries, which become XML."""

from typing import Final

from tests.house.structures.iam import ARN, TAG_CHARS
from tests.house.structures.service import Service

_OPERATIONS: Final = """
    AssumeRole DecodeAuthorizationMessage GetAccessKeyInfo GetCallerIdentity GetFederationToken
    GetSessionToken
    """

STS: Final = Service(
    module="sts",
    model="sts",
    title="STS",
    requests=_OPERATIONS,
    # Members that are not built are refused.
    members={
        "AssumeRole": """
            RoleArn RoleSessionName PolicyArns Policy DurationSeconds Tags TransitiveTagKeys
            ExternalId SourceIdentity
            """,
        "GetFederationToken": "Name Policy PolicyArns DurationSeconds Tags",
        "GetSessionToken": "DurationSeconds",
    },
    checked_operations=_OPERATIONS,
    by_operation=True,
    elements=("AssumeRole.TransitiveTagKeys",),
    # Source: API Reference of STS.
    bounds={
        "policyDescriptorListType": {"max": 10},
        "unrestrictedSessionPolicyDocumentType": {"max": 2048},
    },
    linear={"arnType": ARN, "tagKeyType": TAG_CHARS, "tagValueType": TAG_CHARS},
    # Source: recordings of STS, September 2026.
    echoed=(
        "AssumeRole.RoleArn",
        "durationSecondsType",
        "externalIdType",
        "roleDurationSecondsType",
        "roleSessionNameType",
        "sessionPolicyDocumentType",
        "sourceIdentityType",
        "unrestrictedSessionPolicyDocumentType",
        "userNameType",
    ),
    refusals={
        "accessKeyIdType": "identities.value_invalid",
        "arnType": "identities.value_invalid",
        "sessionPolicyDocumentType": "identities.value_invalid",
        "unrestrictedSessionPolicyDocumentType": "identities.value_invalid",
    },
)
