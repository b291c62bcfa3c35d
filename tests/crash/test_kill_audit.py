"""kill -9 of a server with an audit log: what was answered is there, and a cut is noticed.

The head of the chain is kept within a second of its record, so the records of the last second may
be cut unnoticed; records that were kept may not.
"""

import asyncio
import json

from hashrange.api.audit.anchors import stored_anchors
from hashrange.api.audit.files import chains_of, files_in
from hashrange.api.audit.verification import Coverage, findings
from hashrange.assembly.engines.kinds import kind_of
from tests.crash.server import Client, Server
from tests.pace import until
from tests.servers.fleet import metric

TABLE = {
    "TableName": "Watched",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
RECORDS = 50
KEPT = 3
"""Heads: the first may be that of an empty chain, or another process's."""


def started(directory, *options):
    audit = directory / "audit"
    arguments = ("--audit", str(audit), "--audit-data-events", "*", *options)
    return Server(directory / "data", *arguments), audit


def found_in(directory, audit):
    async def read():
        place = str(directory / "data")
        async with kind_of(place).opened_to_verify(place, None) as (engine, _):
            return await stored_anchors(engine)

    anchors = asyncio.run(read())
    return list(findings([audit], anchors, Coverage())), anchors


def records_in(audit):
    lines = [(audit / file.name).read_bytes().splitlines() for file in files_in(audit)]
    return [json.loads(line) for part in lines for line in part]


def written(server, audit):
    """Write until all that was written is in the log, and the head of it is synced."""
    client = Client(server.url)
    for number in range(RECORDS):
        item = {"pk": {"S": f"k{number}"}, "text": {"S": "zzsecretzz"}}
        client.call("PutItem", TableName="Watched", Item=item)
    until(lambda: len(records_in(audit)) >= RECORDS)
    client.close()


def keep_heads(server, client):
    """Make requests that write nothing until heads were kept, each second, which are writes.

    The client's process keeps its head in each of these seconds, and another one, which has the
    same time for it, does so once.
    """
    before = metric(server, "engine_writes_total")

    def are_kept():
        client.call("GetItem", TableName="Watched", Key={"pk": {"S": "k1"}})
        return metric(server, "engine_writes_total") >= before + KEPT

    until(are_kept)


def test_a_cut_end_is_noticed_after_a_kill(tmp_path):
    server, audit = started(tmp_path)
    client = Client(server.url)
    client.call("CreateTable", **TABLE)
    written(server, audit)
    keep_heads(server, client)
    client.close()
    server.kill()
    found, anchors = found_in(tmp_path, audit)
    assert found == []
    assert all("zzsecretzz" not in json.dumps(record) for record in records_in(audit))
    ((chain, anchor),) = anchors.items()
    kept = anchor.head.sequence
    assert kept > 0, "the head of an empty chain"
    (file,) = chains_of(files_in(audit))[chain]
    path = audit / file.name
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: kept - 1]))
    found, _ = found_in(tmp_path, audit)
    assert found == [
        f"chain {chain}: its end was cut: 1 records after record {kept - 1} are missing"
    ]


def test_workers_have_a_chain_each(tmp_path):
    server, audit = started(tmp_path, "--workers", "2")
    client = Client(server.url)
    client.call("CreateTable", **TABLE)
    clients = [Client(server.url) for _ in range(8)]
    for each in clients:
        each.call("PutItem", TableName="Watched", Item={"pk": {"S": "a"}})
        each.close()
    until(lambda: len(records_in(audit)) == 9)
    # A worker whose writer is late by seconds begins its chain before its first head is kept.
    keep_heads(server, client)
    client.close()
    assert len(chains_of(files_in(audit))) == 2
    server.kill()
    until(lambda: _is_free(tmp_path))
    found, anchors = found_in(tmp_path, audit)
    assert found == []
    assert len(anchors) == 2  # by then their engines had their writer


def _is_free(directory):
    try:
        found_in(directory, directory / "audit")
    except Exception:  # noqa: BLE001 - the processes are ending
        return False
    return True
