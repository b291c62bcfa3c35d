"""OpenSearch as a target, recorded: a double of its bulk API with external versions."""

import json

import pytest

from hashrange.tools.sinks.changes import EPOCH
from hashrange.tools.sinks.opensearch import document_version
from hashrange.tools.sinks.targets import TargetError
from tests.scanning.filled import make, numbered, put
from tests.sinks.recorded import Recorded

ITEMS = 30
DAY_SECONDS = 86_400


class Engine(Recorded):
    """What the engine does with a bulk: documents by index and id, external versions.

    Source: OpenSearch documentation, "Bulk", "Index document" (version_type) and "Delete by query".
    """

    def __init__(self):
        self.documents, self.versions, self.statuses, self.refused = {}, {}, [], []
        super().__init__()

    def answer(self, path, body):
        if path == "/_bulk":
            lines = iter(body.decode().splitlines())
            return 200, {"items": [self._item(json.loads(line), lines) for line in lines]}
        if "/_delete_by_query" in path:
            bound = json.loads(body)["query"]["range"]["@snapshot"]["lt"]
            for place in [*self.documents]:
                if self.documents[place]["@snapshot"] < bound:
                    del self.documents[place]
        return 200, {}

    def _item(self, action, lines):
        ((name, of),) = action.items()
        document = json.loads(next(lines)) if name == "index" else None
        place = of["_index"], of["_id"]
        assert of["version_type"] == "external"
        status = 200
        if self.refused:
            status = self.refused.pop()
        elif of["version"] <= self.versions.get(place, 0):
            status = 409
        else:
            self.versions[place] = of["version"]
            if document is None:
                status = 404 if self.documents.pop(place, None) is None else 200
            else:
                self.documents[place] = document
        self.statuses.append(status)
        return {name: {"_id": of["_id"], "status": status, "error": {"reason": "planted"}}}


@pytest.fixture
def engine():
    engine = Engine()
    yield engine
    engine.close()


@pytest.fixture
def index(replicate, engine):
    return lambda *arguments: replicate(f"opensearch:{engine.url}", *arguments)


def keys_of(engine):
    return sorted(document["pk"] for document in engine.documents.values())


def test_documents_follow_items(client, engine, index):
    make(client)
    put(client, numbered(ITEMS))
    index()
    assert keys_of(engine) == [f"order-{number:04}" for number in range(ITEMS)]
    item = {"pk": {"S": "order-0001"}, "tags": {"SS": ["a"]}, "price": {"N": "12.50"}}
    put(client, [item])
    client.delete_item(TableName="orders", Key={"pk": {"S": "order-0002"}})
    index()
    document = engine.documents["orders", '{"pk":{"S":"order-0001"}}']
    assert document == {"pk": "order-0001", "tags": ["a"], "price": 12.5, "@snapshot": 0}
    assert "order-0002" not in keys_of(engine)


# As after a kill between a delivery and the write of its position.
def test_repeated_changes_conflict_and_do_nothing(client, engine, index, tmp_path):
    make(client)
    index()
    state = tmp_path / "hashrange-sink.json"
    before = state.read_bytes()
    put(client, [{"pk": {"S": "a"}, "n": {"N": str(number)}} for number in range(3)])
    index()
    state.write_bytes(before)
    engine.statuses.clear()
    index()
    assert engine.statuses == [409] * 3
    assert [document["n"] for document in engine.documents.values()] == [2]


def test_refused_document_is_sent_again(client, engine, index):
    make(client)
    put(client, numbered(1))
    engine.refused = [429]
    told = index().stderr
    assert 'index of {"pk":{"S":"order-0000"}} answers 429: planted; will retry' in told
    assert keys_of(engine) == ["order-0000"]


def test_new_snapshot_removes_documents_that_are_gone(server, client, engine, index):
    make(client)
    put(client, numbered(ITEMS))
    index("--keep", "2d")
    client.delete_item(TableName="orders", Key={"pk": {"S": "order-0001"}})
    for _ in range(4):
        server.clock.advance(seconds=DAY_SECONDS)
    assert "a new snapshot begins" in index("--keep", "2d").stderr
    assert len(engine.documents) == ITEMS - 1


def test_tables_whose_indexes_are_one_are_refused(client, engine, replicate):
    make(client)
    make(client, "Orders")
    ended = replicate(f"opensearch:{engine.url}", "--table", "Orders", code=1)
    assert ended.stderr.endswith(
        "Orders and orders are one name in an engine: use an engine for each\n"
    )


def test_versions_of_documents_keep_their_order():
    first, last = 1_000_000_001 * 10**15 + 1, 1_000_000_002 * 10**15 + 9
    versions = [0, first, first + 1, last, EPOCH, EPOCH + first]
    found = [document_version(version) for version in versions]
    assert found == sorted(set(found))
    assert found[0] == 1
    assert found[-1] < 1 << 63
    with pytest.raises(TargetError, match="no place in 63 bits"):
        document_version(500 * EPOCH)
