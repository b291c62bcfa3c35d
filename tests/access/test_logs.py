"""No log has a key, a value, a secret or a signature, at the level that tells most.

The log of a real server is read, after requests of all kinds: answered, refused, denied, malformed,
slow, of all APIs.
"""

import contextlib
import http.client
import json
import re
import urllib.request
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError

from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.forks import process_of
from tests.pace import seconds

VALUE, KEY, NUMBER = "zzvaluezz", "zzkeyzz", "7700117700"
NAME = "orders"
TRUST = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}
ITEM = {"pk": {"S": KEY}, "v": {"S": VALUE}, "n": {"N": NUMBER}}
TABLE = {"TableName": NAME, **keyed(pk="S")}


class Session:
    """Requests to a server, and what must not be in its log.

    Attributes:
        secrets: keys, tokens and signatures that were sent or received.
    """

    def __init__(self, endpoint, keys):
        self.endpoint = endpoint
        self.keys = keys
        self.secrets = {keys["aws_secret_access_key"]}

    def client(self, service="dynamodb", **keys):
        made = client_of(self.endpoint, service, **(keys or self.keys))
        made.meta.events.register("before-send", self._note)
        return made

    def _note(self, request, **_):
        authorization = str(request.headers.get("Authorization", b""))
        self.secrets.update(re.findall(r"Signature=([0-9a-f]{64})", authorization))
        if token := request.headers.get("X-Amz-Security-Token"):
            self.secrets.add(token.decode() if isinstance(token, bytes) else token)

    def post(self, body, **headers):
        """A request that no SDK sends."""
        place = urlsplit(self.endpoint)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=seconds(30))
        with contextlib.closing(connection):
            connection.request("POST", "/", body, headers)
            return connection.getresponse().read()


@pytest.fixture(params=["json", "text"])
def log(request, tmp_path):
    """A function that ends the server and returns its log; and a session with it."""
    command = ["serve", "--port", "0", "--memory"]
    command += ["--auth", "required", "--log-level", "debug", "--log-format", request.param]
    command += ["--slow-request-ms", "1"]
    path = tmp_path / "log"
    with path.open("w") as errors:
        process = process_of(command, stderr=errors.fileno())
        try:
            endpoint = re.search(r"http://\S+", process.stdout.readline())[0].rstrip(".")
            found = dict(re.findall(r"export (AWS_\w+)=(\S+)", path.read_text()))
            keys = {name.lower(): value for name, value in found.items()}

            def ended():
                process.terminate()
                process.wait(seconds(30))
                text = path.read_text()
                # The first start shows them, once.
                return text.replace("".join(re.findall(r"  export AWS_SECRET\S+\n", text)), "")

            yield Session(endpoint, keys), ended
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def test_no_log_has_a_secret(log):
    session, ended = log
    db = session.client()
    db.create_table(**TABLE)
    calls = {
        "put_item": [{"Item": ITEM}, {"Item": {**ITEM, "pk": {"N": NUMBER}}}, {"Item": {}}],
        "get_item": [{"Key": {"pk": {"S": KEY}}}, {"Key": {"pk": {"S": KEY}, "x": {"S": VALUE}}}],
        "update_item": [
            {
                "Key": {"pk": {"S": KEY}},
                "UpdateExpression": f"SET v = {VALUE} +",
                "ExpressionAttributeValues": {":v": {"S": VALUE}},
            }
        ],
        "delete_item": [
            {
                "Key": {"pk": {"S": KEY}},
                "ConditionExpression": "v <> :v",
                "ExpressionAttributeValues": {":v": {"S": VALUE}},
            }
        ],
        "query": [{"KeyConditionExpression": f"pk = {KEY}"}],
    }
    for name, requests in calls.items():
        for members in requests:
            with contextlib.suppress(ClientError):
                getattr(db, name)(TableName=NAME, **members)
    for statement in (f"SELECT * FROM {NAME} WHERE pk = '{KEY}'", f"SELECT '{VALUE}"):
        with contextlib.suppress(ClientError):
            db.execute_statement(Statement=statement)
    _identities(session)
    url = db.generate_presigned_url("get_item", {"TableName": NAME, "Key": {"pk": {"S": KEY}}})
    session.secrets.update(re.findall(r"Signature=([0-9a-f]{64})", url))
    with contextlib.suppress(OSError):
        urllib.request.urlopen(url, timeout=seconds(30)).close()
    for body in (b"{" + VALUE.encode(), b"[" * 5000, VALUE.encode(), b""):
        target = {"X-Amz-Target": "DynamoDB_20120810.PutItem", "Authorization": VALUE}
        session.post(body, **{"Content-Type": "application/x-amz-json-1.0", **target})
        session.post(body, **{"Content-Type": VALUE, "X-Amz-Target": VALUE, "User-Agent": VALUE})
    text = ended()
    assert '"PutItem"' in text or "operation=PutItem" in text, "the requests are in the log"
    for secret in (VALUE, KEY, NUMBER, *session.secrets):
        assert secret not in text, secret
    assert len(session.secrets) > 10


def _identities(session):
    """Keys that are made, and sessions; and keys that are wrong."""
    iam, sts = session.client("iam"), session.client("sts")
    iam.create_user(UserName="app")
    made = iam.create_access_key(UserName="app")["AccessKey"]
    session.secrets.add(made["SecretAccessKey"])
    trust = json.dumps({"Version": "2012-10-17", "Statement": TRUST})
    role = iam.create_role(RoleName="r", AssumeRolePolicyDocument=trust)["Role"]
    given = sts.assume_role(RoleArn=role["Arn"], RoleSessionName="session")["Credentials"]
    session.secrets |= {given["SecretAccessKey"], given["SessionToken"]}
    wrong = "zzwrongzz" * 4
    session.secrets.add(wrong)
    for key, secret, token in (
        (made["AccessKeyId"], made["SecretAccessKey"], None),
        (given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"]),
        (given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"][:-9] + "AAAAAAAAA"),
        (made["AccessKeyId"], wrong, None),
    ):
        keys = {"aws_access_key_id": key, "aws_secret_access_key": secret}
        client = session.client(**keys, aws_session_token=token)
        with pytest.raises(ClientError) as refused:
            client.put_item(TableName=NAME, Item=ITEM)
        told = str(refused.value)
        assert not [each for each in (secret, VALUE, KEY) if each in told], told
