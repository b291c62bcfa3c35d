"""The fixtures, in test runs as users have them."""

import re
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hashrange.testing import DynamoDBServer, SharedError
from tests.api.tables import keyed
from tests.pace import loop_cpu_seconds, seconds
from tests.served import served
from tests.unit.processes import ENVIRONMENT

TABLE = {"TableName": "a-table", **keyed(pk="S")}
TESTS = """
import boto3, pytest

TABLE = dict(
    TableName="a-table",
    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    BillingMode="PAY_PER_REQUEST",
)

@pytest.mark.parametrize("number", range(4))
def test_table_of_my_own(dynamodb, number):
    assert dynamodb.list_tables()["TableNames"] == []
    dynamodb.create_table(**TABLE)
    dynamodb.put_item(TableName="a-table", Item={"pk": {"S": str(number)}})
    assert dynamodb.scan(TableName="a-table")["Items"] == [{"pk": {"S": str(number)}}]

def test_resource_and_client_are_of_one_account(dynamodb, dynamodb_resource):
    dynamodb.create_table(**TABLE)
    assert [table.name for table in dynamodb_resource.tables.all()] == ["a-table"]

def test_code_that_makes_its_own_client(dynamodb, dynamodb_env):
    boto3.client("dynamodb").create_table(**TABLE)
    assert dynamodb.list_tables()["TableNames"] == ["a-table"]
    assert boto3.client("dynamodbstreams").list_streams()["Streams"] == []

def test_two_accounts(dynamodb, dynamodb_server):
    dynamodb.create_table(**TABLE)
    assert dynamodb_server.account().client().list_tables()["TableNames"] == []
"""


def pytest_run(directory, *arguments, tests=TESTS, conftest="", **variables):
    (directory / "test_it.py").write_text(tests)
    (directory / "conftest.py").write_text(conftest)
    (directory / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    # What a run does not need it does not load: importing hypothesis takes most of a second.
    unneeded = ["randomly", "cacheprovider", "hypothesispytest", "timeout"]
    unneeded += [] if "-n" in arguments else ["xdist"]
    plugins = [each for name in unneeded for each in ("-p", f"no:{name}")]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugins, *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds(100),
        env=ENVIRONMENT | {"AWS_PROFILE": "of-somebody"} | variables,
    )


def outcome(answer):
    return answer.stdout.splitlines()[-1]


# Each test makes the same table and finds nothing of the others.
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((), id="one process"),
        pytest.param(("-n", "2"), id="xdist", marks=pytest.mark.long),
    ],
)
def test_each_test_has_tables_of_its_own(tmp_path, arguments):
    answer = pytest_run(tmp_path, *arguments)
    assert outcome(answer).startswith("7 passed"), answer.stdout


CLOCK_TESTS = """
import datetime, os, pytest, hashrange.testing

DAY = datetime.timedelta(days=1)

def real_now():
    return datetime.datetime.now(datetime.timezone.utc)

@pytest.mark.parametrize("number", range(2))
def test_clock_begins_at_real_time(dynamodb, dynamodb_clock, number):
    assert dynamodb_clock.offset == 0 * DAY
    assert dynamodb.list_tables()["TableNames"] == []
    dynamodb_clock.advance(days=2)
    dynamodb.create_table(**TABLE)
    table = dynamodb.describe_table(TableName="a-table")["Table"]
    assert table["CreationDateTime"] - real_now() > DAY

def test_others_have_real_time(dynamodb, dynamodb_server):
    dynamodb.create_table(**TABLE)
    table = dynamodb.describe_table(TableName="a-table")["Table"]
    assert table["CreationDateTime"] - real_now() < DAY
    with pytest.raises(RuntimeError, match="--testing"):
        dynamodb_server.clock.advance(days=2)

@pytest.fixture
def in_two_days(dynamodb_clock):
    dynamodb_clock.advance(days=2)

def test_through_a_fixture_and_the_environment(in_two_days, dynamodb_env, dynamodb):
    assert hashrange.testing.clock.offset == 2 * DAY
    assert dynamodb.meta.endpoint_url == os.environ["AWS_ENDPOINT_URL_DYNAMODB"]

@pytest.mark.xfail(raises=pytest.fail.Exception, strict=True)
def test_too_late(dynamodb, request):
    request.getfixturevalue("dynamodb_clock")
"""


# A test that moves the time of others would make them fail now and then.
def test_clock_is_of_the_tests_that_ask_for_it(tmp_path):
    tests = f"TABLE = {TABLE!r}\n{CLOCK_TESTS}"
    expected = "4 passed, 1 xfailed"
    answer = pytest_run(tmp_path, tests=tests)
    assert outcome(answer).startswith(expected), answer.stdout
    with served(namespaces="separate") as server:
        answer = pytest_run(tmp_path, "--dynamodb-endpoint", server.endpoint, tests=tests)
    assert outcome(answer).startswith(expected), answer.stdout


