"""`hashrange verify` of the data directory of a server that runs."""

import os
import re
import shutil
import threading

import pytest

from hashrange.access.signatures.signing import Credentials
from hashrange.cli import signed_posts
from hashrange.storage.encryption.master_key import KEY_BYTES
from hashrange.tables.verifying.requests import VERIFY_FILES, VerifyRequest
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.pace import until
from tests.served import served
from tests.unit.processes import run

PAGE_BYTES = 4096
LEAF = 10
"""The first byte of a page of rows."""
ITEMS = 200
BY_OWNER = {
    "IndexName": "by-owner",
    "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}


def definition():
    made = keyed(p="S")
    owner = {"AttributeName": "owner", "AttributeType": "S"}
    return {
        **made,
        "AttributeDefinitions": [*made["AttributeDefinitions"], owner],
        "GlobalSecondaryIndexes": [BY_OWNER],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    }


def item_of(number, owner):
    return {
        "p": {"S": f"order-{number:03}"},
        "owner": {"S": f"owner-{owner}"},
        "text": {"S": f"{number:03}" * 130},
    }


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """A table with an index and a stream."""
    data = tmp_path_factory.mktemp("verified") / "data"
    with served(memory=False, data=data) as server:
        client = client_of(server.endpoint)
        client.create_table(TableName="orders", **definition())
        for number in range(ITEMS):
            client.put_item(TableName="orders", Item=item_of(number, number))
        client.close()
    return data


def altered(directory, place, *, bit):
    """A copy with a flipped bit of an item, or a page of items without its header."""
    shutil.copytree(directory, place)
    file = place / "hashrange.db"
    content = bytearray(file.read_bytes())
    if bit:
        content[content.find(b"order-060") + 100] ^= 1
    else:
        starts = range(PAGE_BYTES, len(content), PAGE_BYTES)
        leaves = [at for at in starts if content[at] == LEAF]
        page = next(at for at in leaves if b"order-060" in content[at : at + PAGE_BYTES])
        content[page : page + 64] = bytes(64)
    file.write_bytes(content)
    return place


def lines_of(text):
    """The findings, without what pytest adds to assertions of a server in its process."""
    return re.sub(r"\nassert \d+ == \d+", "", text).splitlines()


# Each write changes an item, the entry of its index, counters, and the log.
@pytest.mark.parametrize(
    "kind", ["plain", "encrypted", pytest.param("workers", marks=pytest.mark.long)]
)
def test_writes_meanwhile_are_no_findings(tmp_path, kind):
    data, more, over, done = tmp_path / "data", {}, threading.Event(), []
    if kind == "encrypted":
        (tmp_path / "key").write_text(os.urandom(KEY_BYTES).hex())
        more = {"encrypt": True, "encryption_key_file": tmp_path / "key"}
    if kind == "workers":
        more = {"workers": 1}
    with served(memory=False, data=data, **more) as server:
        client = client_of(server.endpoint)
        client.create_table(TableName="orders", **definition())

        def write(part):
            while not over.is_set():
                number = len(done)
                item = item_of(number % ITEMS * 2 + part, number)
                client.put_item(TableName="orders", Item=item)
                if number % 3 == 0:
                    client.delete_item(TableName="orders", Key={"p": item["p"]})
                done.append(1)

        threads = [threading.Thread(target=write, args=(part,)) for part in (0, 1)]
        for each in threads:
            each.start()
        try:
            until(lambda: len(done) > 100)
            results = []
            for _ in range(3):
                before = len(done)
                result = run("verify", str(data))
                results.append((result.returncode, result.stdout, result.stderr))
                assert len(done) > before, "requests go on"
        finally:
            over.set()
            for each in threads:
                each.join()
        assert results == [(0, f"{data}: sound\n", "")] * 3
        assert not list(data.glob("hashrange.verify*"))
        client.close()


@pytest.mark.parametrize("bit", [False, True], ids=["page", "bit"])
def test_a_running_server_finds_what_a_stopped_one_has(directory, tmp_path, caplog, bit):
    data = altered(directory, tmp_path / "data", bit=bit)
    stopped = run("verify", str(data))
    assert (stopped.returncode, "orders" in stopped.stdout) == (1, True), stopped
    with served(memory=False, data=data):
        running = run("verify", str(data))
    assert (running.returncode, lines_of(running.stdout)) == (1, lines_of(stopped.stdout))
    logged = [each for each in caplog.messages if each.startswith("verify: ")]
    assert lines_of("\n".join(logged)) == [f"verify: {line}" for line in lines_of(stopped.stdout)]


# A backup keeps the data file as it is, too: one waits for the other.
def test_a_backup_is_made_beside_a_verification(directory, tmp_path):
    data, made = tmp_path / "data", []
    shutil.copytree(directory, data)

    def back_up():
        made.append(run("backup", str(data), str(tmp_path / "target")).returncode)

    backup = threading.Thread(target=back_up)
    with served(memory=False, data=data):
        backup.start()
        verified = run("verify", str(data))
        backup.join()
    assert (made, verified.returncode) == ([0], 0)


# The command that asked was killed: the server goes on, and another command does not interfere.
def test_one_verification_at_a_time(directory, tmp_path, caplog):
    caplog.set_level("INFO")
    data = tmp_path / "data"
    shutil.copytree(directory, data)
    VERIFY_FILES.ask(data, VerifyRequest("of-another"))
    with served(memory=False, data=data):
        until(lambda: "the data were verified: they are sound" in caplog.messages)
        until(lambda: VERIFY_FILES.asked(data) is None)
        assert run("verify", str(data)).stdout == f"{data}: sound\n"


def test_a_server_is_asked_by_its_address(directory, tmp_path):
    copy = altered(directory, tmp_path / "data", bit=True)
    with served(memory=False, data=copy) as server:
        found = run("verify", "--endpoint", server.endpoint)
        assert found.returncode == 1, found.stderr
        assert found.stdout == run("verify", str(copy)).stdout != ""
    shutil.rmtree(copy)
    shutil.copytree(directory, copy)
    with served(memory=False, data=copy) as server:
        found = run("verify", "--endpoint", server.endpoint)
        assert (found.returncode, found.stdout) == (0, f"{server.endpoint}: sound\n")


def test_a_server_without_a_directory_says_so():
    with served() as server:
        found = run("verify", "--endpoint", server.endpoint)
    assert found.returncode == 2
    assert "has no data directory to verify" in found.stderr


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("{", "the body is {} or"),
        ('{"ID": 1}', "the body is {} or"),
        ('{"id": "another"}', "There is no verification another"),
    ],
)
def test_the_page_refuses_what_it_does_not_understand(directory, body, text):
    with served(memory=False, data=directory) as server:
        status, answer = posted(server.endpoint, body.encode())
    assert status == 400
    assert text in answer


def test_one_verification_at_a_time_is_made_for_addresses(directory, tmp_path):
    shutil.copytree(directory, tmp_path / "data")
    with served(memory=False, data=tmp_path / "data") as server:
        VERIFY_FILES.ask(tmp_path / "data", VerifyRequest("of another"))
        status, answer = posted(server.endpoint, b"{}")
    assert status == 400
    assert "for another command" in answer


def posted(endpoint, body):
    keys = Credentials(access_key="a", secret_key="b", session_token=None, region="us-east-1")
    status, answer = signed_posts.posted(endpoint, "/verify", ("application/json", body), keys)
    return status, answer.decode()
