"""SSESpecification: refused by default, or described as asked for."""

import re

import pytest

from hashrange.storage.encryption.master_key import MasterKey
from tests.api.conftest import client_of
from tests.api.refusals import VALIDATION, refusal, table_request

UNSUPPORTED = (
    VALIDATION,
    (
        "hashrange does not support SSESpecification yet: tables are not encrypted. The setting "
        "--encrypt encrypts all tables; --accept-encryption-requests accepts and describes it "
        "without encrypting"
    ),
)
MANAGED = r"arn:aws:kms:us-east-1:000000000000:key/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
KEY_ARN = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
INVALID = "One or more parameter values were invalid: "
SAME_KEY = (
    VALIDATION,
    (
        f"{INVALID}Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId "
        "parameter if you want to change Master Key"
    ),
)
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
    request = table_request(SSESpecification=specification)
    assert refusal(dynamodb.create_table, **request) == UNSUPPORTED
    update = {"TableName": simple, "SSESpecification": specification}
    assert refusal(dynamodb.update_table, **update) == UNSUPPORTED


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
        ({"Enabled": True, **KEY}, "SSEType KMS is required if KMSMasterKeyId is specified"),
        ({"Enabled": True, "SSEType": "AES256"}, "SSEType AES256 is not supported"),
    ],
)
def test_specification_makes_no_sense(dynamodb, specification, text):
    request = table_request(SSESpecification=specification)
    assert refusal(dynamodb.create_table, **request) == (VALIDATION, INVALID + text)
    told = refusal(dynamodb.update_table, TableName="no-such-table", SSESpecification=specification)
    assert told == (VALIDATION, INVALID + text)


@pytest.fixture(scope="module")
def accepting(start_server):
    """A client of a server that accepts requests for encryption."""
    return client_of(start_server(accept_encryption_requests=True))


def _described(client, name):
    return client.describe_table(TableName=name)["Table"].get("SSEDescription")


# Templates with SSEEnabled must run. As the service describes the key of the account that it
# manages. Source: examples of the AWS CLI; the API reference.
@pytest.mark.parametrize(
    "specification",
    [
        {"Enabled": True},
        {"SSEType": "KMS"},
        {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/aws/dynamodb"},
    ],
)
def test_request_is_accepted_and_described(accepting, specification):
    request = table_request(SSESpecification=specification)
    created = accepting.create_table(**request)["TableDescription"]["SSEDescription"]
    assert created == _described(accepting, request["TableName"])
    arn = created.pop("KMSMasterKeyArn")
    assert re.fullmatch(MANAGED, arn)
    assert created == {"Status": "ENABLED", "SSEType": "KMS"}
    accepting.delete_table(TableName=request["TableName"])


@pytest.mark.parametrize(
    ("key", "arn"),
    [
        (KEY_ARN, KEY_ARN),
        ("an-id", "arn:aws:kms:us-east-1:000000000000:key/an-id"),
        ("alias/mine", "arn:aws:kms:us-east-1:000000000000:alias/mine"),
    ],
)
def test_key_is_described_by_its_arn(accepting, key, arn):
    specification = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key}
    request = table_request(SSESpecification=specification)
    accepting.create_table(**request)
    assert _described(accepting, request["TableName"])["KMSMasterKeyArn"] == arn
    accepting.delete_table(TableName=request["TableName"])


# Until the change is complete the key from before is shown. Measured by users, October 2026; source
# of UPDATING alone: an example of the AWS CLI.
def test_update_enables_changes_and_disables(accepting):
    request = table_request()
    name = {"TableName": request["TableName"]}
    accepting.create_table(**request)

    def update(**specification):
        answer = accepting.update_table(**name, SSESpecification=specification)
        return answer["TableDescription"]["SSEDescription"]

    assert update(Enabled=True) == {"Status": "UPDATING"}
    managed = _described(accepting, name["TableName"])
    assert re.fullmatch(MANAGED, managed["KMSMasterKeyArn"])
    assert update(SSEType="KMS", KMSMasterKeyId=KEY_ARN) == {**managed, "Status": "UPDATING"}
    mine = {**managed, "KMSMasterKeyArn": KEY_ARN}
    assert _described(accepting, name["TableName"]) == mine
    assert update(Enabled=False) == {**mine, "Status": "UPDATING"}
    assert _described(accepting, name["TableName"]) is None
    accepting.delete_table(**name)


