# What has happened before a server was started is in its metrics; doctor looks there if asked.
import json

import pytest
from botocore.config import Config

from hashrange.cli.commands import main
from hashrange.settings.kinds import Throttle
from tests.api.conftest import client_of
from tests.api.indexes import attributes, schema, units
from tests.served import served

KIB = 1024


def ran(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["doctor", *arguments])
    printed = capsys.readouterr()
    return ended.value.code or 0, printed.out, printed.err


def rules(capsys, endpoint, *more):
    _, printed, errors = ran(capsys, "orders", "--endpoint", endpoint, "--json", *more)
    assert errors == ""
    return [(each["rule"], each["text"]) for each in json.loads(printed)["findings"]]


def test_throttles_of_days_outlive_the_server(tmp_path, capsys):
    place = {"memory": False, "data": tmp_path / "d", "throttle": Throttle.ON, "testing": True}
    with served(**place) as server:
        client = client_of(server.endpoint, config=Config(retries={"total_max_attempts": 1}))
        client.create_table(
            TableName="orders",
            AttributeDefinitions=attributes(pk="S"),
            KeySchema=schema("pk"),
            **units(1, 1),
        )
        item = {"pk": {"S": "a"}, "text": {"S": "x" * 390 * KIB}}
        client.put_item(TableName="orders", Item=item)
        with pytest.raises(client.exceptions.ProvisionedThroughputExceededException):
            client.put_item(TableName="orders", Item=item)
    with served(**place) as server:
        asked = ("--sample", "0")
        assert "throttled-by-units" not in [
            rule for rule, _ in rules(capsys, server.endpoint, *asked)
        ]
        found = dict(rules(capsys, server.endpoint, *asked, "--days", "2"))
        assert found["throttled-by-units"].startswith("1 writes of table orders were throttled")
