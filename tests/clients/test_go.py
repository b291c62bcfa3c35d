"""The Go SDK with its packages attributevalue and expression: `go/*.go` say what each step does.

The modules come from Go's proxy into Go's own cache, once; then no network is needed.
"""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.clients.documented import documented
from tests.clients.programs import run_program
from tests.clients.vectors import FOUND, TABLE
from tests.clients.vectors import REFUSED as NO_VECTOR
from tests.pace import seconds

PROGRAM = Path(__file__).parent / "go"
REFUSED = {
    "code": "ConditionalCheckFailedException",
    "message": "The conditional request failed",
    "fault": "client",
    "status": 400,
    "hasRequestID": True,
}

# The first run compiles the SDK: 45 seconds of CPU.
BUILD_SECONDS_MAX = seconds(250)

pytestmark = [pytest.mark.toolchain("go"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A copy of the program, to build in."""
    place = tmp_path_factory.mktemp("go")
    shutil.copytree(PROGRAM, place, dirs_exist_ok=True)
    return place


@pytest.fixture(scope="module")
def run(environment, place):
    """Builds the program of a folder and runs it: what it printed."""

    def build_and_run(folder, *words):
        program = place / "program.exe"
        build = ["go", "build", "-o", str(program), folder]
        built = run_program(build, environment, place, BUILD_SECONDS_MAX)
        assert built.returncode == 0, built.stderr
        ended = run_program([str(program), *words], environment)
        sys.stderr.write(ended.stderr)
        assert ended.returncode == 0
        return ended.stdout

    return build_and_run


@pytest.fixture(scope="module")
def seen(run, endpoint):
    """What the program saw, step by step."""
    return json.loads(run(".", endpoint))


# The SDK's waiter reads TableStatus; a date is a number on the wire.
def test_table(seen):
    assert seen["table"] == {
        "created": "CREATING",
        "described": "ACTIVE",
        "index": ["by-status", "ACTIVE", "KEYS_ONLY"],
        "madeThisCentury": True,
    }


# Each type that a struct can have, as it is stored; and what comes back is what went there.
def test_kinds(seen):
    stored = (
        "address M, counts M, customer S, expires N, gift BOOL, keys BS, labels SS, note S, "
        "nothing NULL, number N, others L, photo B, placed S, primes NS, status S, total N"
    )
    assert seen["kinds"] == {"stored": stored, "different": []}


# All clauses and functions of an update in one expression, whose names are all placeholders.
def test_update(seen):
    assert seen["update"] == {
        "attributes": {
            "customer": "update",
            "number": 1,
            "status": "SENT",
            "counts": {"one": 42},
            "visits": 7,
            "others": [{"street": "old"}, {"street": "new"}],
            "points": 5,
            "labels": ["b"],
            "nothing": None,
        },
        "units": 2,
        "index": 1,
    }


def test_delete(seen):
    assert seen["delete"] == {"old": "old", "left": 0}


# This SDK checks the CRC32 of each answer, before it unpacks it.
def test_gzip(seen):
    assert seen["gzip"] == {"same": True, "encoding": ["", "gzip"], "checked": True}


# The loops over what was not processed end.
def test_batches(seen):
    assert seen["batchWrite"] == {"rounds": 3}
    assert seen["batchGet"] == {"found": 60, "attributes": 1}


# Paginators stop where LastEvaluatedKey is missing; filters leave pages short.
def test_pages(seen):
    assert seen["query"] == ["[19 18 17] of 4", "[15 13] of 4", "[11 10] of 2"]
    assert seen["queryIndex"] == ["[52 54] of 2", "[56 58] of 2", "[] of 0"]
    assert seen["scan"] == 10
    assert seen["segments"] == 60


# No addition is lost.
def test_concurrent(seen):
    assert seen["concurrent"] == 20


# Every action of a transaction, and what it costs; and the reasons for which one is canceled.
def test_transactions(seen):
    notes = ["transaction old", "transaction changed", " ", "transaction "]
    assert seen["transaction"] == {"notes": notes, "units": 8}
    codes = ["None", "ConditionalCheckFailed"]
    text = "Transaction cancelled, please refer cancellation reasons for specific reasons"
    error = {"code": "TransactionCanceledException", "message": f"{text} [{', '.join(codes)}]"}
    refused = REFUSED | error
    assert seen["canceled"] == {"codes": codes, "found": "mine", "left": 0, "error": refused}


# The streams client has types of its own, which attributevalue converts.
def test_stream(seen):
    assert seen["stream"] == ["INSERT first", "MODIFY second"]


# The client of Kinesis speaks JSON.
def test_destination(seen):
    changes = ["INSERT old MICROSECOND", "MODIFY new MICROSECOND"]
    assert seen["destination"] == {"status": "ENABLING", "changes": changes}


def test_time_to_live(seen):
    assert seen["timeToLive"] == "expires"


# errors.As finds the type, which has the item that stood in the way.
def test_condition_failed(seen):
    assert seen["conditionFailed"] == {"found": "mine", "error": REFUSED}


@pytest.mark.parametrize(
    ("step", "code", "message"),
    [
        (
            "notFound",
            "ResourceNotFoundException",
            "Requested resource not found: Table: no-such-table not found",
        ),
        ("inUse", "ResourceInUseException", "Table already exists: go-orders"),
    ],
)
def test_errors_with_a_type(seen, step, code, message):
    error = REFUSED | {"code": code, "message": message}
    assert seen[step] == {"isItsType": True, "error": error}


# What the model of an operation does not name: the SDK knows the code, but not whose fault it is.
def test_errors_without_a_type(seen):
    message = "The provided key element does not match the schema"
    error = {"code": "ValidationException", "message": message, "fault": "unknown"}
    assert seen["invalid"] == REFUSED | error


def test_gone(seen):
    assert seen["gone"] == "DELETING"


# What docs/clients.md shows is a whole program, and one that runs.
def test_documented_program(run, place, endpoint):
    folder = place / "documented"
    folder.mkdir()
    (folder / "main.go").write_text(documented("Go", endpoint))
    assert run("./documented").endswith("] <nil>\n")


# Its client of CloudWatch speaks CBOR, and compresses what is long.
def test_metrics(seen):
    assert seen["metricsPut"] is True
    assert seen["metricsListed"] == {"page0": "Latency", "page1": "Latency"}
    *known, percentiles = seen["metricStatistics"]
    assert known == [1, True, 22350, 150, "Milliseconds"]
    assert abs(percentiles["p50"] - 149) < 5
    assert seen["metricData"] == {
        "page0": [[22350], True, "Complete"],
        "page1": [[22500], True, "Complete"],
        "b": [[448.5], True, "Complete"],
    }


# Its codes are those of the query protocol, which it spoke before.
def test_refused_metrics(seen):
    told = seen["metricRefused"]
    token = {"code": "InvalidNextToken", "message": "The NextToken provided is invalid"}
    assert (told["isItsType"], told["error"]) == (True, REFUSED | token)
    assert told["other"]["code"] == "InvalidParameterValue"


def test_vectors(seen):
    assert seen["vectorTable"] == TABLE
    assert seen["vectorSearch"] == FOUND
    assert seen["vectorRefused"]["code"] == NO_VECTOR
