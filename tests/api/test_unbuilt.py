"""What DynamoDB has and this server not yet: refused, never accepted and ignored."""

import botocore.session
import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from tests.api.refusals import VALIDATION, refusal, table_request


def operations(service):
    return set(botocore.session.get_session().get_service_model(service).operation_names)


# An operation that a newer model adds is missing here first.
@pytest.mark.parametrize("service", ["dynamodb", "dynamodbstreams"])
def test_all_operations_are_built(service):
    assert operations(service) - set(OPERATIONS) == set()


# Members of members: a part of the request's structure is not built.
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("SSESpecification", {"Enabled": True, "SSEType": "KMS"}),
        ("SSESpecification", {"Enabled": True}),
        ("SSESpecification", {"SSEType": "KMS"}),
        ("SSESpecification", {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/a"}),
    ],
)
def test_member_is_refused_where_it_turns_on(dynamodb, simple, member, value):
    for told in (
        refusal(dynamodb.create_table, **table_request(**{member: value})),
        refusal(dynamodb.update_table, TableName=simple, **{member: value}),
    ):
        assert told[0] == VALIDATION
        assert told[1].startswith(f"hashrange does not support {member} yet")
