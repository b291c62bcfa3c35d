"""What people see whose request is longer than 16 MiB: the service answers 413 without a body."""

import json

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.api.conftest import client_of

TOO_MUCH = "x" * 16 * 1024 * 1024


# An SDK reads the code of an error from the body; without one, the code is the status. A request
# that is too long now will be too long later: it is sent once, whatever the retries.
@pytest.mark.parametrize("mode", ["legacy", "standard", "adaptive"])
def test_boto3_fails_at_once_and_names_the_status(endpoint, mode):
    client = client_of(endpoint, config=Config(retries={"mode": mode, "max_attempts": 5}))
    sent = []
    client.meta.events.register("before-send", lambda request, **_: sent.append(request.url))
    with pytest.raises(ClientError) as refused:
        client.put_item(TableName="any", Item={"pk": {"S": TOO_MUCH}})
    assert refused.value.response["Error"] == {"Code": "413", "Message": ""}
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 413
    assert len(sent) == 1
    assert client.list_tables()["ResponseMetadata"]["HTTPStatusCode"] == 200
    client.close()


@pytest.mark.long
def test_the_aws_cli_names_the_status(aws, tmp_path):
    item = tmp_path / "item.json"
    item.write_text(json.dumps({"pk": {"S": TOO_MUCH}}))
    said = aws("put-item", "--table-name", "any", "--item", f"file://{item}", fails=True)
    assert "An error occurred (413) when calling the PutItem operation" in said
