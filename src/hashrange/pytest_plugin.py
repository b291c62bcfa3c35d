"""pytest fixtures: a server for each session, and an account of its own for each test.

`dynamodb` is a boto3 client that sees only the tables of its test. The first test that uses a
fixture starts the server, once in each worker of pytest-xdist; further tests only pay for their
tables.

Tests that use `dynamodb_clock` or `dynamodb_snapshot` share another server, since a server has one
clock, and one state, for all its accounts. The clock is reset after each test.
"""

# ruff: noqa: PLC0415 - every run of pytest loads this module, few runs use it
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from hashrange.testing import Account, DynamoDBServer
    from hashrange.testing_pages import ServerClock
    from hashrange.testing_seeds import SeededServer

_OPTION: Final = "--dynamodb-endpoint"
_CLOCK: Final = "dynamodb_clock"
_SNAPSHOT: Final = "dynamodb_snapshot"
_OWN: Final = {"port": 0, "memory": True, "namespaces": "separate"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--dynamodb-endpoint`, for a server that is already running."""
    parser.getgroup("hashrange").addoption(
        _OPTION,
        metavar="URL",
        help="use this running server, started with --namespaces separate, in all workers",
    )


@pytest.fixture(scope="session")
def dynamodb_settings() -> Mapping[str, object]:
    """Settings of the server, as `hashrange.start` takes them; override it in conftest.py."""
    return {}


@pytest.fixture(scope="session")
def dynamodb_server(
    pytestconfig: pytest.Config, dynamodb_settings: Mapping[str, object]
) -> "Iterator[DynamoDBServer]":
    """The server of the session: `endpoint`, `log()`, and `account()` for another account."""
    url = pytestconfig.getoption(_OPTION)
    if url is not None:
        server = _running(url)
        yield server
        server.close()
        return
    yield from _started(dynamodb_settings)


@pytest.fixture(scope="session")
def dynamodb_clock_server(dynamodb_settings: Mapping[str, object]) -> "Iterator[DynamoDBServer]":
    """The server of the tests that move its clock or load snapshots.

    Never the server of `--dynamodb-endpoint`.
    """
    yield from _started({**dynamodb_settings, "testing": True})


@pytest.fixture(scope="session")
def dynamodb_seeded_server(dynamodb_clock_server: "DynamoDBServer") -> "SeededServer":
    """The states of that server which the functions of tests have made."""
    from hashrange.testing_seeds import SeededServer

    return SeededServer(dynamodb_clock_server)


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
    """The account of the test: credentials and clients. Its tables are deleted after the test.

    With `dynamodb_snapshot` it is one for all such tests; the next of them replaces its tables.
    """
    # By name, so that only the server that the test needs is started.
    if _SNAPSHOT in request.fixturenames:
        seeded: SeededServer = request.getfixturevalue("dynamodb_seeded_server")
        yield seeded.account
        return
    moves = _CLOCK in request.fixturenames
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
    """The clock of the test's server, to be moved with `advance(days=2)`; reset after the test."""
    if dynamodb_account.endpoint != dynamodb_clock_server.endpoint:
        pytest.fail(f"{_CLOCK} must be an argument of the test or of a fixture", pytrace=False)
    clock = dynamodb_clock_server.clock
    yield clock
    clock.reset()


@pytest.fixture
def dynamodb_snapshot(
    dynamodb_account: "Account", dynamodb_seeded_server: "SeededServer"
) -> "SeededServer":
    """Puts the server to what a function makes of an empty one; in milliseconds, after once.

    `dynamodb_snapshot(seed)` calls `seed(account)` when it is first used, and loads a snapshot each
    further time. Each test begins with an empty server.
    """
    if dynamodb_account is not dynamodb_seeded_server.account:
        pytest.fail(f"{_SNAPSHOT} must be an argument of the test or of a fixture", pytrace=False)
    dynamodb_seeded_server.empty()
    return dynamodb_seeded_server


@pytest.fixture
def dynamodb(dynamodb_account: "Account") -> Iterator[Any]:
    """A boto3 client of the test's account, which no other test uses."""
    client = _boto3(dynamodb_account.client)
    yield client
    client.close()


@pytest.fixture
def dynamodb_resource(dynamodb_account: "Account") -> Iterator[Any]:
    """A boto3 resource of the test's account."""
    resource = _boto3(dynamodb_account.resource)
    yield resource
    resource.meta.client.close()


def _boto3(make: Callable[[], Any]) -> Any:
    from hashrange.testing import MissingBoto3Error

    try:
        return make()
    except MissingBoto3Error as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def dynamodb_env(dynamodb_account: "Account", monkeypatch: pytest.MonkeyPatch) -> "Account":
    """Set environment variables so that clients of the code under test use the test's account."""
    from hashrange.testing import ELSEWHERE

    for name in ELSEWHERE:
        monkeypatch.delenv(name, raising=False)
    for name, text in dynamodb_account.environment().items():
        monkeypatch.setenv(name, text)
    return dynamodb_account