@pytest.mark.long
def test_server_that_runs_already(tmp_path):
    with served(namespaces="separate") as server:
        answer = pytest_run(tmp_path, "--dynamodb-endpoint", server.endpoint)
    assert outcome(answer).startswith("7 passed"), answer.stdout


# Where all see the same tables, tests would fail now and then, and nobody would know why.
@pytest.mark.long
def test_server_that_keeps_nobody_apart_is_refused(tmp_path):
    with served() as server:
        answer = pytest_run(tmp_path, "--dynamodb-endpoint", server.endpoint)
        assert outcome(answer).startswith("7 errors"), answer.stdout
        assert "start this server with --namespaces separate" in answer.stdout
        assert "Traceback" not in answer.stdout
        with pytest.raises(SharedError):
            DynamoDBServer.reached(server.endpoint)
    answer = pytest_run(tmp_path, "--dynamodb-endpoint", server.endpoint)
    assert "Connection refused" in answer.stdout


@pytest.mark.long
def test_settings_are_a_fixture(tmp_path):
    conftest = (
        "import pytest\n"
        "@pytest.fixture(scope='session')\n"
        "def dynamodb_settings():\n"
        "    return {'delay_transient_statuses': True, 'transient_status_ms': 3600000}\n"
    )
    tests = (
        "def test_it(dynamodb):\n"
        f"    dynamodb.create_table(**{TABLE!r})\n"
        "    table = dynamodb.describe_table(TableName='a-table')['Table']\n"
        "    assert table['TableStatus'] == 'CREATING'\n"
    )
    answer = pytest_run(tmp_path, tests=tests, conftest=conftest)
    assert outcome(answer).startswith("1 passed"), answer.stdout


@pytest.mark.long
def test_without_boto3_the_fixture_says_what_is_missing(tmp_path):
    conftest = "import sys\nsys.modules['boto3'] = None\n"
    tests = (
        "def test_it(dynamodb):\n    pass\n"
        "def test_without(dynamodb_server):\n    assert dynamodb_server.endpoint\n"
    )
    answer = pytest_run(tmp_path, tests=tests, conftest=conftest)
    assert "pip install boto3" in answer.stdout
    assert "Traceback" not in answer.stdout
    assert outcome(answer).startswith("1 passed, 1 error"), answer.stdout


# Every run of pytest loads the plugin, where hashrange is installed.
def test_plugin_imports_nothing_heavy():
    heavy = "{'boto3', 'asyncio', 'apsw', 'msgspec', 'ssl', 'http.client', 'hashrange.settings'}"
    code = (
        "import pytest, sys; before = set(sys.modules); import hashrange.pytest_plugin;"
        f"print({heavy} & (set(sys.modules) - before))"
    )
    command = [sys.executable, "-c", code]
    answer = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=seconds(60)
    )
    assert answer.stdout == "set()\n"


@pytest.fixture(scope="module")
def server():
    with served(namespaces="separate") as process:
        server = DynamoDBServer(process.endpoint)
        yield server
        server.close()


def ready(server):
    """What a test begins with: a client of its own, a table, ten items."""
    client = server.account().client()
    client.create_table(**TABLE)
    puts = [{"PutRequest": {"Item": {"pk": {"S": str(number)}}}} for number in range(10)]
    client.batch_write_item(RequestItems={"a-table": puts})


# It takes some 5 ms where the loop takes 30; a client whose session is not kept takes ten times as
# long. The best of many, so that a stall of the machine says nothing.
def test_client_of_its_own_is_ready_at_once(server):
    taken = []
    for _ in range(30):
        began = time.process_time()
        ready(server)
        taken.append(time.process_time() - began)
    assert min(taken) < loop_cpu_seconds()


# What tests leave behind would fill the memory of a long run; protected tables too.
def test_tables_end_with_their_account(server):
    account, other = server.account(), server.account()
    client = account.client()
    for number in range(3):
        client.create_table(**{**TABLE, "TableName": f"table-{number}"})
    client.update_table(TableName="table-1", DeletionProtectionEnabled=True)
    other.client().create_table(**TABLE)
    server.clear(account)
    assert client.list_tables()["TableNames"] == []
    assert other.client().list_tables()["TableNames"] == ["a-table"]
    server.clear(account)


# The server closes a connection that was idle for long: the next test must not fail for it.
def test_connection_that_was_closed_is_opened_again():
    connections = []

    class Closing(BaseHTTPRequestHandler):
        """Answers one request on each connection, and does not say that it closes it."""

        protocol_version = "HTTP/1.1"

        def do_POST(self):
            connections.append(self.client_address)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            body = b'{"TableNames":[]}'
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Closing) as closing:
        threading.Thread(target=closing.serve_forever, daemon=True).start()
        server = DynamoDBServer(f"http://127.0.0.1:{closing.server_port}")
        account = server.account()
        server.clear(account)
        server.clear(account)
        assert len(set(connections)) == 2
        closing.shutdown()
    with pytest.raises(ConnectionError):
        server.clear(account)


