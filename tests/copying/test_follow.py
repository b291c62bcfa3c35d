"""Tables that move to another server while they are written, and the router in front of both."""

import contextlib
import json
import re
import sys
from subprocess import DEVNULL, PIPE, Popen

import pytest

from tests.api.refusals import table_request
from tests.copying.conftest import serving
from tests.copying.tables import fill, seen
from tests.crash.server import Client
from tests.forks import process_of
from tests.house.sources import ROOT
from tests.pace import until
from tests.servers.failovers import TABLE, Load, read_back
from tests.unit.processes import ENVIRONMENT

ROUTER = ROOT / "examples" / "routing" / "router.py"
KILLS = 3


@contextlib.contextmanager
def routed(routes):
    """The example, with a file of routes: its URL."""
    command = [sys.executable, str(ROUTER), str(routes), "0"]
    with Popen(command, stdout=PIPE, stderr=DEVNULL, text=True) as process:
        try:
            yield re.search(r"http://\S+", process.stdout.readline())[0]
        finally:
            process.kill()


@contextlib.contextmanager
def following(*arguments):
    """The command, until it is killed: the lines of its notes."""
    command = ["copy", *map(str, arguments), "--follow"]
    with process_of(command, environment=ENVIRONMENT) as process:
        try:
            yield process.stdout
        finally:
            process.kill()


def write_routes(path, default, **tables):
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"default": default, "tables": tables}))
    new.replace(path)


@pytest.fixture
def servers():
    with serving(None) as (first, one), serving(None) as (second, other):
        yield (first, one), (second, other)


# Clients count up on conditions and read strongly through the router all the time.
def test_move_under_load_loses_and_doubles_nothing(servers, copy, tmp_path):
    (_, source), (copied, target) = servers
    routes = tmp_path / "routes.json"
    write_routes(routes, source)
    with routed(routes) as url:
        client = Client(url)
        client.call("CreateTable", **table_request(TableName=TABLE))
        for number in range(400):
            client.call("PutItem", TableName=TABLE, Item={"pk": {"S": f"still{number}"}})
        load = Load([url])
        load.begin()
        try:
            for _ in range(KILLS):
                with following(source, target, "--table", TABLE):
                    until(lambda before=load.writes: load.writes > before + 30)
            with following(source, target, "--table", TABLE):
                last = load.acknowledged[0]
                until(lambda: (read_back(target, 0) or 0) > last)
            write_routes(routes, source, **{TABLE: None})
            assert copy(source, target, "--table", TABLE, "--finish").stdout.endswith(
                f"{target}: copied and verified.\n"
            )
            write_routes(routes, source, **{TABLE: target})
            until(lambda before=load.writes: load.writes > before + 30)
        finally:
            load.end()
        client.close()
    assert (load.lost, load.stale) == ([], [])
    assert copied.describe_table(TableName=TABLE)["Table"]["TableStatus"] == "ACTIVE"
    assert len(copied.scan(TableName=TABLE)["Items"]) == 404
    assert list(tmp_path.glob("hashrange-follow-*.json")) == []


def test_all_settings_and_indexes_come_over(servers, copy):
    (client, source), (copied, target) = servers
    fill(client)
    client.update_table(TableName="whole", StreamSpecification={"StreamEnabled": False})
    until(lambda: "StreamSpecification" not in client.describe_table(TableName="whole")["Table"])
    copy(source, target, "--table", "whole", "--finish")
    before, after = seen(client)["whole"], seen(copied)["whole"]
    assert after == before


@pytest.mark.long
def test_source_that_is_still_written_is_not_finished(servers, copy):
    (_, source), (_, target) = servers
    client = Client(source)
    client.call("CreateTable", **table_request(TableName=TABLE))
    client.close()
    load = Load([source])
    load.begin()
    try:
        until(lambda: load.writes)
        ended = copy(source, target, "--finish", code=1)
    finally:
        load.end()
    assert f"{source} is still written; stop the writes first" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["directory", "http://127.0.0.1:1", "--follow"], "are for endpoints"),
        (["http://127.0.0.1:2", "http://127.0.0.1:1", "--follow", "--overwrite"], "neither"),
        (["http://127.0.0.1:2", "http://127.0.0.1:1", "--finish", "--mask", "a=drop"], "neither"),
    ],
)
@pytest.mark.usefixtures("filled")
def test_what_cannot_be_followed(copy, tmp_path, arguments, text):
    assert text in copy(*arguments, code=2).stderr
