"""pytest fixtures: one server for a session, and for each test an account of its own on it.

`dynamodb` is a boto3 client that sees nothing but what its test made. A test costs what its tables
cost; the server is started by the first that asks for it, in each worker of pytest-xdist.

Tests that ask for `dynamodb_clock` have a server of their own, whose clock is reset after each: the
clock of a server is that of all its accounts.
"""

# ruff: noqa: PLC0415 - every run of pytest loads this module, few use it
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from hashrange.testing import Account, DynamoDBServer
    from hashrange.testing_clock import ServerClock

_OPTION: Final = "--dynamodb-endpoint"
_CLOCK: Final = "dynamodb_clock"
_OWN: Final = {"port": 0, "memory": True, "namespaces": "separate"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """One option, for a server that runs already."""
    parser.getgroup("hashrange").addoption(
        _OPTION,
        metavar="URL",
        help="a server that runs already, with --namespaces separate, for all workers",
    )


@pytest.fixture(scope="session")
def dynamodb_settings() -> Mapping[str, object]:
    """Settings of the server, as `hashrange.start` takes them: override it in conftest.py."""
    return {}


@pytest.fixture(scope="session")
def dynamodb_server(
    pytestconfig: pytest.Config, dynamodb_settings: Mapping[str, object]
) -> "Iterator[DynamoDBServer]":
    """The server of the session: `endpoint`, `log()`, and `account()` for one account more."""
    url = pytestconfig.getoption(_OPTION)
    if url is not None:
        server = _running(url)
        yield server
        server.close()
        return
    yield from _started(dynamodb_settings)


@pytest.fixture(scope="session")
def dynamodb_clock_server(dynamodb_settings: Mapping[str, object]) -> "Iterator[DynamoDBServer]":
    """The server of the tests that move its clock, one after the other; never `_OPTION`'s."""
    yield from _started({**dynamodb_settings, "testing": True})


def _started(settings: Mapping[str, object]) -> "Iterator[DynamoDBServer]":
    from hashrange.process import started
    from hashrange.testing import DynamoDBServer

    with started({**_OWN, **settings}) as process:
        server = DynamoDBServer(process.endpoint, process.log)
        yield server
        server.close()


def _running(url: str) -> "DynamoDBServer":
    from hashrange.testing import DynamoDBServer, SharedError

    try:
        return DynamoDBServer.reached(url)
    except (OSError, SharedError) as error:
        pytest.fail(f"{_OPTION} {url}: {error}", pytrace=False)


@pytest.fixture
def dynamodb_account(request: pytest.FixtureRequest) -> "Iterator[Account]":
    """The account of the test: its credentials, and clients of it. Its tables end with it."""
    moves = _CLOCK in request.fixturenames
    # By name: a test needs one of the two servers, and starts no other.
    server: DynamoDBServer = request.getfixturevalue(
        "dynamodb_clock_server" if moves else "dynamodb_server"
    )
    account = server.account()
    yield account
    server.clear(account)


@pytest.fixture
def dynamodb_clock(
    dynamodb_account: "Account", dynamodb_clock_server: "DynamoDBServer"
) -> "Iterator[ServerClock]":
    """The clock of the test's server, at real time when the test begins: `advance(days=2)`."""
    if dynamodb_account.endpoint != dynamodb_clock_server.endpoint:
        pytest.fail(f"{_CLOCK} must be an argument of the test or of a fixture", pytrace=False)
    clock = dynamodb_clock_server.clock
    yield clock
    clock.reset()


@pytest.fixture
def dynamodb(dynamodb_account: "Account") -> Iterator[Any]:
    """A boto3 client of an account that no other test has."""
    client = _made(dynamodb_account.client)
    yield client
    client.close()


@pytest.fixture
def dynamodb_resource(dynamodb_account: "Account") -> Iterator[Any]:
    """A boto3 resource of the same account."""
    resource = _made(dynamodb_account.resource)
    yield resource
    resource.meta.client.close()


def _made(make: Callable[[], Any]) -> Any:
    from hashrange.testing import MissingBoto3Error

    try:
        return make()
    except MissingBoto3Error as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def dynamodb_env(dynamodb_account: "Account", monkeypatch: pytest.MonkeyPatch) -> "Account":
    """Environment variables with which clients that the code under test makes go there too."""
    from hashrange.testing import ELSEWHERE

    for name in ELSEWHERE:
        monkeypatch.delenv(name, raising=False)
    for name, text in dynamodb_account.environment().items():
        monkeypatch.setenv(name, text)
    return dynamodb_account
