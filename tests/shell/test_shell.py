"""`hashrange shell` as people call it, against a real server."""

import io
import stat
import subprocess
import sys

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from hashrange.access.signatures.signing import Credentials
from hashrange.cli.prompt.completion import KnownNames
from hashrange.cli.prompt.prompt import NameCompleter, Prompt
from hashrange.cli.prompt.session import Session
from hashrange.clock import SystemClock
from hashrange.server.loop import run
from hashrange.testing import DynamoDBServer
from hashrange.tools.copying.endpoint import connected
from tests.api.indexes import index_of, projected, schema
from tests.pace import seconds
from tests.served import served
from tests.unit.processes import ENVIRONMENT

TABLE = "Music"
KEY = {"Artist": {"S": "Acme"}, "Song": {"S": "It's"}}
SELECT = "SELECT * FROM Music WHERE Artist = 'Acme';"


@pytest.fixture(scope="module")
def server():
    with served(namespaces="separate") as process:
        server = DynamoDBServer(process.endpoint)
        yield server
        server.close()


@pytest.fixture
def account(server):
    account = server.account()
    client = account.client()
    names = ("Artist", "S"), ("Song", "S"), ("Year", "N")
    client.create_table(
        TableName=TABLE,
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": kind} for name, kind in names
        ],
        KeySchema=schema("Artist", sort=("Song",)),
        GlobalSecondaryIndexes=[index_of("by-year", "Year", **projected("KEYS_ONLY"))],
        BillingMode="PAY_PER_REQUEST",
    )
    client.put_item(TableName=TABLE, Item={**KEY, "Year": {"N": "1999"}})
    yield account
    server.clear(account)


def shell(account, *arguments, text=None):
    """The outcome of the command in a process of its own."""
    environment = {
        **ENVIRONMENT,
        "AWS_ACCESS_KEY_ID": account.id,
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_REGION": "us-east-1",
    }
    return subprocess.run(
        [sys.executable, "-m", "hashrange", "shell", "--endpoint", account.endpoint, *arguments],
        input=text if text is not None else "",
        capture_output=True,
        text=True,
        env=environment,
        timeout=seconds(60),
        check=False,
    )


def test_script_changes_and_prints_items(account):
    script = """
    INSERT INTO Music VALUE {'Artist': 'Acme', 'Song': 'a;b', 'Year': 2001};
    UPDATE Music SET Year = Year + 1 WHERE Artist = 'Acme' AND Song = 'a;b';
    SELECT Song, Year FROM Music WHERE Artist = 'Acme'
    """
    ran = shell(account, "--output", "plain", text=script)
    assert (ran.stdout, ran.stderr) == (
        '{"Song":"It\'s","Year":1999}\n{"Song":"a;b","Year":2002}\n',
        "",
    )


def test_script_has_all_pages(account):
    client = account.client()
    for number in range(5):
        item = {"Artist": {"S": "Paged"}, "Song": {"S": str(number)}}
        client.put_item(TableName=TABLE, Item=item)
    ran = shell(account, "--page", "2", "-c", "SELECT * FROM Music WHERE Artist = 'Paged'")
    assert len(ran.stdout.splitlines()) == 5


def test_first_fault_ends_a_script(account):
    ran = shell(
        account, "-c", "SELECT * FROM Nowhere", "-c", "DELETE FROM Music WHERE Artist = 'Acme'"
    )
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert ran.stderr == ("hashrange: ResourceNotFoundException: Requested resource not found\n")


def test_unknown_commands_are_refused(account):
    ran = shell(account, text="\\drop Music\n")
    assert (ran.returncode, ran.stderr) == (
        1,
        "hashrange: \\drop Music is not a command; \\? lists them\n",
    )


def test_server_that_is_not_there(account):
    ran = shell(account, "--endpoint", "http://127.0.0.1:1", "-c", "SELECT * FROM Music")
    assert ran.returncode == 1
    assert ran.stderr == "hashrange: http://127.0.0.1:1 does not answer: connection refused\n"


def typed(account, keys, history=None, page_items=None):
    """What a prompt prints when these keys are typed."""
    file = io.StringIO()

    async def use(terminal):
        signer = Credentials(
            access_key=account.id, secret_key="x", session_token=None, region="us-east-1"
        )
        async with connected(account.endpoint, signer, SystemClock(), connections=1) as place:
            session = Session(
                place, SystemClock().monotonic_ns, form="table", page_items=page_items
            )
            console = Console(file=file, width=120)
            await Prompt(
                session, console, history, terminal_input=terminal, terminal_output=DummyOutput()
            ).run()

    with create_pipe_input() as terminal:
        terminal.send_text(keys)
        run(use(terminal))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def without_time(lines):
    return [line.partition(" capacity")[0] for line in lines]


def test_prompt_runs_statements_of_several_lines(account):
    printed = typed(account, "SELECT *\nFROM Music\nWHERE Artist = 'Acme';\n\\q\n")
    assert without_time(printed) == ["Artist  Song  Year", "Acme    It's  1999", "1 item, 0.5"]


def test_prompt_goes_on_after_a_fault(account):
    printed = typed(account, f"SELECT * FROM Nowhere;\n\\consistent on\n{SELECT}\n\\q\n")
    assert printed[:2] == [
        "ResourceNotFoundException: Requested resource not found",
        "strongly consistent reads are on",
    ]
    assert without_time(printed)[-1] == "1 item, 1"


def test_prompt_ends_at_the_end_of_input(account):
    assert typed(account, "\x04") == []


def test_interrupt_drops_what_was_typed(account):
    printed = typed(account, "SELECT * FROM\n\x03\\d\n\\q\n")
    assert printed == [TABLE]


@pytest.mark.parametrize(("answers", "pages"), [("\n\n", 2), ("q\n", 1), ("\x03", 1)])
def test_prompt_asks_before_the_next_page(account, answers, pages):
    account.client().put_item(TableName=TABLE, Item={**KEY, "Song": {"S": "b"}})
    printed = typed(account, f"{SELECT}\n{answers}\\q\n", page_items=1)
    assert sum("capacity units" in line for line in printed) == pages


def test_tables_are_described(account):
    printed = typed(account, "\\d Music\n\\d Nowhere\n\\q\n")
    assert printed == [
        "table Music: ACTIVE, on demand, 1 items, 25 bytes",
        "  key: Artist S HASH, Song S RANGE",
        "  global index by-year: Year N HASH; projects KEYS_ONLY",
        "no table Nowhere",
    ]


def test_words_are_completed():
    known = KnownNames(indexes={TABLE: []})
    before = 'SELECT * FROM "Mu'
    completions = NameCompleter(known).get_completions(Document(before), CompleteEvent())
    assert [(each.text, each.start_position) for each in completions] == [('"Music"', -3)]


def test_history_is_private(account, tmp_path):
    path = tmp_path / "history"
    typed(account, f"{SELECT}\n\\q\n", history=path)
    assert SELECT in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