def test_accounts_differ(server):
    ids = [server.account().id for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert all(re.fullmatch("[0-9]{12}", each) and int(each) for each in ids)


def test_clients_are_no_one_elses(server):
    one, other = server.account(), server.account()
    clients = one.client(), other.client()
    signed = [client.generate_presigned_url("list_tables") for client in clients]
    found = [re.search("Credential=([0-9]+)", url).group(1) for url in signed]
    assert found == [one.id, other.id]


# A test of a handler: its table is in the account of the test, whatever number that has.
@pytest.mark.long
def test_triggers_follow_the_tables_of_each_test(tmp_path):
    (tmp_path / "handlers.py").write_text(
        "import pathlib\n"
        "SEEN = pathlib.Path(__file__).with_name('seen.txt')\n"
        "def note(event, context):\n"
        "    keys = [record['dynamodb']['Keys']['pk']['S'] for record in event['Records']]\n"
        "    if 'bad' in keys:\n"
        "        raise ValueError('bad key')\n"
        "    with SEEN.open('a') as file:\n"
        "        print(*keys, sep='\\n', file=file)\n"
    )
    (tmp_path / "triggers.toml").write_text(
        '[[trigger]]\nname = "t"\ntable = "a-table"\nstarting_position = "LATEST"\n'
        'destination = "handlers:note"\n'
    )
    conftest = (
        "import pathlib, pytest\n"
        "@pytest.fixture(scope='session')\n"
        "def dynamodb_settings():\n"
        "    return {'triggers': pathlib.Path(__file__).with_name('triggers.toml')}\n"
    )
    stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}
    tests = (
        "import pathlib, pytest\n"
        "SEEN = pathlib.Path(__file__).with_name('seen.txt')\n"
        "def put(dynamodb, key):\n"
        f"    dynamodb.create_table(**{TABLE!r}, **{stream!r})\n"
        "    dynamodb.put_item(TableName='a-table', Item={'pk': {'S': key}})\n"
        "@pytest.mark.parametrize('key', ['1', '2'])\n"
        "def test_handler(dynamodb, key):\n"
        "    put(dynamodb, key)\n"
        "    while not SEEN.exists() or key not in SEEN.read_text().split():\n"
        "        dynamodb.list_tables()\n"
        "def test_log(dynamodb, dynamodb_server):\n"
        "    put(dynamodb, 'bad')\n"
        "    while 'ValueError: bad key' not in dynamodb_server.log():\n"
        "        dynamodb.list_tables()\n"
        "    assert 'handlers.py:6 in note' in dynamodb_server.log()\n"
    )
    answer = pytest_run(tmp_path, tests=tests, conftest=conftest)
    assert outcome(answer).startswith("3 passed"), answer.stdout


SEEDED = f"""
import pytest

TABLE = {TABLE}

calls = []

def two_items(account):
    calls.append(account)
    client = account.client()
    client.create_table(**TABLE)
    for key in "ab":
        client.put_item(TableName="a-table", Item={{"pk": {{"S": key}}}})
    return "a-table"

@pytest.fixture
def table(dynamodb_snapshot):
    return dynamodb_snapshot(two_items)

@pytest.mark.parametrize("number", range(4))
def test_each_begins_with_two_items(dynamodb, table, number):
    assert dynamodb.scan(TableName=table)["Count"] == 2
    dynamodb.put_item(TableName=table, Item={{"pk": {{"S": str(number)}}}})
    assert len(calls) == 1

def test_begins_empty(dynamodb_resource, dynamodb_snapshot):
    assert list(dynamodb_resource.tables.all()) == []

def test_within_a_test(dynamodb, table, dynamodb_snapshot, dynamodb_clock):
    dynamodb_snapshot.save("before")
    dynamodb.delete_table(TableName=table)
    dynamodb_snapshot.load("before")
    dynamodb_clock.advance(days=1)
    assert dynamodb.scan(TableName=table)["Count"] == 2

def test_others_are_not_disturbed(dynamodb):
    assert dynamodb.list_tables()["TableNames"] == []
"""


# What suites ask for most: the tables of each test as one function has made them, fast.
@pytest.mark.long
def test_tests_begin_with_what_a_function_has_made(tmp_path):
    run = pytest_run(tmp_path, tests=SEEDED)
    assert "7 passed" in run.stdout, run.stdout


@pytest.mark.long
def test_snapshot_that_comes_too_late(tmp_path):
    late = """
def test_late(dynamodb, request):
    request.getfixturevalue("dynamodb_snapshot")
"""
    run = pytest_run(tmp_path, tests=late)
    assert "dynamodb_snapshot must be an argument of the test or of a fixture" in run.stdout
