"""Items of files into tables and back, against real servers and as people call the commands."""

import json
import subprocess
import sys
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hashrange.testing import DynamoDBServer
from tests.copying.tables import VALUES
from tests.effort import effort
from tests.pace import seconds
from tests.served import served
from tests.unit.processes import ENVIRONMENT

NAME = "a-table"


@pytest.fixture(scope="module")
def server():
    with served(namespaces="separate") as process:
        server = DynamoDBServer(process.endpoint)
        yield server
        server.close()


@pytest.fixture
def account(server):
    """Credentials of tables that no other test has."""
    account = server.account()
    yield account
    server.clear(account)


@pytest.fixture
def client(account):
    client = account.client()
    yield client
    client.close()


@pytest.fixture
def run(command, account):
    """Runs a command as the account of the test."""
    return partial(command, **account.environment())


def make(client, name=NAME, *, pk="S", sk=None, **more):
    keys = [("pk", pk, "HASH"), *([("sk", sk, "RANGE")] if sk else [])]
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": key, "AttributeType": kind} for key, kind, _ in keys
        ],
        KeySchema=[{"AttributeName": key, "KeyType": role} for key, _, role in keys],
        **more,
    )


def items_in(client, name=NAME):
    pages = client.get_paginator("scan").paginate(TableName=name)
    return [item for page in pages for item in page["Items"]]


def by_key(items):
    return sorted(items, key=lambda item: repr(item["pk"]))


def line(ended):
    assert ended.stderr.count("\n") == 1, ended.stderr
    return ended.stderr.removeprefix("hashrange: ").removesuffix("\n")


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
names = texts.filter(bool)
numbers = st.one_of(
    st.integers(-(10**38) + 1, 10**38 - 1).map(str),
    st.decimals(-1000, 1000, places=20, allow_nan=False).map(str),
    st.sampled_from(["9.9999999999999999999999999999999999999E+125", "-1E-130"]),
)
values = st.recursive(
    st.one_of(
        texts.map(lambda each: {"S": each}),
        numbers.map(lambda each: {"N": each}),
        st.binary(max_size=4).map(lambda each: {"B": each}),
        st.booleans().map(lambda each: {"BOOL": each}),
        st.just({"NULL": True}),
        st.sets(texts, min_size=1, max_size=3).map(lambda each: {"SS": sorted(each)}),
        st.sets(st.integers(-(10**20), 10**20), min_size=1, max_size=3).map(
            lambda each: {"NS": [str(number) for number in each]}
        ),
        st.sets(st.binary(max_size=3), min_size=1, max_size=3).map(
            lambda each: {"BS": sorted(each)}
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda each: {"L": each}),
        st.dictionaries(names, inner, max_size=3).map(lambda each: {"M": each}),
    ),
    max_leaves=6,
)
items = st.dictionaries(names, values, max_size=4)


# A seed that comes back as something else is a test that is green for the wrong reason.
@settings(
    max_examples=effort(5, 10),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(items, max_size=30))
def test_what_is_dumped_and_loaded_is_the_same(run, client, tmp_path, drawn):
    for name in (NAME, "another"):
        if name in client.list_tables()["TableNames"]:
            client.delete_table(TableName=name)
    make(client)
    for number, item in enumerate(drawn):
        client.put_item(TableName=NAME, Item={**item, "pk": {"S": f"{number:03}"}})
    for form in ("typed", "export"):
        run("dump", NAME, "file.jsonl", "--form", form, "--overwrite")
        run("load", "another", "file.jsonl", "--create", "pk:S")
        assert by_key(items_in(client, "another")) == by_key(items_in(client))
        client.delete_table(TableName="another")


