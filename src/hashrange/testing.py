"""Accounts on a server for tests: unused credentials, boto3 clients, and their clean-up."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from importlib import import_module
from typing import Any, Final, Self
from urllib.parse import urlsplit

from hashrange.clock import SystemClock
from hashrange.testing_pages import ServerClock, ServerSnapshots

REGION: Final = "us-east-1"
_SECRET: Final = "local"  # noqa: S105 - not checked
_ACCOUNTS: Final = 10**12
_RANDOM_BYTES: Final = 8
_SECONDS_MAX: Final = 60.0
_TARGET: Final = "DynamoDB_20120810."
ELSEWHERE: Final = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN")
"""Variables by which an SDK would use another endpoint or other credentials."""
_PROBE: Final = "hashrange-namespaces"
_GONE: Final = ("ResourceNotFoundException", "ResourceInUseException")


clock: Final = ServerClock()
"""The clock of the server at AWS_ENDPOINT_URL_DYNAMODB, started with `--testing`."""
snapshots: Final = ServerSnapshots()
"""The snapshots of that server."""


class SharedError(RuntimeError):
    """A server with one namespace for all accounts: tests would see each other's tables."""


class MissingBoto3Error(ImportError):
    """boto3, which the clients need, is not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account of twelve digits, which has tables of its own.

    Attributes:
        endpoint: the URL of the server.
        id: the account, which is also the access key.
    """

    endpoint: str
    id: str
    _session: "_Session"

    def client(self, service: str = "dynamodb", **options: Any) -> Any:
        """A new boto3 client of `dynamodb` or `dynamodbstreams`; `options` as boto3 takes them."""
        return self._session.boto3().client(service, **self._arguments(options))

    def resource(self, **options: Any) -> Any:
        """A new boto3 resource of `dynamodb`."""
        return self._session.boto3().resource("dynamodb", **self._arguments(options))

    def environment(self) -> dict[str, str]:
        """Environment variables for any AWS SDK, in this process or in child processes."""
        return {
            "AWS_ENDPOINT_URL_DYNAMODB": self.endpoint,
            "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": self.endpoint,
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": self.id,
            "AWS_SECRET_ACCESS_KEY": _SECRET,
        }

    def _arguments(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "endpoint_url": self.endpoint,
            "region_name": REGION,
            "aws_access_key_id": self.id,
            "aws_secret_access_key": _SECRET,
            "config": self._session.direct(),
            **options,
        }


class _Session:
    """A boto3 session, made once, that reads no file of the user."""

    def __init__(self) -> None:
        self._boto3: Any = None
        self._direct: Any = None

    def boto3(self) -> Any:
        if self._boto3 is None:
            try:
                boto3, botocore = import_module("boto3"), import_module("botocore.session")
            except ImportError as error:
                text = "the fixtures of hashrange make boto3 clients: pip install boto3"
                raise MissingBoto3Error(text) from error
            # A profile that does not exist or has an endpoint must not affect a test.
            nothing = (None, None, None, None)
            files = dict.fromkeys(
                ("config_file", "credentials_file"), (None, None, os.devnull, None)
            )
            session = botocore.Session(session_vars={"profile": nothing, **files})
            self._boto3 = boto3.Session(botocore_session=session)
        return self._boto3

    def direct(self) -> Any:
        """A Config for clients without a proxy, which could not reach this machine."""
        self.boto3()
        if self._direct is None:
            self._direct = import_module("botocore.config").Config(proxies={})
        return self._direct


class DynamoDBServer:
    """A server with a namespace for each account.

    Attributes:
        endpoint: its URL.
        log: returns the log so far; empty for a server that was not started here.
    """

    def __init__(self, endpoint: str, log: Callable[[], str] = str) -> None:
        self.log = log
        self.endpoint = endpoint.rstrip("/")
        self._session = _Session()
        self._next = int.from_bytes(SystemClock().random_bytes(_RANDOM_BYTES))
        self._connection: HTTPConnection | None = None

    @property
    def clock(self) -> ServerClock:
        """The clock of the server, for all accounts; movable if it was started with `testing`."""
        return ServerClock(self.endpoint)

    @property
    def snapshots(self) -> ServerSnapshots:
        """The snapshots of the server, of all accounts; if it was started with `testing`."""
        return ServerSnapshots(self.endpoint)

    def account(self) -> Account:
        """A new account: the first has a random number, each further account the next number."""
        self._next += 1
        number = 1 + self._next % (_ACCOUNTS - 1)
        return Account(endpoint=self.endpoint, id=f"{number:012}", _session=self._session)

    def clear(self, account: Account) -> None:
        """Delete all tables of an account, also protected tables."""
        for name in self._tables(account):
            table = {"TableName": name}
            if not self._call(account, "DeleteTable", table, but=("ValidationException", *_GONE)):
                unprotected = {**table, "DeletionProtectionEnabled": False}
                self._call(account, "UpdateTable", unprotected, but=_GONE)
                self._call(account, "DeleteTable", table, but=_GONE)

    @classmethod
    def reached(cls, endpoint: str) -> Self:
        """A server that is already running. Raises OSError, SharedError."""
        server = cls(endpoint)
        if server._is_shared():
            server.close()
            raise SharedError("start this server with --namespaces separate")
        return server

    def close(self) -> None:
        """Close the connection to the server, which goes on."""
        if self._connection is not None:
            self._connection.close()

    def _is_shared(self) -> bool:
        one, other = self.account(), self.account()
        keys = {
            "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        }
        name = f"{_PROBE}-{one.id}"
        self._call(one, "CreateTable", {"TableName": name, **keys})
        shared = name in self._tables(other)
        self._call(one, "DeleteTable", {"TableName": name}, but=_GONE)
        return shared

    def _tables(self, account: Account) -> Iterator[str]:
        start: dict[str, object] = {}
        while True:
            page = self._call(account, "ListTables", start)
            yield from page["TableNames"]
            if "LastEvaluatedTableName" not in page:
                return
            start = {"ExclusiveStartTableName": page["LastEvaluatedTableName"]}

    def _call(
        self,
        account: Account,
        operation: str,
        request: Mapping[str, object],
        *,
        but: tuple[str, ...] = (),
    ) -> dict[str, Any]:
        """The answer; empty for the faults in `but`. Without boto3, which a test may patch."""
        answer = self._answer(account, operation, json.dumps(request).encode())
        fault = answer.get("__type")
        if fault is None:
            return answer
        if fault.rpartition("#")[2] not in but:
            raise RuntimeError(f"{self.endpoint} answers {operation} with {answer}")
        return {}

    def _answer(self, account: Account, operation: str, body: bytes) -> dict[str, Any]:
        scope = f"{account.id}/20260101/{REGION}/dynamodb/aws4_request"
        headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": _TARGET + operation,
            "X-Amz-Date": "20260101T000000Z",
            "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, "
            f"Signature={'0' * 64}",
        }
        is_new = self._connection is None
        if self._connection is None:
            parts = urlsplit(self.endpoint)
            assert parts.hostname is not None, "a URL of a server"
            self._connection = HTTPConnection(parts.hostname, parts.port, timeout=_SECONDS_MAX)
        try:
            self._connection.request("POST", "/", body, headers)
            answer: dict[str, Any] = json.loads(self._connection.getresponse().read())
        except (OSError, HTTPException):
            self.close()
            self._connection = None
            # The server closes idle connections: try again on a new connection.
            if is_new:
                raise
            return self._answer(account, operation, body)
        return answer
