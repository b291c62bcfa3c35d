"""SSESpecification: keys of customers are refused, the service's own key is what tables have."""

import pytest

from tests.api.refusals import VALIDATION, refusal, table_request

INVALID = "One or more parameter values were invalid: "
OFF = {"Enabled": False}
KEY = {"KMSMasterKeyId": "alias/mine"}


# Nothing is encrypted with such a key here, so nothing says that it is. A type turns encryption on
# without Enabled too. Measured by users, 2026.
@pytest.mark.parametrize(
    "specification",
    [
        {"Enabled": True},
        {"SSEType": "KMS"},
        {"Enabled": True, "SSEType": "KMS"},
        {"SSEType": "KMS", **KEY},
        {"Enabled": True, "SSEType": "KMS", **KEY},
    ],
)
def test_key_of_the_customer_is_refused(dynamodb, simple, specification):
    told = (VALIDATION, "hashrange does not support SSESpecification yet")
    request = table_request(SSESpecification=specification)
    assert refusal(dynamodb.create_table, **request) == told
    assert refusal(dynamodb.update_table, TableName=simple, SSESpecification=specification) == told


# Without any of that a new table has the service's own key, which is not described. Measured by
# users, 2026.
@pytest.mark.parametrize("specification", [OFF, {}])
def test_new_table_has_the_key_of_the_service(dynamodb, new_table, specification):
    name = new_table(SSESpecification=specification)
    assert "SSEDescription" not in dynamodb.describe_table(TableName=name)["Table"]


# And cannot be given it again. Measured by users, 2026.
@pytest.mark.parametrize("specification", [OFF, {}])
def test_table_has_the_key_of_the_service_already(dynamodb, simple, specification):
    told = refusal(dynamodb.update_table, TableName=simple, SSESpecification=specification)
    assert told == (VALIDATION, f"{INVALID}Table is already encrypted by default")


# What makes no sense is told in the service's words, before it is known whether the table exists.
# Measured by users, 2026.
@pytest.mark.parametrize(
    ("specification", "text"),
    [
        ({**OFF, "SSEType": "KMS"}, "SSEType can not be specified if Enabled is false"),
        ({**OFF, "SSEType": "AES256"}, "SSEType can not be specified if Enabled is false"),
        ({**OFF, "SSEType": "KMS", **KEY}, "SSEType can not be specified if Enabled is false"),
        ({**OFF, **KEY}, "KMSMasterKeyId can not be specified if Enabled is false"),
        (
            {"Enabled": True, **KEY},
            "SSEType KMS is required if KMSMasterKeyId is specified",
        ),
        ({"Enabled": True, "SSEType": "AES256"}, "SSEType AES256 is not supported"),
    ],
)
def test_specification_makes_no_sense(dynamodb, specification, text):
    request = table_request(SSESpecification=specification)
    assert refusal(dynamodb.create_table, **request) == (VALIDATION, INVALID + text)
    told = refusal(dynamodb.update_table, TableName="no-such-table", SSESpecification=specification)
    assert told == (VALIDATION, INVALID + text)