# A request for the key that a table has is no error, unless it names the key by its ARN. Measured
# by users, October 2026.
@pytest.mark.parametrize(
    ("key", "others"),
    [
        ("alias/aws/dynamodb", [{}, {"KMSMasterKeyId": "alias/aws/dynamodb"}]),
        ("an-id", [{"KMSMasterKeyId": "an-id"}]),
        ("alias/mine", [{"KMSMasterKeyId": "alias/mine"}]),
    ],
)
def test_key_that_the_table_has(accepting, key, others):
    encrypted = {"Enabled": True, "SSEType": "KMS"}
    request = table_request(SSESpecification={**encrypted, "KMSMasterKeyId": key})
    name = {"TableName": request["TableName"]}
    described = accepting.create_table(**request)["TableDescription"]["SSEDescription"]
    for other in others:
        again = accepting.update_table(**name, SSESpecification={**encrypted, **other})
        assert again["TableDescription"]["SSEDescription"] == {**described, "Status": "UPDATING"}
        assert _described(accepting, name["TableName"]) == described
    exact = {**encrypted, "KMSMasterKeyId": described["KMSMasterKeyArn"]}
    assert refusal(accepting.update_table, **name, SSESpecification=exact) == SAME_KEY
    accepting.delete_table(**name)


# What waits for ENABLED, as Terraform does, sees the change take its time where that is asked for.
def test_update_takes_its_time(start_server):
    settings = {"delay_transient_statuses": True, "transient_status_ms": 400}
    client = client_of(start_server(accept_encryption_requests=True, **settings))
    request = table_request()
    client.create_table(**request)
    name = request["TableName"]
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 0.1})
    client.update_table(TableName=name, SSESpecification={"Enabled": True})
    statuses = [_described(client, name)["Status"]]
    while statuses[-1] != "ENABLED" and len(statuses) < 10_000:
        statuses.append(_described(client, name)["Status"])
    assert {*statuses[:-1]} == {"UPDATING"}
    assert statuses[-1] == "ENABLED"


MASTER = bytes(range(7, 39)).hex()
MASTER_ID = MasterKey(bytes(range(7, 39))).id
MASTER_ARN = f"arn:aws:kms:us-east-1:000000000000:key/{MASTER_ID}"


@pytest.fixture(scope="module")
def encrypting(start_server, tmp_path_factory):
    """A client of a server that encrypts."""
    data = tmp_path_factory.mktemp("encrypting") / "data"
    chosen = {"engine": "sqlite", "memory": False, "data": data, "encrypt": True}
    return client_of(start_server(**chosen, encryption_key=MASTER))


# The directory's key is the only one of KMS: that of the service, and one with an ARN.
@pytest.mark.parametrize(
    "specification",
    [
        {"Enabled": True},
        {"SSEType": "KMS"},
        {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/aws/dynamodb"},
        {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": MASTER_ARN},
        {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": MASTER_ID},
    ],
)
def test_key_of_the_directory_is_accepted_and_described(encrypting, specification):
    request = table_request(SSESpecification=specification)
    created = encrypting.create_table(**request)["TableDescription"]["SSEDescription"]
    assert created == {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": MASTER_ARN}
    assert _described(encrypting, request["TableName"]) == created
    exact = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": MASTER_ARN}
    update = {"TableName": request["TableName"], "SSESpecification": exact}
    assert refusal(encrypting.update_table, **update) == SAME_KEY
    encrypting.delete_table(TableName=request["TableName"])


# Source of the texts: reports of users that quote the service, 2023 and 2026.
@pytest.mark.parametrize(
    ("key", "text"),
    [
        (KEY_ARN, f"Key '{KEY_ARN}' does not exist"),
        ("alias/mine", "Alias arn:aws:kms:us-east-1:000000000000:alias/mine is not found."),
        (MASTER_ARN.replace("us-east-1", "eu-west-1"), "Invalid arn eu-west-1"),
    ],
)
def test_other_keys_do_not_exist(encrypting, key, text):
    specification = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key}
    request = table_request(SSESpecification=specification)
    prefix = "KMS validation error: com.amazonaws.services.kms.model.NotFoundException: "
    assert refusal(encrypting.create_table, **request) == (VALIDATION, prefix + text)
    encrypting.create_table(**table_request(TableName=request["TableName"]))
    update = {"TableName": request["TableName"], "SSESpecification": specification}
    assert refusal(encrypting.update_table, **update) == (VALIDATION, prefix + text)
    encrypting.delete_table(TableName=request["TableName"])


# As on AWS, where a table without SSESpecification has a key that nobody sees.
def test_table_without_specification_is_not_described(encrypting):
    request = table_request()
    encrypting.create_table(**request)
    assert _described(encrypting, request["TableName"]) is None
    name = request["TableName"]
    encrypting.update_table(TableName=name, SSESpecification={"Enabled": True})
    assert _described(encrypting, name)["KMSMasterKeyArn"] == MASTER_ARN
    encrypting.update_table(TableName=name, SSESpecification={"Enabled": False})
    assert _described(encrypting, name) is None
    encrypting.delete_table(TableName=name)
