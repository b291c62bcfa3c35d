"""What Terraform, CDK and consoles read after every change: it must be answered, and be true."""

from urllib.parse import urlsplit

import pytest

from tests.api.refusals import NOT_FOUND, VALIDATION, breaks, refusal, violated


# ContinuousBackupsStatus is ENABLED for every table, also where recovery is not.
def test_continuous_backups(dynamodb, simple):
    answer = dynamodb.describe_continuous_backups(TableName=simple)
    assert answer["ContinuousBackupsDescription"] == {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }


# Catalogue 281: the operations on backups have a fault of their own.
def test_continuous_backups_of_no_table(dynamodb):
    told = refusal(dynamodb.describe_continuous_backups, TableName="no-such-table")
    assert told == ("TableNotFoundException", "Table not found: no-such-table")


# Without AttributeName, which only an enabled one has. Source: the model.
def test_time_to_live(dynamodb, simple):
    answer = dynamodb.describe_time_to_live(TableName=simple)
    assert answer["TimeToLiveDescription"] == {"TimeToLiveStatus": "DISABLED"}


# Catalogue 153.
def test_time_to_live_of_no_table(dynamodb):
    told = refusal(dynamodb.describe_time_to_live, TableName="no-such-table")
    assert told == (NOT_FOUND, "Requested resource not found: Table: no-such-table not found")


# Catalogue 5, and the model's words as of DescribeTable.
@pytest.mark.parametrize("operation", ["describe_time_to_live", "describe_continuous_backups"])
def test_name_is_missing_or_of_a_wrong_length(dynamodb, operation):
    call = getattr(dynamodb, operation)
    text = "The parameter 'TableName' is required but was not present in the request"
    assert refusal(call) == (VALIDATION, text)
    told = refusal(call, TableName="ab")
    assert told == violated(breaks("ab", "tableName", "have length greater than or equal to 3"))


# The default quotas. Source: the API Reference.
def test_limits(dynamodb):
    limits = dynamodb.describe_limits()
    del limits["ResponseMetadata"]
    assert limits == {
        "AccountMaxReadCapacityUnits": 80_000,
        "AccountMaxWriteCapacityUnits": 80_000,
        "TableMaxReadCapacityUnits": 40_000,
        "TableMaxWriteCapacityUnits": 40_000,
    }


# A client with endpoint discovery goes on at the address that it is given, so it must be one where
# this server is: that to which it came.
def test_endpoints(dynamodb, endpoint):
    answer = dynamodb.describe_endpoints()
    assert answer["Endpoints"] == [
        {"Address": urlsplit(endpoint).netloc, "CachePeriodInMinutes": 1440}
    ]
