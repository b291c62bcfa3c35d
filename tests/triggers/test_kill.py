"""kill -9 of a server with a trigger: each change that was answered still comes, in order."""

import contextlib
import http.client
import threading

import pytest

from tests.api.streams import streaming
from tests.api.tables import keyed
from tests.crash.server import Client, Server, verify
from tests.pace import seconds
from tests.triggers.receivers import Receiver, names_of, write_file

TABLE = "Survivors"
KILLS = 4
WRITERS = 3
OPTIONS = ("--stream-shards", "2", "--stream-shard-seconds", "1", "--log-level", "error")


class Writer:
    """Puts one item again and again, with a number that grows, until the server is gone."""

    def __init__(self, number):
        self.pk = f"w{number}"
        self.tried = 0
        self.answered = set()

    def write(self, url, begun):
        client = Client(url)
        try:
            while True:
                self.tried += 1
                item = {"pk": {"S": self.pk}, "n": {"N": str(self.tried)}}
                client.call("PutItem", TableName=TABLE, Item=item)
                self.answered.add(self.tried)
                if self.tried % 40 == 0:
                    begun.release()
        except (OSError, http.client.HTTPException):
            return
        finally:
            client.close()


def make_table(url):
    client = Client(url)
    client.call("CreateTable", TableName=TABLE, **keyed(pk="S"), **streaming())
    client.close()


def numbers_of(receiver, writer):
    """What came of a writer's item, the first time each."""
    records = [record for batch in receiver.batches for record in batch]
    counts = [
        int(record["dynamodb"]["NewImage"]["n"]["N"])
        for record in records
        if names_of([record]) == [writer.pk]
    ]
    return list(dict.fromkeys(counts))


def is_complete(receiver, writers):
    return all(max(writer.answered) in numbers_of(receiver, writer) for writer in writers)


@pytest.mark.long
def test_each_change_comes_across_kills(tmp_path):
    with contextlib.closing(Receiver()) as receiver:
        _kill_again_and_again(tmp_path, receiver)


def _kill_again_and_again(tmp_path, receiver):
    trigger = {
        "name": "survivor",
        "table": TABLE,
        "destination": receiver.url,
        "starting_position": "LATEST",
        "batch_size": 10,
    }
    options = (*OPTIONS, "--triggers", str(write_file(tmp_path / "triggers.toml", trigger)))
    directory = tmp_path / "data"
    writers = [Writer(number) for number in range(WRITERS)]
    for kill in range(KILLS):
        server = Server(directory, *options)
        if not kill:
            make_table(server.url)
        begun = threading.Semaphore(0)
        threads = [
            threading.Thread(target=writer.write, args=(server.url, begun)) for writer in writers
        ]
        for thread in threads:
            thread.start()
        try:
            receiver.next()
            for _ in range(WRITERS):
                assert begun.acquire(timeout=seconds(30))
        finally:
            server.kill()
            for thread in threads:
                thread.join()
    assert verify(directory) == ""
    server = Server(directory, *options)
    try:
        while not is_complete(receiver, writers):
            receiver.next()
    finally:
        server.kill()
    for writer in writers:
        numbers = numbers_of(receiver, writer)
        assert numbers == sorted(numbers)
        assert writer.answered - set(numbers) == set()
