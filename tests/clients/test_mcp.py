"""`hashrange mcp` through the client of the library: what an assistant can see and do."""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

import boto3
import pytest

from hashrange.cli.assistants.answers import ANSWER_CHARS_MAX
from tests.api.tables import keyed
from tests.clients.programs import run_program
from tests.pace import seconds
from tests.served import served

READING = {
    "list_tables", "describe_table", "get_item", "query", "scan", "partiql", "check_model",
    "units_of_item", "price_load", "heat", "diagnose_table", "search_documentation",
    "read_documentation",
}  # fmt: skip
MODEL = """
name = "notes"
[[tables]]
TableName = "notes"
KeySchema = [{ AttributeName = "id", KeyType = "HASH" }]
AttributeDefinitions = [{ AttributeName = "id", AttributeType = "S" }]
BillingMode = "PAY_PER_REQUEST"
"""


@pytest.fixture(scope="module")
def endpoint():
    """A server with a table of 30 small items, and one of items that fill an answer."""
    with served(memory=True, hot_keys="on") as server:
        client = boto3.client(
            "dynamodb",
            endpoint_url=server.endpoint,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )
        for table in ("notes", "large"):
            client.create_table(TableName=table, **keyed(pk="S", sk="N"))
        for number in range(30):
            item = {"pk": {"S": "a"}, "sk": {"N": str(number)}, "state": {"S": "x"}}
            client.put_item(TableName="notes", Item=item)
        for number in range(4):
            item = {"pk": {"S": "a"}, "sk": {"N": str(number)}, "text": {"S": "t" * 9_000}}
            client.put_item(TableName="large", Item=item)
        huge = {"pk": {"S": "b"}, "sk": {"N": "0"}, "text": {"S": "t" * ANSWER_CHARS_MAX}}
        client.put_item(TableName="large", Item=huge)
        client.close()
        yield server.endpoint


@asynccontextmanager
async def assistant(endpoint, environment, *options):
    from mcp import Client, StdioServerParameters, stdio_client  # noqa: PLC0415 - a second, in each process that collects

    command = ["-m", "hashrange", "mcp", "--endpoint", endpoint, *options]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=environment)
    async with Client(stdio_client(parameters)) as client:
        yield client


async def call(client, name, **arguments):
    """What a tool answered: its data, or the text of its error."""
    answer = await client.call_tool(name, arguments)
    (content,) = answer.content
    assert len(content.text) <= ANSWER_CHARS_MAX
    return content.text if answer.is_error else json.loads(content.text)


@pytest.fixture
def with_client(endpoint, environment):
    """Runs a coroutine function with a client."""

    def run(steps, *options):
        async def main():
            async with assistant(endpoint, environment, *options) as client:
                await steps(client)

        asyncio.run(asyncio.wait_for(main(), seconds(60)))

    return run


def test_an_assistant_reads_tables(with_client):
    async def steps(client):
        listed = (await client.list_tools()).tools
        assert {tool.name for tool in listed} == READING
        assert all(tool.annotations.read_only_hint for tool in listed)
        assert (await call(client, "list_tables"))["TableNames"] == ["large", "notes"]
        described = await call(client, "describe_table", table="notes")
        assert described["ItemCount"] == 30
        assert described["TimeToLiveDescription"]["TimeToLiveStatus"] == "DISABLED"
        found = await call(client, "get_item", table="notes", key={"pk": "a", "sk": 3})
        assert found["Item"]["sk"] == {"N": "3"}
        key = {"pk": {"S": "a"}, "sk": {"N": "99"}}
        assert (await call(client, "get_item", table="notes", key=key))["Item"] is None
        page = await call(
            client,
            "query",
            table="notes",
            key_condition="pk = :p AND sk >= :s",
            filter="state = :x",  # a reserved word
            values={"p": "a", "s": 10, "x": "x"},
            limit=3,
            descending=True,
        )
        assert [item["sk"]["N"] for item in page["Items"]] == ["29", "28", "27"]
        page = await call(client, "scan", table="notes", projection="sk", limit=7)
        following = await call(client, "scan", table="notes", start=page["LastEvaluatedKey"])
        assert [item["sk"]["N"] for item in following["Items"]][:1] == ["7"]
        assert following["ConsumedCapacity"]["CapacityUnits"] == 0.5
        found = await call(
            client, "partiql", statement="SELECT sk FROM notes WHERE pk = 'a' AND sk < 2"
        )
        assert found["Items"] == [{"sk": {"N": "0"}}, {"sk": {"N": "1"}}]

    with_client(steps)