def test_each_kind_of_value_and_more_than_one_page(run, client, tmp_path):
    make(client, pk="N", sk="B")
    resource = [
        {
            "pk": {"N": str(number // 3)},
            "sk": {"B": b"%d" % number},
            "value": value,
            "x": {"S": "x" * 9000},
        }
        for number, value in enumerate(VALUES * 12)
    ]
    for item in resource:
        client.put_item(TableName=NAME, Item=item)
    ended = run("dump", NAME, "file.jsonl")
    assert ended.stdout == ""
    assert ended.stderr == f"{NAME}: {len(resource)} items written to file.jsonl\n"
    ended = run("load", "another", "file.jsonl", "--create", "pk:N,sk:B")
    assert ended.stderr == f"another: {len(resource)} items loaded from file.jsonl\n"
    first, second = items_in(client), items_in(client, "another")
    assert first == second
    assert [path.name for path in tmp_path.iterdir()] == ["file.jsonl"]


def test_plain_json_comes_back_as_plain_json(run, client, tmp_path):
    lines = [
        {"pk": "1", "n": 12345678901234567890, "deep": {"l": [1.5, None, True, {"S": "x"}]}},
        {"pk": "2", "empty": "", "é": "😀\u2028"},
    ]
    text = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in lines)
    (tmp_path / "in.jsonl").write_text(text, "utf-8")
    run("load", NAME, "in.jsonl", "--create", "pk:S")
    run("dump", NAME, "out.jsonl", "--form", "plain")
    found = [
        json.loads(each) for each in (tmp_path / "out.jsonl").read_text("utf-8").split("\n")[:-1]
    ]
    assert sorted(found, key=lambda item: item["pk"]) == lines


# As PutItem in the order of the lines, though they are put in batches side by side.
def test_of_equal_keys_the_last_one_stays(run, client, tmp_path):
    make(client)
    (tmp_path / "file.jsonl").write_text(
        "".join(json.dumps({"pk": str(number % 7), "n": number}) + "\n" for number in range(1500))
    )
    ended = run("load", NAME, "file.jsonl")
    assert ended.stderr == f"{NAME}: 1,500 items loaded from file.jsonl\n"
    assert {int(item["n"]["N"]) for item in items_in(client)} == set(range(1493, 1500))


def test_csv(run, client, tmp_path):
    make(client, sk="N")
    (tmp_path / "file.csv").write_text(
        "pk,sk,price,zip,ok,tags,note\n"
        '1,10,1.50,007,true,"[""b"", ""a""]",\n'
        '2,20,3,08,False,,"two\nlines, and ""quotes"""\n'
    )
    ended = run("load", NAME, "file.csv", "--types", "tags=SS")
    assert ended.stderr.splitlines() == [
        "file.csv: types guessed: price=N,zip=S,ok=BOOL,note=S (--types says otherwise)",
        f"{NAME}: 2 items loaded from file.csv",
    ]
    assert by_key(items_in(client)) == [
        {
            "pk": {"S": "1"},
            "sk": {"N": "10"},
            "price": {"N": "1.5"},
            "zip": {"S": "007"},
            "ok": {"BOOL": True},
            "tags": {"SS": ["a", "b"]},
        },
        {
            "pk": {"S": "2"},
            "sk": {"N": "20"},
            "price": {"N": "3"},
            "zip": {"S": "08"},
            "ok": {"BOOL": False},
            "note": {"S": 'two\nlines, and "quotes"'},
        },
    ]


# What the server refuses is known by its line, also among a thousand.
@pytest.mark.parametrize("at", [1, 30, 777])
def test_line_that_the_server_refuses_is_named(run, client, tmp_path, at):
    make(client)
    lines = [json.dumps({"pk": {"S": str(number)}}) for number in range(1, 1001)]
    lines[at - 1] = json.dumps({"pk": {"S": str(at)}, "bad": {"SS": []}})
    (tmp_path / "file.jsonl").write_text("\n".join(lines))
    text = line(run("load", NAME, "file.jsonl", "--quiet", code=1))
    assert text.startswith(f"file.jsonl line {at}: ")
    assert "set may not be empty" in text
    before = (at - 1) // 200 * 200
    assert f"; items loaded before line {before + 1}: {before}; of lines {before + 1} to" in text
    keys = {int(item["pk"]["S"]) for item in items_in(client)}
    assert set(range(1, before + 1)) <= keys
    assert at not in keys


def test_line_that_cannot_be_read_comes_after_those_before_it(run, client, tmp_path):
    make(client)
    good = "".join(json.dumps({"pk": str(number)}) + "\n" for number in range(333))
    (tmp_path / "file.jsonl").write_text(good + '{"pk": 1}\n{"pk": "more"}\n')
    text = line(run("load", NAME, "file.jsonl", code=1))
    assert text == (
        "file.jsonl line 334: the attribute pk is of type N, and S is wanted; "
        "items loaded before: 333"
    )
    assert len(items_in(client)) == 333


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["load", "none", "file"], 1, "has no table none; --create makes one, as --create id:S"),
        (["load", NAME, "missing"], 2, "missing: No such file or directory"),
        (["load", NAME, "."], 2, ".: Is a directory"),
        (["load", NAME, "file", "--create", "pk:N"], 1, "is there, and its key is pk:S,sk:N"),
        (["load", NAME, "file", "--create", "pk:S,sk:X"], 2, "--create: 'sk:X' is not NAME:TYPE"),
        (["load", NAME, "file", "--create", "a:S,b:S,c:S"], 2, "--create: a key has one or two"),
        (["load", NAME, "file", "--types", "n"], 2, "--types: 'n' is not NAME=TYPE"),
        (["load", NAME, "file", "--types", "n=Z"], 2, "--types: 'n=Z' is not NAME=TYPE"),
        (["load", NAME, "file", "--types", "n=S,n=N"], 2, "--types: n has two types"),
        (["load", NAME, "file", "--types", "sk=S"], 2, "--types sk=S: keys and indexes of"),
        (["load", NAME, "file", "--endpoint", "h:1"], 2, "--endpoint: 'h:1' is not a URL"),
        (["load", NAME, "file", "--endpoint", "http://h/x"], 2, "has more than a host and a port"),
        (["load", NAME, "file", "--endpoint", "http://127.0.0.1:1"], 1, "does not answer"),
        (["dump", "none"], 1, "has no table none"),
        (["dump", NAME, "file"], 2, "file exists; --overwrite replaces it"),
        (["dump", NAME, "new.csv"], 2, "new.csv: the output is JSON lines, not CSV"),
        (["dump", NAME, "no/new"], 2, "no/new: No such file or directory"),
    ],
)  # fmt: skip
def test_what_people_get_wrong_ends_in_one_line(run, client, tmp_path, arguments, code, text):
    make(client, sk="N")
    (tmp_path / "file").write_text('{"pk": "1", "sk": 1}\n')
    assert text in line(run(*arguments, code=code))
    assert items_in(client) == []
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert client.list_tables()["TableNames"] == [NAME]


