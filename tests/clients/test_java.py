"""The Java SDK, both versions of it, each with its mapper.

`java/program` is version 2 with the Enhanced Client; `java/mapper` is version 1 and DynamoDBMapper,
which speak in parameters from before expressions. They say what each step does.

The packages come from Maven's repository into Maven's own cache, once; then no network is needed.
"""

import json
import sys
from pathlib import Path

import pytest

from tests.clients.documented import documented
from tests.clients.java_programs import compiled
from tests.clients.programs import run_program
from tests.clients.vectors import FOUND, TABLE
from tests.clients.vectors import REFUSED as NO_VECTOR

PROGRAM = Path(__file__).parent / "java"
REFUSED = {
    "code": "ConditionalCheckFailedException",
    "message": "The conditional request failed",
    "status": 400,
    "hasRequestId": True,
    "retryable": False,
}

CANCELED = "Transaction cancelled, please refer cancellation reasons for specific reasons"
CONDITION_FAILED = f"{REFUSED['code']}: {REFUSED['message']}"

pytestmark = [pytest.mark.toolchain("java", "javac", "mvn"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def classpath(environment, tmp_path_factory):
    """The programs, compiled in a folder of their own, and what they need."""
    return compiled(PROGRAM, tmp_path_factory.mktemp("java"), environment)


@pytest.fixture(scope="module")
def run(endpoint, environment, classpath):
    """Runs a class: what it saw, step by step."""

    def start(program, *options):
        command = ["java", *options, "-cp", classpath, program, endpoint]
        ended = run_program(command, environment)
        sys.stderr.write(ended.stderr)
        assert ended.returncode == 0
        return json.loads(ended.stdout)

    return start


@pytest.fixture(scope="module")
def seen(run):
    """What version 2 saw."""
    return run("program.Program")


@pytest.fixture(scope="module")
def mapped(run):
    """What version 1 saw."""
    return run("mapper.Program", "-Daws.java.v1.disableDeprecationAnnouncement=true")


# The mapper makes tables with all indexes of a bean, and its waiter reads TableStatus.
def test_table(seen):
    assert seen["table"] == {
        "status": "ACTIVE",
        "billing": "PAY_PER_REQUEST",
        "global": ["by-status ACTIVE"],
        "local": ["by-total"],
        "attributes": ["customer S", "number N", "placed S", "status S", "total N"],
        "madeThisCentury": True,
    }


# Each type that a bean can have, as it is stored and as it is read.
def test_kinds(seen):
    assert seen["kinds"] == {
        "stored": "address M, comment S, counts M, customer S, gift BOOL, labels SS, number N, "
        "others L, photo B, placed S, point S, primes NS, saves N, status S, total N, version N",
        "read": {
            "status": "OPEN",
            "placed": "2026-01-02T03:04:05.678Z",
            "total": "12345678901234567890.123456789",
            "note": "déjà vu 😀",
            "gift": True,
            "address": "Main Street 1, null",
            "others": [", Bonn", "a, b"],
            "counts": {"one": 1, "minus": -1},
            "labels": ["a", "b"],
            "primes": [2, 3, 11],
            "point": "Point[x=3, y=-4]",
            "photo": [0, -1, 127],
        },
    }


# Optimistic locking is a condition that the mapper writes.
def test_version(seen):
    assert seen["version"] == {"put": REFUSED, "update": REFUSED, "last": [2, "mine"], "updated": 3}


# A counter is if_not_exists(saves, :start) + :delta in the update of each save.
def test_counter(seen):
    assert seen["counter"] == [100, 110, 120]


# Nulls become REMOVE, or are left out; inside of a map they are paths of the update.
def test_nulls(seen):
    assert seen["nullsWritten"] == ["note", "null", "elsewhere, null", "2"]
    assert seen["nullsIgnored"] == ["note", "true", "elsewhere, city", "2"]


# The exception has the item that stood in the way.
def test_condition(seen):
    found = ["note", "true", "street, city", "1"]
    assert seen["condition"] == {"hasItem": True, "item": found, "error": REFUSED}


def test_delete(seen):
    old = ["note", "true", "street, city", "1"]
    assert seen["delete"] == {"old": old, "again": None, "found": None}


def test_capacity(seen):
    assert seen["capacity"] == {"total": 2, "table": 1, "index": 1, "old": "note"}


def test_batches(seen):
    assert seen["batchWrite"] == 0
    assert seen["batchGet"] == {"found": list(range(25)), "unread": 0}


# Each condition that the mapper can make on a sort key of numbers.
def test_query(seen):
    assert seen["query"] == {"between": [3, 4, 5], "greater": [22, 23, 24], "less": [2, 1, 0]}


# The mapper follows LastEvaluatedKey; a page that ends at the end of a range is followed by none.
def test_pages(seen):
    numbers = list(range(25))
    assert seen["queryPages"] == [numbers[:10], numbers[10:20], numbers[20:]]
    assert seen["globalIndex"] == [[21, 19], [17, 15], []]
    assert seen["localIndex"] == [[24, 23]]
    assert seen["largePages"] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_filter(seen):
    numbers = [0, 2, 4, 6, 8]
    filtered = {"numbers": numbers, "projected": True, "count": 5, "scanned": 25}
    assert seen["queryFiltered"] == filtered


def test_scan(seen):
    assert seen["scan"] == {"filtered": [7, 8], "index": 25, "segments": list(range(25))}


# Documents are the mapper's items without a class.
def test_documents(seen):
    deep = {"list": [1, "two", {"three": [3.5]}]}
    document = {"customer": "document", "number": 1, "nothing": None, "deep": deep}
    assert json.loads(seen["documents"]) == document


# All actions in one, beside versions that the mapper minds; and what each of them failed for.
def test_transactions(seen):
    assert seen["transaction"] == ["changed 2", "none", "old 1", "new 1"]
    failed = ["ConditionalCheckFailed", "The conditional request failed"]
    assert seen["transactionCanceled"] == {
        "message": f"{CANCELED} [None, ConditionalCheckFailed, ConditionalCheckFailed]",
        "status": 400,
        "reasons": [["None", None, False], [*failed, True], [*failed, False]],
        "inTheWay": "taken",
        "left": ["taken 1", "none"],
    }
    token = {"code": "IdempotentParameterMismatchException", "left": ["once 1"]}
    assert seen["transactionToken"] == token


# The client as it is, over the HTTP of the JDK: empty lists are not the absent ones.
def test_plain_items(seen):
    assert seen["plainTable"] == "CREATING"
    assert seen["plainItems"] == {
        "number": "-1500",
        "nothing": True,
        "emptyList": True,
        "emptyMap": True,
        "hasItem": True,
        "missing": False,
        "hasRequestId": True,
    }


# The streams client: sizes of the old and the new image.
def test_stream(seen):
    records = [["INSERT", 0, 5, True], ["MODIFY", 5, 4, True], ["REMOVE", 4, 0, True]]
    assert seen["stream"] == records


# Classes are chosen by `__type`; what the model of an operation does not name has the general one.
@pytest.mark.parametrize(
    ("step", "kind", "code", "message"),
    [
        (
            "notFound",
            "ResourceNotFoundException",
            "ResourceNotFoundException",
            "Requested resource not found: Table: no-such-table not found",
        ),
        (
            "inUse",
            "ResourceInUseException",
            "ResourceInUseException",
            "Table already exists: java-plain",
        ),
        (
            "invalid",
            "DynamoDbException",
            "ValidationException",
            "The provided key element does not match the schema",
        ),
    ],
)
def test_errors(seen, step, kind, code, message):
    assert seen[step] == {"class": kind, "code": code, "message": message, "status": 400}


# The paginator of ListTables, a page a table, after one is deleted and waited for.
def test_tables(seen):
    assert seen["tables"] == ["java-orders"]


# The same mapper over Netty, which answers as they come: 40 at once, and no addition is lost.
def test_async(seen):
    assert seen["asyncTable"] == "ACTIVE"
    assert seen["asyncWrites"] == 40
    assert seen["asyncPages"] == [15, 15, 10]
    assert seen["asyncCounter"] == "40"
    assert seen["asyncCondition"] == {"item": True, "error": REFUSED}
    assert seen["asyncGone"] == "ResourceNotFoundException"


# Version 1 waits for tables, and takes an error for the answer that there is none.
def test_mapper_table(mapped):
    assert mapped["table"] == [True, False, "ACTIVE", "KEYS_ONLY"]
    assert mapped["gone"] == [True, False]


# A save is AttributeUpdates, one action for each attribute of the bean.
def test_mapper_save(mapped):
    stored = {
        "active": "{N: 1,}",
        "balance": "{N: -5,}",
        "comment": "{S: déjà vu 😀,}",
        "id": "{S: 1,}",
        "kind": "{S: PERSON,}",
        "opened": "{S: 2020-09-13T12:26:40.001Z,}",
        "owner": "{S: save,}",
        "places": "{L: [{M: {street={S: x,}},}, {M: {},}],}",
        "tags": "{SS: [a, b],}",
        "version": "{N: 1,}",
    }
    loaded = ["PERSON", -5, True, "déjà vu 😀", ["a", "b"], 1]
    assert mapped["save"] == [stored, loaded, 1]
    assert mapped["generatedKey"] == 1
    assert mapped["keysOnly"] == [None, None, None, None, None, 2]


# Versions are Expected: of a value, or of nothing where the bean is new.
def test_mapper_version(mapped):
    assert mapped["version"] == [CONDITION_FAILED] * 3 + [2]


# What becomes of attributes that the saved bean does not have, and ADD for sets.
def test_mapper_save_behaviors(mapped):
    replaced = [None, None, None, None, ["2"], 2]
    assert mapped["behaviors"] == {
        "UPDATE": replaced,
        "UPDATE_SKIP_NULL_ATTRIBUTES": [None, 7, None, "note", ["2"], 2],
        "CLOBBER": replaced,
        "PUT": replaced,
        "APPEND_SET": [None, 7, None, "note", ["1", "2"], 2],
    }


# Each condition holds once, then no more.
def test_mapper_expected(mapped):
    assert mapped["expected"] == [CONDITION_FAILED] * 3


def test_mapper_batches(mapped):
    assert mapped["batches"] == [0, 60]
    assert mapped["batchDelete"] == [0, 0]


# Here the mapper writes expressions, for transactions have no other conditions.
def test_mapper_transactions(mapped):
    canceled, read = mapped["transaction"]
    assert canceled == f"{CANCELED} [None, ConditionalCheckFailed]"
    assert read == [[None] * 5 + [1], [None, 2, None, None, None, 1], None]


# KeyConditions with QueryFilter, and expressions beside them; pages, and COUNT.
def test_mapper_query(mapped):
    assert mapped["query"] == {
        "paged": 60,
        "counted": 60,
        "range": ["019", "017", "015", "013", "011"],
        "expression": ["004", "005", "006"],
        "page": [5, "004"],
    }
    local = ["059", "058", "057", "056", "055"]
    assert mapped["indexes"] == {"global": ["001", "003"], "local": local}


def test_mapper_scan(mapped):
    filtered = ["047", "048", "049", "050"]
    assert mapped["scan"] == {"filtered": filtered, "paged": 60, "parallel": 60}


# Each of the operators, over notes of which one has three letters in seven.
def test_mapper_operators(mapped):
    assert mapped["operators"] == (
        "EQ 9, NE 51, IN 18, LE 27, LT 18, GE 42, GT 33, BETWEEN 27, NOT_NULL 60, NULL 0, "
        "CONTAINS 42, NOT_CONTAINS 18, BEGINS_WITH 42"
    )


# The document API of version 1: all actions of an update, AttributesToGet, filters.
def test_mapper_documents(mapped):
    assert json.loads(mapped["documentPut"]) == {
        "owner": "documents",
        "id": "1",
        "text": "x",
        "number": 1.5,
        "yes": True,
        "nothing": None,
        "texts": ["a", "b"],
        "numbers": [1, 2],
        "list": [1, "two"],
        "map": {"k": 1},
        "bytes": "AQ==",
        "json": {"deep": [1, None, {"down": True}]},
    }
    changed = {"number": 6.5, "new": ["q"], "texts": ["b"], "numbers": [1, 2, 3]}
    assert json.loads(mapped["documentUpdate"]) == changed
    assert mapped["documentExpected"] == CONDITION_FAILED
    queried, scanned, read = mapped["documentReads"]
    assert [json.loads(found) for found in queried] == [{"id": "1", "number": 6.5}]
    assert scanned == ["1"]
    assert json.loads(read) == {"number": 6.5, "map": {"k": 1}}
    assert mapped["documentDelete"] == 12
    assert mapped["documentBatches"] == [0, 0, ['{"id":"2"}']]


# This SDK checks the CRC32 of what it unpacks.
def test_mapper_gzip(mapped):
    assert mapped["documentGzip"] == 150_000


# It polls DescribeTable until a change is done.
def test_mapper_table_changes(mapped):
    assert mapped["throughput"] == [6, 7]
    assert mapped["newIndex"] == ["indexed"]


# What docs/clients.md shows is a whole program, and one that runs.
def test_documented_program(endpoint, environment, classpath, tmp_path):
    program = tmp_path / "Tables.java"
    program.write_text(documented("Java", endpoint))
    ended = run_program(["java", "-cp", classpath, str(program)], environment)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("[")


def test_vectors(seen):
    assert seen["vectorTable"] == TABLE
    assert seen["vectorSearch"] == FOUND
    assert seen["vectorRefused"] == NO_VECTOR
