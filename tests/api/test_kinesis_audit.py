"""The audit log has what is done to streams, and nothing of their records."""

import json

from hashrange.api.audit.files import files_in
from tests.api.conftest import client_of
from tests.api.kinesis import created, put, records_of
from tests.pace import until


def test_records_are_not_in_the_audit_log(start_server, tmp_path):
    client = client_of(start_server(audit=tmp_path / "log"), "kinesis")
    name = created(client)
    put(client, name, b"zzsecretzz")
    records_of(client, name)
    client.delete_stream(StreamName=name)

    def recorded():
        log = tmp_path / "log"
        data = b"".join((log / each.name).read_bytes() for each in files_in(log))
        events = [json.loads(line) for line in data.split(b"\n")[:-1] if line]
        return [each for each in events if each["eventSource"] == "kinesis.amazonaws.com"]

    until(lambda: len(recorded()) >= 2)
    assert [each["eventName"] for each in recorded()] == ["CreateStream", "DeleteStream"]
    assert recorded()[0]["requestParameters"] == {"streamName": name, "shardCount": 1}
    assert {each["eventCategory"] for each in recorded()} == {"Management"}
