"""What an operator sees on the page Server, and who may see it."""

import json
import ssl
import urllib.request

import pytest

from hashrange.settings.sources import load
from tests.api.conftest import client_of
from tests.api.replicas import ON_DEMAND
from tests.console.asking import ask, post, session_of
from tests.console.conftest import Console, guarded_server
from tests.pace import until
from tests.served import ServerThread, served

SETTINGS = {
    "slow_request_ms": 1,
    "latency": "ListTables:p50=20ms",
    "console_endpoint": "other=http://127.0.0.1:1",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def endpoint(place):
    options = {"data": place / "data", "tls": "off", **SETTINGS}
    with served(memory=False, **options) as server:
        yield server.endpoint


def got(endpoint, route, **headers):
    status, _, body = ask(endpoint, "GET", f"/_console/api/{route}", headers)
    return status, json.loads(body)


def test_the_state_of_a_server(endpoint, place):
    client = client_of(endpoint)
    client.list_tables()
    before = sum(got(endpoint, "server")[1]["durations"])
    client.create_table(TableName="counted", **ON_DEMAND)
    for number in range(10):
        client.put_item(TableName="counted", Item={"pk": {"S": f"{number}"}})
    status, state = got(endpoint, "server")
    assert (status, state["fault"], state["workers"], state["backup"]) == (200, None, None, None)
    assert state["disk"]["place"] == str(place / "data")
    assert 0 < state["disk"]["free"] <= state["disk"]["size"]
    assert sum(state["durations"]) >= before + 11 >= 12
    assert len(state["bounds"]) + 1 == len(state["syncs"]) == len(state["commits"])
    assert state["figures"]["engine_data_bytes"] > 0


def listed(endpoint):
    """The slow request of a ListTables; of those of a second only the first ones are logged."""
    client = client_of(endpoint)

    def logged():
        answer = client.list_tables()["ResponseMetadata"]["RequestId"]
        lines = got(endpoint, "server")[1]["slow"]
        return [each for each in lines if each["request"]["request_id"] == answer]

    return until(logged)[0]


def test_slow_requests_are_the_lines_of_the_log(endpoint):
    slow = listed(endpoint)
    assert slow["request"]["operation"] == "ListTables"
    assert slow["request"]["duration_ms"] >= 20
    assert 0 <= slow["secondsAgo"] < 3600


def test_settings_name_where_they_come_from(endpoint, place):
    _, answer = got(endpoint, "settings")
    rows = {each["name"]: each for each in answer["settings"]}
    assert rows["data"]["value"] == str(place / "data")
    assert (rows["data"]["origin"], rows["data"]["default"]) == ("--data", "hashrange-data")
    assert (rows["durability"]["value"], rows["durability"]["origin"]) == ("full", None)
    assert rows["memory"]["value"] == "false"


def test_all_processes_are_counted(tmp_path):
    with served(memory=False, data=tmp_path / "data", workers=2, slow_request_ms=1,
                latency="ListTables:p50=20ms") as server:  # fmt: skip
        for _ in range(4):
            client_of(server.endpoint).list_tables()
        _, state = got(server.endpoint, "server")
        assert (state["workers"], state["figures"]["worker_restarts_total"]) == (2, 0)
        assert len(state["slow"]) == 4
        _, answer = got(server.endpoint, "settings")
    rows = {each["name"]: each for each in answer["settings"]}
    assert (rows["workers"]["origin"], rows["throttle"]["origin"]) == ("--workers", None)


def test_the_newest_backup_and_the_certificates_are_found(tmp_path):
    (tmp_path / "backups").mkdir()
    settings = {"backup_to": tmp_path / "backups", "backup_every": "1h", "tls": "self-signed"}
    with served(memory=False, data=tmp_path / "data", console="on", **settings) as server:
        state = state_with_tls(server.endpoint, tmp_path / "data" / "tls-cert.pem")
    assert state["backup"]["place"] == str(tmp_path / "backups")
    assert state["backup"]["failure"] is None
    (certificate,) = state["certificates"]
    assert certificate["subject"] == "CN=hashrange"
    assert certificate["endsMs"] > state["nowMs"] + 3000 * 86_400_000


def state_with_tls(endpoint, ca):
    """The state from a server with HTTPS, once its first backup is there."""
    context = ssl.create_default_context(cafile=str(ca))
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN

    def read():
        with urllib.request.urlopen(f"{endpoint}/_console/api/server", context=context) as answer:
            return json.loads(answer.read())

    until(lambda: any((ca.parent.parent / "backups").rglob("*.json")))
    return read()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    with guarded_server(None, tmp_path_factory.mktemp("guarded")) as server:
        yield server


# With users, the state of the server is not everybody's.
def test_only_operators_see_the_server(guarded):
    for user, expected in (("administrator", 200), ("app", 400)):
        keys = guarded.keys[user]
        body = {"accessKey": keys["aws_access_key_id"], "secretKey": keys["aws_secret_access_key"]}
        session = session_of(post(guarded.endpoint, "sign-in", body))
        for route in ("server", "settings"):
            status, answer = got(guarded.endpoint, route, **session)
            assert status == expected, (route, answer)
            assert expected == 200 or "hashrange:DescribeServer" in answer["Message"]
    assert got(guarded.endpoint, "server")[0] == 401


@pytest.mark.toolchain("chromium")
def test_an_operator_looks_at_the_server(endpoint, browser):
    listed(endpoint)
    console = Console(endpoint, client_of(endpoint), browser)
    with console.opened("/server") as page:
        page.get_by_text("ready", exact=True).wait_for()
        row = page.get_by_role("region", name="Slow requests").get_by_role("row").nth(1)
        assert "ListTables" in row.inner_text()
        settings = page.get_by_role("region", name="Settings")
        settings.get_by_role("rowheader", name="latency", exact=True).wait_for()
        assert settings.get_by_role("rowheader", name="durability", exact=True).count() == 0
        page.get_by_label("Filter settings").fill("durab")
        settings.get_by_role("rowheader", name="durability", exact=True).wait_for()
        page.reload()
        settings.get_by_role("rowheader", name="durability", exact=True).wait_for()


@pytest.mark.toolchain("chromium")
def test_a_page_whose_server_has_gone_says_so(browser):
    thread = ServerThread(load({"port": "0", "memory": "true", "drain_seconds": "1"}, {}))
    with Console(thread.endpoint, None, browser).opened("/server") as page:
        page.get_by_text("ready", exact=True).wait_for()
        thread.close()
        page.get_by_text("no answer", exact=True).wait_for()
