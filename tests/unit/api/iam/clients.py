"""Clients of IAM and STS in this process: boto3's own, without a socket between."""

import asyncio
import re
import uuid

import boto3
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError

from hashrange.api.iam.backend import IdentityBackend
from hashrange.api.iam.registry import IAM, STS, NoIdentities, without_identities
from hashrange.api.service_api import ServiceApi
from hashrange.api.steps.operation import Caller, Connection
from hashrange.api.steps.service_authorization import Authorizer
from hashrange.errors import DynamoError
from hashrange.wire.exchange import Request
from tests.unit.access.identities.entities import ACCOUNT, NOW_MS, opened

CONFIG = Config(retries={"max_attempts": 1}, parameter_validation=False)


class Raw:
    """The bytes of an answer, as botocore reads them."""

    def __init__(self, body):
        self._body = body

    def stream(self, *_arguments, **_options):
        return iter([self._body])

    def read(self, *_arguments):
        return self._body


class Server:
    """The APIs on identities of their own; signatures are believed, as their verification is not
    what is tested here.
    """

    def __init__(self, engine=None, *, verified=True):
        self.identities = opened(engine)
        self.now_ms = NOW_MS
        self.verified = verified
        backend = IdentityBackend(self.identities, lambda: self.now_ms)
        self.apis = {each.name: self._api(each, backend) for each in (IAM, STS)}

    def _api(self, service, backend):
        if not self.verified:
            service, backend = without_identities(service), NoIdentities()
        authorizer = Authorizer(lambda: self.now_ms)
        return ServiceApi(service, backend, authorizer, lambda: str(uuid.uuid4()))

    def client(self, service, access_key="AKIALOCALLOCAL", secret="local", token=None):
        client = boto3.client(
            service,
            region_name="us-east-1",
            endpoint_url="http://127.0.0.1:1",
            aws_access_key_id=access_key,
            aws_secret_access_key=secret,
            aws_session_token=token,
            config=CONFIG,
        )
        client.meta.events.register(f"before-send.{service}", self._send)
        return client

    def _send(self, request, **_more):
        body = request.body if isinstance(request.body, bytes) else request.body.encode()
        authorization = request.headers["Authorization"].decode()
        access_key, service = re.search(
            r"Credential=([^/]+)/\d+/[^/]+/(\w+)/", authorization
        ).groups()
        token = request.headers.get("X-Amz-Security-Token")
        response = asyncio.run(self.respond(service, body, access_key, token and token.decode()))
        headers = {"x-amzn-requestid": response.request_id.decode()}
        return AWSResponse(request.url, response.status, headers, Raw(response.body))

    async def respond(self, service, body, access_key, token=None):
        api = self.apis[service]
        sent = Request(b"POST", b"/", b"", {}, body)
        if not self.verified:
            return await api.respond(sent, Caller(ACCOUNT, "us-east-1", "localhost"))
        try:
            found = self.identities.credentials.find(access_key, token)
        except DynamoError as error:
            return api.refuse(sent, error)
        connection = Connection("127.0.0.1", False, "test", access_key)
        account = found.subject.principal.account
        caller = Caller(account, "us-east-1", "localhost", found.subject, connection)
        return await api.respond(sent, caller)


def refused(call, **parameters):
    """The code and the text of a refusal."""
    try:
        call(**parameters)
    except ClientError as error:
        return error.response["Error"]["Code"], error.response["Error"]["Message"]
    raise AssertionError("it was not refused")


def session_client(server, service, answer):
    keys = answer["Credentials"]
    return server.client(
        service, keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"]
    )
