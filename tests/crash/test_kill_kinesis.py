"""kill -9 of a server while records are put into a stream: what was answered is there, in order."""

import threading

from botocore.exceptions import BotoCoreError

from hashrange.assembly.verifying import verify
from tests.api.conftest import client_of
from tests.api.kinesis import created, data_of, put, records_of
from tests.crash.server import Server
from tests.pace import until

RECORDS = 40


def test_no_record_that_was_answered_is_lost(tmp_path):
    server = Server(tmp_path / "data")
    client = client_of(server.url, "kinesis")
    name, answered = created(client), []

    def write():
        try:
            while True:
                answered.append(
                    (b"%d" % len(answered), put(client, name, b"%d" % len(answered))[1])
                )
        except BotoCoreError:
            return

    writer = threading.Thread(target=write)
    writer.start()
    until(lambda: len(answered) >= RECORDS)
    server.kill()
    writer.join()
    assert verify(tmp_path / "data") == []
    server = Server(tmp_path / "data")
    client = client_of(server.url, "kinesis")
    found = [(each["Data"], each["SequenceNumber"]) for each in records_of(client, name)]
    # One more may have been written, and not answered.
    assert found[: len(answered)] == answered
    assert len(found) <= len(answered) + 1
    put(client, name, b"after")
    assert data_of(client, name)[-1] == b"after"
    server.kill()
