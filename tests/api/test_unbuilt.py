"""What DynamoDB has and this server not yet: refused, never accepted and ignored."""

import botocore.session
import msgspec
import pytest
from botocore import xform_name

from hashrange.api.dynamodb.registry import OPERATIONS
from tests.api.refusals import VALIDATION, refusal, table_request
from tests.house.reference import unbuilt_fields


def operations(service):
    return set(botocore.session.get_session().get_service_model(service).operation_names)


# An operation that a newer model adds is missing here first.
@pytest.mark.parametrize("service", ["dynamodb", "dynamodbstreams"])
def test_all_operations_are_built(service):
    assert operations(service) - set(OPERATIONS) == set()


# What an otherwise right request is given, member by member.
MEMBERS = {"UpdateTable": {"DisassociationProtectionEnabled": True}}
REQUESTS = {"UpdateTable": {"TableName": "tab", "TableClass": "STANDARD"}}


@pytest.mark.parametrize(
    ("operation", "member"),
    [(operation, member) for operation, members in MEMBERS.items() for member in members],
)
def test_member_is_refused(dynamodb, operation, member):
    call = getattr(dynamodb, xform_name(operation))
    told = refusal(call, **{**REQUESTS[operation], member: MEMBERS[operation][member]})
    assert told == (VALIDATION, f"hashrange does not support {member} yet")


# The list above has every member that an operation says it refuses: nobody forgets one here.
@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_each_refused_member_is_tested(operation):
    row = OPERATIONS[operation]
    spelt = {field.name: field.encode_name for field in msgspec.structs.fields(row.request)}
    refused = {spelt[field] for field in unbuilt_fields(row)}
    assert refused == set(MEMBERS.get(operation, ()))


# What is refused changes nothing, whatever else the request asks for.
def test_nothing_is_done(dynamodb, simple):
    members = {"DisassociationProtectionEnabled": False, "DeletionProtectionEnabled": True}
    refusal(dynamodb.update_table, TableName=simple, **members)
    assert not dynamodb.describe_table(TableName=simple)["Table"]["DeletionProtectionEnabled"]


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


# Tables have no indexes yet, so this is what DynamoDB itself says. Catalogue 123.
def test_there_are_no_indexes(dynamodb, simple):
    told = (VALIDATION, "The table does not have the specified index: an-index")
    assert refusal(dynamodb.scan, TableName=simple, IndexName="an-index") == told
    query = {
        "KeyConditionExpression": "pk = :k",
        "ExpressionAttributeValues": {":k": {"S": "k"}},
    }
    assert refusal(dynamodb.query, TableName=simple, IndexName="an-index", **query) == told