# An assistant may be deceived by what it reads in items: without --write it changes nothing.
@pytest.mark.long
def test_it_changes_nothing_unless_it_may(with_client):
    statement = "INSERT INTO notes VALUE {'pk': 'b', 'sk': 1}"

    async def refused(client):
        for each in (
            statement,
            "DELETE FROM notes WHERE pk = 'a' AND sk = 1",
            "-- SELECT\n" + statement,
        ):
            assert "only SELECT is allowed" in await call(client, "partiql", statement=each)
        assert "Unexpected" in await call(
            client, "partiql", statement=f"SELECT * FROM notes; {statement}"
        )
        key = {"pk": "b", "sk": 1}
        assert (await call(client, "get_item", table="notes", key=key))["Item"] is None

    async def written(client):
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert not listed["partiql"].annotations.read_only_hint
        assert (await call(client, "partiql", statement=statement))["Items"] == []
        statement_back = "DELETE FROM notes WHERE pk = 'b' AND sk = 1"
        assert "Items" in await call(client, "partiql", statement=statement_back)

    with_client(refused)
    with_client(written, "--write")


# A model reads answers whole, so they are bounded; nothing is left out without a word.
@pytest.mark.long
def test_answers_are_bounded(with_client):
    async def steps(client):
        page = await call(
            client, "scan", table="large", projection="sk, #t", names={"#t": "text"}, limit=4
        )
        assert (len(page["Items"]), page["ItemsLeftOut"]) == (2, 2)
        assert "LastEvaluatedKey" not in page
        assert "smaller limit" in page["Note"]
        text = await call(client, "get_item", table="large", key={"pk": "b", "sk": 0})
        assert "ask for less" in text
        read = await call(client, "read_documentation", page="differences.md")
        assert "the text is cut" in read["note"]

    with_client(steps)


@pytest.mark.long
def test_errors_are_clear(with_client):
    async def steps(client):
        assert "resource not found" in await call(client, "scan", table="none")
        assert "`$.limit`" in await call(client, "scan", table="notes", limit=100_000)
        assert "unknown field" in await call(client, "scan", table="notes", every=True)
        assert "missing required field `table`" in await call(client, "query")
        assert "no page ../x.md" in await call(client, "read_documentation", page="../x.md")
        assert "no table none" in await call(client, "diagnose_table", table="none")
        with pytest.raises(Exception, match="there is no tool drop"):
            await client.call_tool("drop", {})

    with_client(steps)


@pytest.mark.long
def test_designs_figures_and_pages(with_client):
    async def steps(client):
        report = await call(client, "check_model", model=MODEL)
        assert report["tables"] == ["notes"]
        assert "it is not a model" in await call(client, "check_model", model="a = 1")
        units = await call(client, "units_of_item", item={"id": "1", "n": 1.5})
        assert units["bytes"] == 7
        priced = await call(client, "price_load", reads=100, writes=10, item_kb=4)
        assert priced["us_dollars_a_month"][priced["cheapest"]] > 0
        heat = await call(client, "heat", table="notes")
        assert next(iter(heat["use"].values()))["items"] == 30
        assert (await call(client, "diagnose_table", table="notes"))["table"] == "notes"
        found = await call(client, "search_documentation", words="point in time recovery restore")
        assert "backups.md" in {each["page"] for each in found}
        first = found[0]
        read = await call(
            client, "read_documentation", page=first["page"], heading=first["heading"]
        )
        assert first["excerpt"][:50] in read["text"]

    with_client(steps)


# A person who types it by hand, without the package, is told what to install.
def test_without_the_package(environment, tmp_path):
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError(name='mcp')")
    ended = run_program(
        [sys.executable, "-m", "hashrange", "mcp"], {**environment, "PYTHONPATH": str(tmp_path)}
    )
    assert ended.returncode == 1
    assert "hashrange mcp needs mcp, which is not installed" in ended.stderr
