"""Random writes to a table with every kind of index, and reads of the indexes, against a dict.

The model keeps items alone, and works out from them what each index should hold. Where entries are
equal in their keys, any order will do, as long as it is the same each time.
"""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.tables.verifying.verify import findings
from tests.api.indexes import attributes, index_of, projected
from tests.unit.api.dynamodb.still_server import StillServer

PAGE_BYTES = 200
PAGES_MAX = 200
TYPES = {"pk": "S", "sk": "N", "g": "S", "a": "S", "b": "N", "c": "S", "d": "N", "e": "S", "n": "N"}
INDEXES = {
    "sparse": {"partition": ("g",), "sort": (), "kept": ()},
    "multi": {"partition": ("a", "b"), "sort": ("c", "d"), "kept": ("x",)},
    "equal": {"partition": ("e",), "sort": ("d",), "kept": None},
    "local": {"partition": ("pk",), "sort": ("n",), "kept": ()},
}
"""What an index has besides its keys: nothing, something, or everything."""
KINDS = {(): projected("KEYS_ONLY"), ("x",): projected("INCLUDE", "x"), None: projected("ALL")}
DEFINITIONS = {
    name: index_of(name, *index["partition"], sort=index["sort"], **KINDS[index["kept"]])
    for name, index in INDEXES.items()
}
tables = count()

# Few values, so that entries meet, and move; some keys of an index are absent.
VALUES = {
    "S": [{"S": text} for text in ("v", "vv", "w")],
    "N": [{"N": number} for number in ("-10", "2", "10", "1.5")],
}
OPTIONAL = {
    **{name: VALUES[kind] for name, kind in TYPES.items() if name not in {"pk", "sk"}},
    "x": [{"S": ""}, {"S": "y" * 100}],
}
keys = st.fixed_dictionaries(
    {
        "pk": st.sampled_from([{"S": "p"}, {"S": "q"}]),
        "sk": st.sampled_from([{"N": "1"}, {"N": "2"}, {"N": "3"}]),
    }
)
contents = st.fixed_dictionaries(
    {name: st.sampled_from([*values, None]) for name, values in OPTIONAL.items()}
).map(lambda drawn: {name: value for name, value in drawn.items() if value is not None})
writes = st.one_of(
    st.tuples(st.just("put"), keys, contents),
    st.tuples(
        st.just("update"),
        keys,
        st.tuples(contents, st.lists(st.sampled_from(sorted(OPTIONAL)), unique=True, max_size=3)),
    ),
    st.tuples(st.just("delete"), keys, st.none()),
    st.tuples(st.just("batch"), st.none(), st.lists(st.tuples(keys, contents), max_size=5)),
)
reads = st.fixed_dictionaries(
    {
        "index": st.sampled_from(sorted(INDEXES)),
        "limit": st.none() | st.integers(1, 4),
        "forward": st.booleans(),
        "segments": st.none() | st.integers(1, 3),
        "between": st.lists(writes, max_size=2),
        "start": st.integers(0, 30),
    }
)


@pytest.fixture(scope="module")
def server():
    made = StillServer(transient_ms=0, page_bytes_max=PAGE_BYTES)
    yield made
    made.end()


def key_of(item):
    return {"pk": item["pk"], "sk": item["sk"]}


def place(item):
    """Its key, for the model."""
    return item["pk"]["S"], int(item["sk"]["N"])


def comparable(value):
    """A value as an index orders it."""
    return value["S"] if "S" in value else float(value["N"])