# Half of a dump would be taken for all of it by whoever finds it.
def test_dump_that_fails_leaves_what_was_there(run, client, tmp_path):
    make(client)
    for number in range(30):
        value = {"B": b"x"} if number == 20 else {"S": "x"}
        client.put_item(TableName=NAME, Item={"pk": {"S": str(number)}, "v": value})
    (tmp_path / "file").write_text("as before")
    text = line(run("dump", NAME, "file", "--form", "plain", "--overwrite", code=1))
    assert text.startswith("the attribute v has type B, which plain JSON does not have: {")
    assert "--form typed writes it" in text
    assert (tmp_path / "file").read_text() == "as before"
    run("dump", NAME, "file", "--overwrite", "--quiet")
    assert len((tmp_path / "file").read_text().splitlines()) == 30
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_table_that_was_made_before_is_loaded_again(run, client, tmp_path):
    (tmp_path / "file").write_text('{"pk": "1"}\n')
    for _ in range(2):
        run("load", NAME, "file", "--create", "pk:S")
    assert items_in(client) == [{"pk": {"S": "1"}}]


@pytest.fixture
def shell(account):
    """Runs a line of shell with processes of their own."""

    def shell(text, given=""):
        program = f"{sys.executable} -m hashrange"
        return subprocess.run(
            ["bash", "-c", "set -o pipefail; " + text.replace("hashrange", program)],
            input=given,
            capture_output=True,
            text=True,
            timeout=seconds(100),
            check=False,
            env=ENVIRONMENT | account.environment(),
        )

    return shell


def test_standard_input_and_output(shell):
    lines = "".join(f'{{"id":{{"S":"{number}"}}}}\n' for number in range(3000))
    ended = shell("hashrange load piped - --create id:S", lines)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr == "piped: 3,000 items loaded from standard input\n"
    ended = shell("hashrange dump piped --quiet | sort | uniq | wc -l")
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, "3000", "")
    ended = shell("hashrange load piped -", "{}")
    assert ended.returncode == 1
    assert "standard input line 1: the key attribute id is missing" in ended.stderr


# Who looks at the first lines alone wants no traceback.
def test_reader_that_has_had_enough(shell):
    lines = "".join(f'{{"id":{{"S":"{number}"}}}}\n' for number in range(9000))
    assert shell("hashrange load long - --create id:S", lines).returncode == 0
    ended = shell("hashrange dump long | head -n 1")
    assert ended.stdout.count("\n") == 1
    assert ended.stderr.splitlines() == ["hashrange: standard output was closed"]
