# What happened before a server was started is in its metrics; `hashrange top` shows it if asked.
import re

import pytest
from botocore.config import Config

from hashrange.cli.commands import main
from hashrange.settings.kinds import Throttle
from tests.api.conftest import client_of
from tests.api.indexes import attributes, index_of, schema, units
from tests.served import served

KIB = 1024


def ran(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["top", *arguments])
    printed = capsys.readouterr()
    return ended.value.code or 0, printed.out, printed.err


def test_the_load_of_hours_outlives_the_server(tmp_path, capsys):
    place = {"memory": False, "data": tmp_path / "d", "throttle": Throttle.ON}
    with served(**place) as server:
        client = client_of(server.endpoint, config=Config(retries={"total_max_attempts": 1}))
        client.create_table(
            TableName="orders",
            AttributeDefinitions=attributes(pk="S", g="S"),
            KeySchema=schema("pk"),
            GlobalSecondaryIndexes=[{**index_of("by-g", "g"), **units(5, 900)}],
            **units(1, 1),
        )
        item = {"pk": {"S": "a"}, "g": {"S": "b"}, "text": {"S": "x" * 350 * KIB}}
        client.put_item(TableName="orders", Item=item)
        with pytest.raises(client.exceptions.ProvisionedThroughputExceededException):
            client.put_item(TableName="orders", Item=item)
        client.query(
            TableName="orders",
            IndexName="by-g",
            KeyConditionExpression="g = :b",
            ExpressionAttributeValues={":b": {"S": "b"}},
        )
    with served(**place) as server:
        code, text, _ = ran(capsys, "--endpoint", server.endpoint, "--since", "1h")
    assert code == 0
    # 351 write units, and 44 read units of the index, in an hour.
    assert re.search(r"PutItem +1 +0\.00 +[0-9.]+ ms +[0-9.]+ ms", text)
    assert re.search(r"Query +1 +0\.00", text)
    assert re.search(r"orders +0\.00 +0\.10 +0 +1\b", text)
    assert re.search(r"orders/by-g +0\.01 +0\.10 +0 +0\b", text)


def test_a_server_without_load_says_so(capsys):
    with served() as server:
        code, text, _ = ran(capsys, "--endpoint", server.endpoint, "--since", "7d")
    assert (code, text) == (0, "Nothing happened in this time.\n")


@pytest.mark.parametrize("span", ["3", "0h", "456d", "soon"])
def test_a_span_is_an_interval_that_is_kept(capsys, span):
    code, _, errors = ran(capsys, "--since", span)
    assert code == 2
    assert "interval such as 30m" in errors or "455 days" in errors


def test_files_of_certificates_are_for_the_live_view(capsys):
    code, _, errors = ran(capsys, "--since", "1h", "--ca", "file")
    assert code == 2
    assert "--since cannot be combined with --ca or --client-cert" in errors
