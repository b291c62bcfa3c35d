"""A server to test against, through boto3 only.

By default one in this process, in memory, on a free port; with `--endpoint URL` any other, so that
the same tests can run against another engine or another server.
"""

import contextlib
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.client import BaseClient
from botocore.config import Config

from hashrange.process import Server, started
from hashrange.settings.settings import Settings
from tests.api.shapes import watch
from tests.engines.postgres_server import url_of
from tests.pace import until
from tests.served import ServerThread, served
from tests.servers.fleet import metric_at

REGION = "us-east-1"
CONFIG = Config(retries={"max_attempts": 1}, parameter_validation=False, max_pool_connections=20)
"""No validation by the client: what the server says is what is tested."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--endpoint", default=None, help="test this server instead of one of our own")
    parser.addoption("--engine", default="memory", choices=["memory", "postgres", "workers"])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On another engine, leave out what asks none of our servers: it would do the same again."""
    if config.getoption("--engine") == "memory":
        return
    ours = {"start_server", "endpoint"}
    asks = {item: not ours.isdisjoint(getattr(item, "fixturenames", ())) for item in items}
    config.hook.pytest_deselected(items=[item for item in items if not asks[item]])
    items[:] = [item for item in items if asks[item]]


@pytest.fixture(scope="module")
def start_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., str]]:
    """Starts a server with settings of its own, until the end of the file; gives its URL."""
    # Each server that runs on costs CPU: its tasks of the background look for work.
    with starting(request, tmp_path_factory) as start:
        yield start


@contextlib.contextmanager
def starting(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., str]]:
    """Within it servers of the chosen engine can be started."""
    engine = request.config.getoption("--engine", "memory")

    def start(**settings: Any) -> str:
        if engine == "workers":
            place: dict[str, Any] = {
                "data": tmp_path_factory.mktemp("workers") / "data",
                "workers": 2,
            }
            server = started({"port": 0, **place, **settings})
            stack.callback(server.stop)
            return server.endpoint
        place = {"memory": True}
        if engine == "postgres" and "data" not in settings:  # which names a directory of SQLite
            place = {"engine": url_of(str(uuid.uuid4()))}
        chosen = {"port": 0, "drain_seconds": 1, **place, **settings}
        thread = ServerThread(Settings(**chosen))
        stack.callback(thread.close)
        if "engine" in place and chosen.get("testing"):
            # What a move of its clock makes due is the work of a leader.
            until(lambda: metric_at(thread.endpoint, "background_leads") == 1)
        return thread.endpoint

    with contextlib.ExitStack() as stack:
        yield start


@pytest.fixture(scope="session")
def endpoint(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """URL of the server under test."""
    with starting(request, tmp_path_factory) as start:
        yield request.config.getoption("--endpoint", None) or start()


def client_of(endpoint: str, service: str = "dynamodb", **options: Any) -> BaseClient:
    """A client that checks the shape of every answer."""
    chosen = {
        "region_name": REGION,
        "aws_access_key_id": "local",
        "aws_secret_access_key": "local",
        "config": CONFIG,
        **options,
    }
    client = boto3.client(service, endpoint_url=endpoint, **chosen)
    return client if service in {"iam", "sts"} else watch(client)  # those answer in XML


@pytest.fixture(scope="session")
def dynamodb(endpoint: str) -> BaseClient:
    """A client of the server under test."""
    return client_of(endpoint)


@pytest.fixture(scope="session")
def new_table(dynamodb: BaseClient) -> Iterator[Callable[..., str]]:
    """Creates a table and gives its name: `new_table(pk="S", sk="N", **more)`."""
    names: list[str] = []

    def create(*, pk: str = "S", sk: str | None = None, **more: Any) -> str:
        keys = {"pk": (pk, "HASH")} | ({"sk": (sk, "RANGE")} if sk else {})
        name = f"t-{uuid.uuid4()}"
        dynamodb.create_table(
            **{
                "TableName": name,
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [
                    {"AttributeName": key, "AttributeType": kind} for key, (kind, _) in keys.items()
                ],
                "KeySchema": [
                    {"AttributeName": key, "KeyType": role} for key, (_, role) in keys.items()
                ],
                **more,
            }
        )
        names.append(name)
        dynamodb.get_waiter("table_exists").wait(
            TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60}
        )
        return name

    yield create
    for name in names:
        try:
            dynamodb.delete_table(TableName=name)
        except dynamodb.exceptions.ResourceNotFoundException:
            continue


@pytest.fixture(scope="session")
def simple(new_table: Callable[..., str]) -> str:
    """A table with a partition key `pk` (S), shared: use keys of your own."""
    return new_table()


@pytest.fixture(scope="session")
def composite(new_table: Callable[..., str]) -> str:
    """A table with `pk` (S) and `sk` (S), shared: use partitions of your own."""
    return new_table(sk="S")


@pytest.fixture(scope="session")
def numbered(new_table: Callable[..., str]) -> str:
    """A table with `pk` (S) and `sk` (N), shared: use partitions of your own."""
    return new_table(sk="N")


@pytest.fixture
def pk() -> str:
    """A partition key that no other test has."""
    return str(uuid.uuid4())


@pytest.fixture
def key(pk: str) -> dict[str, dict[str, str]]:
    """The key of an item of the table `simple` that no other test has."""
    return {"pk": {"S": pk}}


@pytest.fixture(scope="session")
def streams(endpoint: str) -> BaseClient:
    """A client of the streams of the server under test."""
    return client_of(endpoint, "dynamodbstreams")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server of the file, whose clock can be moved."""
    with served(testing=True) as found:
        yield found


@pytest.fixture
def clock(server: Server) -> Iterator[Any]:
    """The clock of the file's server, which is set back after each test."""
    yield server.clock
    server.clock.reset()


@pytest.fixture
def cloudwatch(server: Server) -> BaseClient:
    """A client of the metrics of the file's server."""
    return client_of(server.endpoint, "cloudwatch")


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is a bucket."""
    return tmp_path_factory.mktemp("bucket")