class Model:
    """The table as it should be, and the server's table, written to alike."""

    def __init__(self, server):
        self._server = server
        self.name = f"indexed-{next(tables)}"
        self.items = {}
        self.call(
            "CreateTable",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=attributes(**TYPES),
            KeySchema=index_of("table", "pk", sort=("sk",))["KeySchema"],
            GlobalSecondaryIndexes=[DEFINITIONS[name] for name in ("sparse", "multi", "equal")],
            LocalSecondaryIndexes=[DEFINITIONS["local"]],
        )

    def call(self, operation, **request):
        return self._server.call(operation, **{"TableName": self.name, **request})

    def write(self, drawn):
        kind, key, content = drawn
        if kind == "put":
            item = {**key, **content}
            self.call("PutItem", Item=item)
            self.items[place(item)] = item
        elif kind == "update":
            self._update(key, *content)
        elif kind == "delete":
            self.call("DeleteItem", Key=key)
            self.items.pop(place(key), None)
        else:
            self._batch(content)

    def _update(self, key, put, removed):
        sets = [f"{name} = :{name}" for name in put]
        removes = [name for name in removed if name not in put]
        text = (f"SET {', '.join(sets)} " if sets else "") + (
            f"REMOVE {', '.join(removes)}" if removes else ""
        )
        if not text:
            return
        values = {f":{name}": value for name, value in put.items()}
        more = {"ExpressionAttributeValues": values} if values else {}
        self.call("UpdateItem", Key=key, UpdateExpression=text.strip(), **more)
        if sets or place(key) in self.items:
            old = self.items.get(place(key), key)
            kept = {name: value for name, value in old.items() if name not in removes}
            self.items[place(key)] = {**kept, **put}

    def _batch(self, content):
        items = {place(key): {**key, **more} for key, more in content}
        if items:
            requests = [{"PutRequest": {"Item": item}} for item in items.values()]
            self.call("BatchWriteItem", RequestItems={self.name: requests}, TableName=None)
            self.items.update(items)

    def entries(self, name):
        """What an index should hold: its view of each item that has all of its keys."""
        index = INDEXES[name]
        needed = {*index["partition"], *index["sort"]}
        kept = index["kept"]
        return {
            where: item
            if kept is None
            else {
                each: value for each, value in item.items() if each in {"pk", "sk", *needed, *kept}
            }
            for where, item in self.items.items()
            if needed <= item.keys()
        }

    def walk(self, operation, read, between=(), **request):
        """All pages; something is written after the first of them."""
        found = []
        limit = {} if read["limit"] is None else {"Limit": read["limit"]}
        request = {"IndexName": read["index"], **limit, **request}
        for page in range(PAGES_MAX):
            answer = self.call(operation, **request)
            found += answer["Items"]
            if page == 0:
                for write in between:
                    self.write(write)
            if "LastEvaluatedKey" not in answer:
                return found
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        raise AssertionError("the walk does not end")


def partition_of(index, item):
    return tuple(comparable(item[name]) for name in INDEXES[index]["partition"])


def query_of(index, item):
    """A query for the partition that an item is in."""
    names = INDEXES[index]["partition"]
    return {
        "KeyConditionExpression": " AND ".join(f"{name} = :{name}" for name in names),
        "ExpressionAttributeValues": {f":{name}": item[name] for name in names},
    }


def check_query(model, read):
    """One partition: in the order of the sort keys, backwards too, and the same each time."""
    name = read["index"]
    entries = model.entries(name)
    if not entries:
        return
    start = sorted(entries)[read["start"] % len(entries)]
    partition = partition_of(name, entries[start])
    expected = {
        where: entry for where, entry in entries.items() if partition_of(name, entry) == partition
    }
    request = query_of(name, entries[start])
    found = model.walk("Query", read, **request, ScanIndexForward=read["forward"])
    assert {place(entry): entry for entry in found} == expected
    assert len(found) == len(expected)
    order = [tuple(comparable(entry[each]) for each in INDEXES[name]["sort"]) for entry in found]
    assert order == sorted(order, reverse=not read["forward"])
    whole = model.call("Query", IndexName=name, **request, ScanIndexForward=not read["forward"])
    if "LastEvaluatedKey" not in whole:
        assert whole["Items"] == found[::-1]


def check_fetch(model, read):
    """A local index gives what it does not hold, too; pages of that end like others."""
    walked = {**read, "index": "local"}
    found = model.walk("Scan", walked, Select="ALL_ATTRIBUTES")
    expected = {where: model.items[where] for where in model.entries("local")}
    assert {place(item): item for item in found} == expected
    assert len(found) == len(expected)


def check_scan(model, read):
    """Everything once, whole or in segments."""
    name, total = read["index"], read["segments"]
    parts = [{"Segment": part, "TotalSegments": total} for part in range(total or 0)] or [{}]
    found = [entry for part in parts for entry in model.walk("Scan", read, **part)]
    assert {place(entry): entry for entry in found} == model.entries(name)
    assert len(found) == len({place(entry) for entry in found})


def check_walk_under_writes(model, read):
    """What is not written meanwhile is found once, whatever else comes and goes."""
    name = read["index"]
    before = model.entries(name)
    found = model.walk("Scan", read, between=read["between"])
    after = model.entries(name)
    steady = {where: entry for where, entry in before.items() if after.get(where) == entry}
    touched = {place(key) for _, key, _ in read["between"] if key is not None}
    for kind, _, content in read["between"]:
        touched |= {place(key) for key, _ in content} if kind == "batch" else set()
    for where, entry in steady.items():
        if where not in touched:
            assert [each for each in found if place(each) == where] == [entry]
    assert {place(entry) for entry in found} <= before.keys() | after.keys() | touched


@given(st.lists(writes, min_size=5, max_size=25), st.lists(reads, min_size=1, max_size=5))
def test_indexes(server, written, read):
    model = Model(server)
    for write in written:
        model.write(write)
    for each in read:
        check_query(model, each)
        check_scan(model, each)
        check_fetch(model, each)
        check_walk_under_writes(model, each)
    assert verified(server) == []
    model.call("DeleteTable")


def verified(server):
    """What verify finds: of entries, their counters, and the counters of item collections."""
    return server.run(findings(server.engine))
