"""dynamodb-admin, the GUI that most people put beside a local server: its requests, its screens.

What a person does with it in a browser stands in `gui/admin.mjs`.
"""

import json
import re
import shutil
import subprocess
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.clients.programs import run_program
from tests.pace import seconds
from tests.ports import free_port

GUI = Path(__file__).parent / "gui"
pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]
LISTENS = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")
TABLE = {
    "TableName": "Albums",
    "HashAttributeName": "artist",
    "HashAttributeType": "S",
    "RangeAttributeName": "title",
    "RangeAttributeType": "S",
    "ReadCapacityUnits": "3",
    "WriteCapacityUnits": "3",
}


@pytest.fixture(scope="module")
def place(environment, tmp_path_factory):
    """A folder with dynamodb-admin and what drives a browser."""
    place = tmp_path_factory.mktemp("gui")
    shutil.copytree(GUI, place, dirs_exist_ok=True, ignore=lambda *_: ["node_modules"])
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    installed = run_program(command, environment, place)
    assert installed.returncode == 0, installed.stderr
    return place


@contextmanager
def admin_of(endpoint, environment, place):
    program = place / "node_modules" / "dynamodb-admin" / "dist" / "dynamodb-admin.js"
    command = [shutil.which("node"), program, "--host", "127.0.0.1", "--port", str(free_port())]
    with subprocess.Popen(
        [*command, "--dynamo-endpoint", endpoint],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            yield next(int(found[1]) for line in process.stdout if (found := LISTENS.search(line)))
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def port(start_server, environment, place):
    """Of dynamodb-admin, on a server of its own."""
    with admin_of(start_server(), environment, place) as port:
        yield port


@pytest.fixture(scope="module")
def ask(port):
    """One request of its pages' scripts: the status, and the answer as far as it is JSON."""

    def ask(method, path, body=None):
        connection = HTTPConnection("127.0.0.1", port, timeout=seconds(60))
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        is_json = "json" in (answer.headers["Content-Type"] or "")
        return answer.status, json.loads(text) if is_json else text

    return ask


# The form sends capacity units as text, which the service refuses and DynamoDB Local takes.
def test_its_requests(ask):
    assert ask("POST", "/create-table", {"TableDefinition": TABLE, "SecondaryIndexes": []})[0] < 300
    status, tables = ask("GET", "/api/tables")
    assert (status, [table["TableName"] for table in tables]) == (200, ["Albums"])
    for title in ("Homogenic", "Post", "Debut"):
        item = {"artist": "Björk", "title": title, "tracks": 11, "tags": [{"deep": None}]}
        assert ask("PUT", "/tables/Albums/add-item", item)[0] == 200
    key = quote("Björk,Post", safe="")
    status, page = ask("GET", f"/tables/Albums/items/{key}")
    assert status == 200
    assert "Homogenic" not in page
    edited = {"artist": "Björk", "title": "Post", "tracks": 13}
    assert ask("PUT", f"/tables/Albums/items/{key}", edited)[0] == 200
    filters = {"artist": {"type": "S", "operator": "=", "value": "Björk"}}
    query = f"operationType=query&queryableSelection=table&filters={quote(json.dumps(filters))}"
    status, found = ask("GET", f"/tables/Albums/items?{query}")
    assert status == 200
    assert [item["title"] for item in found["Items"]] == ["Debut", "Homogenic", "Post"]
    assert found["Items"][2]["tracks"] == 13
    assert ask("DELETE", f"/tables/Albums/items/{key}")[0] < 300
    assert len(ask("GET", "/tables/Albums/items")[1]["Items"]) == 2
    assert ask("DELETE", "/tables/Albums")[0] < 300
    assert ask("GET", "/api/tables")[1] == []


# The same by hand, in a browser: what is on the screen is what is in the table.
def test_its_screens(start_server, environment, place, tmp_path):
    browser = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    if browser is None:
        pytest.skip("no browser is installed")
    with admin_of(start_server(), environment, place) as port:
        command = ["node", "admin.mjs", f"http://127.0.0.1:{port}", browser, str(tmp_path)]
        ended = run_program(command, environment, place)
    assert ended.returncode == 0, ended.stderr
    seen = json.loads(ended.stdout)
    rows = {name: [titles(row) for row in seen.pop(name)] for name in ("all", "queried", "left")}
    assert sorted(rows["all"]) == ["Feeling Good", "Jóga", "Sinnerman"]
    assert sorted(rows["queried"]) == ["Feeling Good", "Sinnerman"]
    assert sorted(rows["left"]) == ["Feeling Good", "Jóga"]
    item = {"artist": "Nina Simone", "song": "Sinnerman", "tags": ["live", {"deep": None}]}
    assert seen == {
        "tables": ["Music"],
        "saved": [200] * 4,
        "opened": {**item, "year": 1965},
        "edited": {**item, "year": 2003},
        "meta": True,
        "ttl": True,
        "deleted": 204,
        "gone": 0,
    }
    assert all((tmp_path / f"{name}.png").stat().st_size for name in ("tables", "items", "query"))


def titles(row):
    (found,) = re.findall("Feeling Good|Jóga|Sinnerman", row)
    return found
